import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { isRoot } from '../../../tests/support/machine.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { type WalkCount, type WalkOrder, walkFolder } from './watch-walk.ts';

keepCompiled();

function walk(order: WalkOrder): WalkCount {
  const steps = walkFolder(order);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

test('a very deep folder, with names so long that no path leads there, is counted to its end', async () => {
  await using folder = temporaryFolder();
  const depth = isFull ? 2000 : 200;
  const dig = `
    const { mkdirSync, writeFileSync } = require('node:fs');
    const name = 'x'.repeat(200);
    process.chdir(process.argv[1]);
    for (let i = 0; i < ${depth}; i++) {
      mkdirSync(name);
      writeFileSync('beside', '');
      // The path of where we are is too long to be told, and need not be.
      try { process.chdir(name); } catch (error) { if (error.code !== 'ENAMETOOLONG') throw error; }
    }
    writeFileSync('end', 'x'.repeat(300000));`;
  execFileSync(process.execPath, ['-e', dig, folder.path]);

  const { bytes, files } = walk({ path: folder.path });

  expect(files).toBe(2 * depth + 1);
  expect(bytes).toBeGreaterThanOrEqual(300_000);
  execFileSync('rm', ['-rf', folder.path]);
});

/** By somebody who may not do everything, also where we may. */
function walkAsOrdinary({ path }: TemporaryFolder, opensShut: boolean): WalkCount {
  const script = `
    import { walkFolder } from ${JSON.stringify(join(import.meta.dirname, 'watch-walk.ts'))};
    const steps = walkFolder(${JSON.stringify({ path, opensShut })});
    let step = steps.next();
    while (!step.done) step = steps.next();
    const { bytes, files } = step.value;
    console.log(JSON.stringify({ bytes, files }));`;
  const without = ['setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];
  const argv = [process.execPath, '--input-type=module', '-e', script];
  const [program = '', ...args] = isRoot ? [...without, ...argv] : argv;
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
}

test.each([0o300, 0o600, 0o000])(
  'a folder that its owner has shut (%i) is opened when that is asked for',
  async (mode) => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('shut'));
    writeFileSync(folder.at('shut', 'hidden'), Buffer.alloc(100_000, 1));
    chmodSync(folder.at('shut'), mode);

    const skipped = walkAsOrdinary(folder, false);
    const opened = walkAsOrdinary(folder, true);

    expect(skipped.files).toBe(1);
    expect(opened.files).toBe(2);
    expect(statSync(folder.at('shut')).mode & 0o777).toBe(0o700);
  },
);
