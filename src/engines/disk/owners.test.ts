import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRoot } from '../../../tests/support/machine.ts';
import { runAsOrdinary } from '../../../tests/support/ordinary.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realOwners } from './owners.ts';

const uid = 2_000_000_001;
const ours = process.getuid?.() ?? 0;

const ownerOf = (path: string | Buffer) => lstatSync(path).uid;

/** Owners of all that is in a folder. */
function ownersIn(folder: string): string[] {
  const args = [folder, '-mindepth', '1', '-printf', '%U:%G\\n'];
  return execFileSync('find', args, { encoding: 'utf8' }).trim().split('\n');
}

function full(folder: TemporaryFolder): string {
  mkdirSync(folder.at('work', 'a', 'b'), { recursive: true });
  writeFileSync(folder.at('work', 'a', 'file'), 'words');
  writeFileSync(folder.at('work', 'a', 'b', 'file'), 'words');
  return folder.at('work');
}

test('a folder that is theirs already stays as it is', async () => {
  await using folder = temporaryFolder();
  const work = full(folder);

  await realOwners.give(work, ours);

  expect(ownersIn(work).every((owner) => owner.startsWith(`${ours}:`))).toBe(true);
});

test('a symlink in the place of the folder is refused', async () => {
  await using folder = temporaryFolder();
  symlinkSync(full(folder), folder.at('link'));

  await expect(realOwners.give(folder.at('link'), uid)).rejects.toMatchObject({
    code: 'disk.not-a-folder',
  });

  expect(ownerOf(folder.at('work'))).toBe(ours);
});

test('a folder that is not there is told as such', async () => {
  await using folder = temporaryFolder();

  await expect(realOwners.give(folder.at('missing'), uid)).rejects.toMatchObject({
    code: 'disk.missing',
  });
});

test('who is not root cannot give anything, and is told so', async () => {
  await using folder = temporaryFolder();
  const work = full(folder);
  const script = `
    import { realOwners } from ${JSON.stringify(join(import.meta.dirname, 'owners.ts'))};
    const told = await realOwners.give(${JSON.stringify(work)}, ${uid}).catch(({ code }) => code);
    console.log(JSON.stringify(told));`;

  expect(runAsOrdinary(script)).toBe('disk.denied');

  expect(ownersIn(work)).not.toContain(`${uid}:${uid}`);
});

describe.skipIf(!isRoot)('as root', () => {
  test('all that is in a folder becomes theirs, and then the folder', async () => {
    await using folder = temporaryFolder();
    const work = full(folder);

    await realOwners.give(work, uid);

    expect(ownersIn(work)).toEqual(Array(4).fill(`${uid}:${uid}`));
    expect(ownerOf(work)).toBe(uid);
    expect(ownerOf(folder.path)).toBe(ours);
  });

  test('nothing is followed, and a file with a second name elsewhere stays whose it is', async () => {
    await using folder = temporaryFolder();
    const work = full(folder);
    mkdirSync(folder.at('outside'));
    writeFileSync(folder.at('outside', 'file'), 'words');
    symlinkSync(folder.at('outside'), folder.at('work', 'to-folder'));
    symlinkSync(folder.at('outside', 'file'), folder.at('work', 'to-file'));
    linkSync(folder.at('outside', 'file'), folder.at('work', 'linked'));

    await realOwners.give(work, uid);

    expect(ownerOf(folder.at('outside'))).toBe(ours);
    expect(ownerOf(folder.at('outside', 'file'))).toBe(ours);
    expect(ownerOf(folder.at('work', 'to-folder'))).toBe(uid);
    expect(ownerOf(folder.at('work', 'to-file'))).toBe(uid);
  });

  test('pipes and what is shut are given like the rest', async () => {
    await using folder = temporaryFolder();
    const work = full(folder);
    execFileSync('mkfifo', [folder.at('work', 'pipe')]);
    chmodSync(folder.at('work', 'a', 'b'), 0o000);

    await realOwners.give(work, uid);

    expect(ownersIn(work)).toEqual(Array(5).fill(`${uid}:${uid}`));
  });

  test('a name that is no text is a name like any other, and so is what is below it', async () => {
    await using folder = temporaryFolder();
    const strange = Buffer.concat([Buffer.from(folder.at('caf')), Buffer.from([0xe9, 0x0a])]);
    mkdirSync(strange);
    writeFileSync(Buffer.concat([strange, Buffer.from([0x2f, 0xff])]), 'words');

    await realOwners.give(folder.path, uid);

    expect(ownersIn(folder.path).filter(Boolean)).toEqual(Array(2).fill(`${uid}:${uid}`));
  });

  test('where it was cut off, it goes on the next time', async () => {
    await using folder = temporaryFolder();
    const work = full(folder);
    execFileSync('chown', ['-R', `${uid}:${uid}`, folder.at('work', 'a', 'b')]);

    await realOwners.give(work, uid);

    expect(ownersIn(work)).toEqual(Array(4).fill(`${uid}:${uid}`));
  });
});
