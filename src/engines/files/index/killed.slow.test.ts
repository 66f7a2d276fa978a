import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../../tests/support/keep-compiled.ts';
import { searchWorld } from '../../../../tests/support/search-world.ts';
import { isFull } from '../../../../tests/support/tier.ts';

const here = import.meta.dirname;

keepCompiled();

test('a build that is killed in the middle leaves the index as it was, and can be made anew', async () => {
  await using world = searchWorld();
  world.write('invoice-bob.txt', 'x');
  await world.index();
  const before = await world.searching.indexes();
  const [folders, each] = isFull ? [100, 50] : [20, 20];
  for (let index = 0; index < folders * each; index++) {
    world.write(`more/${index % folders}/${index}.txt`, 'bob '.repeat(500));
  }
  const journal = world.outside('index', 'search.db-journal');

  const { base, reach } = world.request({});
  const work = { kind: 'build', file: world.outside('index', 'search.db') };
  const request = { base: { ...base, held: base.path }, reach, passOver: [] };
  // It is asked at every folder.
  const script = `
    import { statSync } from 'node:fs';
    import { indexWorks } from '${join(here, 'works.ts')}';
    let asked = 0;
    const isWriting = () => statSync('${journal}', { throwIfNoEntry: false })?.size > 0;
    const isOver = () => {
      if (++asked > ${folders / 2} && isWriting()) process.kill(process.pid, 'SIGKILL');
      return false;
    };
    indexWorks(${JSON.stringify({ ...work, request })}, { isOver, isCancelled: () => false });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  await once(child, 'exit');

  expect(child.signalCode).toBe('SIGKILL');
  expect((await world.searching.indexes())[0]?.files).toBe(before[0]?.files);
  expect((await world.index()).files).toBe(folders * each + 1);
});
