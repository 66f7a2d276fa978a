import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileAgentWorld } from '../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';

keepCompiled();

test.each([
  ['letters and a long ending', `${'a'.repeat(195)}.${'日'.repeat(18)}`],
  ['an ending of 19 characters', `${'é'.repeat(100)}.${'x'.repeat(18)}`],
  ['no ending', '日'.repeat(85)],
])('a long name goes to the trash and comes back: %s', async (_, name) => {
  await using world = await fileAgentWorld();
  writeFileSync(join(world.root, name), 'x');

  const answer = await world.confirm({ action: 'delete_file', path: `~/${name}` });

  expect(answer).toMatchObject({ status: 'success' });
  expect(await world.undo()).toMatchObject({ status: 'success' });
  expect(readdirSync(world.root)).toEqual([name]);
});

test.runIf(process.platform === 'linux')(
  'a name that is no UTF-8 can be as long as any other',
  async () => {
    await using world = await fileAgentWorld();
    const bytes = Buffer.concat([Buffer.alloc(251, 0xe9), Buffer.from('.txt')]);
    writeFileSync(Buffer.concat([Buffer.from(`${world.root}/`), bytes]), 'x');

    const named = { path: `~/${'\udce9'.repeat(251)}.txt` };

    expect(await world.ask({ action: 'read_file', ...named })).toMatchObject({ status: 'success' });
    expect(await world.confirm({ action: 'delete_file', ...named })).toMatchObject({
      status: 'success',
    });
    expect(await world.undo()).toMatchObject({ status: 'success' });
  },
);
