import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled } from '../support/machine.ts';
import { runProgram } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// What no call can tell from inside: whether the bytes were really sent to the disk, and
// what happens when the system takes only a part of them.
const script = join(import.meta.dirname, '..', 'support', 'write-durably.ts');

test.skipIf(!isInstalled('strace'))(
  'sync() and syncFolder() reach the system, the file before its name',
  async () => {
    await using folder = temporaryFolder();

    const { stderr, code } = await runProgram('strace', [
      ...['-f', '-qq', '-y', '-e', 'trace=fsync,rename,renameat,renameat2'],
      ...[process.execPath, script, folder.at('file'), '10'],
    ]);

    expect(code).toBe(0);
    const calls = [...stderr.matchAll(/\b(fsync|rename)\w*\((?:\d+<([^>]*)>)?/g)].map(
      ([, call, path]) => `${call} ${path ?? ''}`.trim(),
    );
    expect(calls).toEqual([
      expect.stringMatching(/^fsync .*\/\.file\.\w+\.pending$/),
      'rename',
      `fsync ${folder.path}`,
    ]);
  },
);

test.skipIf(!isInstalled('prlimit'))(
  'a write that the system cuts short is not taken for whole',
  async () => {
    await using folder = temporaryFolder();

    const { stdout } = await runProgram('prlimit', [
      ...['--fsize=1000', process.execPath, script, folder.at('file'), '1500'],
    ]);

    expect(stdout).toBe('disk.failed\n');
  },
);
