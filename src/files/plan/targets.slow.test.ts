import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileAgentWorld, fileAgentWorld } from '../../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';

keepCompiled();

function write(world: FileAgentWorld, ...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(world.root, name), name);
}

function read(world: FileAgentWorld, name: string): string {
  return readFileSync(join(world.root, name), 'utf8');
}

const numbers = { action: 'rename_file', destination: '{n}{ext}' } as const;
const options = { on_conflict: 'skip' } as const;

test.each([
  // 2 to 1, 3 to 2, 4 to 3: the first one cannot go, and so none.
  ['~/[234].txt', ['1.txt', '2.txt', '3.txt', '4.txt'], 'All 3 that would fit stay where they are'],
  // 0 to 1, 1 to 2: the name of 1 is given away before 1 turns out to stay.
  ['~/[01].txt', ['0.txt', '1.txt', '2.txt'], 'All 2 that would fit stay where they are'],
])('a file that is left out frees no name: %s', async (path, names, words) => {
  await using world = await fileAgentWorld();
  write(world, ...names);

  const { error } = await world.confirm({ ...numbers, path, options });

  expect(error).toMatchObject({
    ...{ code: 'NOT_FOUND', message: `${words}: something has that name there already` },
  });
});

test('what does not wait for a name that stays taken is done', async () => {
  await using world = await fileAgentWorld();
  // 0 to 1, 1 to 2, and 7 to 3.
  write(world, '0.txt', '1.txt', '2.txt', '7.txt');

  const answer = await world.confirm({ ...numbers, path: '~/[017].txt', options });

  expect(answer).toMatchObject({ status: 'success', result: { done: 1, failed: 0 } });
  expect(['0.txt', '1.txt', '2.txt', '3.txt'].map((name) => read(world, name))).toEqual([
    ...['0.txt', '1.txt', '2.txt', '7.txt'],
  ]);
});

test('another name of the file that has the wished one frees no name either', async () => {
  await using world = await fileAgentWorld();
  write(world, '1.txt', '3.txt');
  linkSync(join(world.root, '1.txt'), join(world.root, '2.txt'));

  // 2 is 1 already and stays, so that 3 gets a number.
  const answer = await world.confirm({ ...numbers, path: '~/[23].txt' });

  expect(answer).toMatchObject({ status: 'success', result: { done: 1, failed: 0 } });
  expect(read(world, '2.txt')).toBe('1.txt');
  expect(read(world, '2 (2).txt')).toBe('3.txt');
});
