import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileAgentWorld, fileAgentWorld } from '../../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { Disk } from '../../kernel/ports.ts';

keepCompiled();

function write(world: FileAgentWorld, ...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(world.root, name), name);
}

test('two files that change names are two renames for whoever is asked', async () => {
  await using world = await fileAgentWorld();
  write(world, '1.txt', '2.txt');

  const asked = await world.ask({
    ...{ action: 'rename_file', path: '~/[12].txt', destination: '{n}{ext}' },
    options: { sort: 'name', order: 'desc' },
  });

  const at = (name: string) => join(world.root, name);
  expect(asked.confirmation_prompt).toBe(
    'Rename 2 files (10 bytes): "2.txt" to "1.txt", "1.txt" to "2.txt"? This can be undone.',
  );
  expect(asked.result).toMatchObject({
    steps: [
      { do: 'move', from: at('2.txt'), to: at('1.txt') },
      { do: 'move', from: at('1.txt'), to: at('2.txt') },
    ],
    steps_total: 2,
  });
});

test('of very many steps the first are told, and how many there are', async () => {
  await using world = await fileAgentWorld();
  write(world, ...Array.from({ length: 1100 }, (_, index) => `${index}.txt`));

  const asked = await world.ask({ action: 'delete_file', path: '~/*.txt' });

  expect(asked.result).toMatchObject({ steps_total: 1100, truncated: true });
});

test('where nothing was done nothing else is said, and no way back is offered', async () => {
  const full: Disk = {
    ...realDisk,
    link: async (from, to) =>
      from.endsWith('/a.txt') ? Promise.reject(diskError('ENOSPC', from)) : realDisk.link(from, to),
  };
  await using world = await fileAgentWorld({ disk: full });
  write(world, 'a.txt');

  const answer = await world.confirm({
    ...{ action: 'rename_file', path: '~/a.txt', destination: 'b.txt' },
  });

  expect(answer).toMatchObject({ status: 'error', action_performed: 'Nothing was done' });
  expect(answer.result).not.toHaveProperty('undo');
});
