import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRoot } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { realOwners } from './owners.ts';

const uid = 2_000_000_001;

const [depth, down] = isFull ? [3000, 'x'] : [300, 'x'.repeat(20)];

const openFiles = () => readdirSync('/proc/self/fd').length;

/** Two folders in each, `y` and the one that it goes on in. No path leads to the last of them. */
function dig(folder: string): void {
  const script = `
    process.chdir(process.argv[1]);
    for (let i = 0; i < ${depth}; i++) {
      for (const name of ['${down}', 'y']) require('node:fs').mkdirSync(name);
      // The path of where we are is too long to be told, and need not be.
      try { process.chdir('${down}'); } catch (error) { if (error.code !== 'ENAMETOOLONG') throw error; }
    }`;
  execFileSync(process.execPath, ['-e', script, folder]);
}

test.skipIf(!isRoot)(
  'very many folders one below the other are given, and none stays open',
  async () => {
    await using folder = temporaryFolder();
    dig(folder.path);
    const openBefore = openFiles();

    await realOwners.give(folder.path, uid);

    const found = execFileSync('find', [folder.path, '-printf', '%U:%G\\n'], { encoding: 'utf8' });
    const owners = found.trim().split('\n');
    expect(owners).toHaveLength(2 * depth + 1);
    expect(new Set(owners)).toEqual(new Set([`${uid}:${uid}`]));
    expect(openFiles()).toBe(openBefore);
    execFileSync('rm', ['-rf', folder.path]);
  },
);
