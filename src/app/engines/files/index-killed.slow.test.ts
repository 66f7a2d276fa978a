import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchWorld } from '../../../../tests/support/search-world.ts';

const here = import.meta.dirname;

test('a build that is killed in the middle leaves the index as it was, and can be made anew', async () => {
  await using world = searchWorld();
  world.write('invoice-bob.txt', 'x');
  await world.index();
  const before = await world.searching.indexes();
  for (let index = 0; index < 5000; index++) world.write(`more/${index}.txt`, 'bob '.repeat(500));
  const journal = world.outside('index', 'search.db-journal');

  const { base, reach } = world.request({});
  const work = { kind: 'build', file: world.outside('index', 'search.db') };
  const request = { base: { ...base, held: base.path }, reach, passOver: [] };
  const script = `
    import { indexWorks } from '${join(here, 'index-works.ts')}';
    const stop = { isOver: () => false, isCancelled: () => false };
    indexWorks(${JSON.stringify({ ...work, request })}, stop);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const isWriting = () => (statSync(journal, { throwIfNoEntry: false })?.size ?? 0) > 0;
  while (!isWriting() && child.exitCode === null) await new Promise((next) => setImmediate(next));
  child.kill('SIGKILL');
  await once(child, 'exit');

  expect(child.signalCode).toBe('SIGKILL');
  expect((await world.searching.indexes())[0]?.files).toBe(before[0]?.files);
  expect((await world.index()).files).toBe(5001);
});
