import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realTreeDisk } from '../../engines/disk/tree-disk.ts';
import { parseFolderList, parseListHead } from '../../kernel/files/folder-list.ts';
import { openSource } from './disk-source.ts';
import type { ByteSource } from './options.ts';
import { FolderTarget } from './targets.ts';

const deps = { disk: realDisk, tree: realTreeDisk };

function makeTree(root: string): void {
  mkdirSync(join(root, 'a', 'deep', 'er'), { recursive: true });
  mkdirSync(join(root, 'empty'));
  writeFileSync(join(root, 'a', 'one.txt'), 'one');
  writeFileSync(join(root, 'a', 'deep', 'two.bin'), Buffer.alloc(100_000, 7));
  writeFileSync(join(root, 'a', 'deep', 'er', 'nothing'), '');
  writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o755);
  chmodSync(join(root, 'empty'), 0o750);
  symlinkSync('../one.txt', join(root, 'a', 'deep', 'link'));
  utimesSync(join(root, 'a', 'one.txt'), 1_500_000_000, 1_500_000_000);
  utimesSync(join(root, 'a'), 1_400_000_000, 1_400_000_000);
}

async function bytesOf(source: ByteSource): Promise<Buffer> {
  const bytes = Buffer.alloc(source.sizeBytes);
  // In steps that fit nothing.
  for (let offset = 0; offset < bytes.length; ) {
    const step = bytes.subarray(offset, offset + 777);
    offset += await source.read(offset, step);
  }
  return bytes;
}

async function unpack(bytes: Buffer, root: string): Promise<void> {
  const head = parseListHead(bytes);
  const listBytes = head.headBytes + head.listBytes;
  const entries = parseFolderList(head, bytes.subarray(head.headBytes, listBytes));
  await using target = await FolderTarget.open(deps, root, {
    entries,
    list: bytes.subarray(0, listBytes),
  });
  for (let at = target.position; at < bytes.length; at += 1000) {
    await target.write(bytes.subarray(at, Math.min(at + 1000, bytes.length)));
  }
  await target.end();
}

test('a folder arrives with its files, modes, times and links', async () => {
  await using place = temporaryFolder();
  makeTree(place.at('src'));
  await using source = await openSource(realDisk, place.at('src'));

  await unpack(await bytesOf(source), place.at('dst'));

  expect(source).toMatchObject({ kind: 'folder', filename: 'src', entries: 9 });
  const at = (...names: string[]) => place.at('dst', ...names);
  expect(readFileSync(at('a', 'one.txt'), 'utf8')).toBe('one');
  expect(readFileSync(at('a', 'deep', 'two.bin')).equals(Buffer.alloc(100_000, 7))).toBe(true);
  expect(statSync(at('a', 'deep', 'er', 'nothing')).size).toBe(0);
  expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
  expect(statSync(at('empty')).mode & 0o777).toBe(0o750);
  expect(readlinkSync(at('a', 'deep', 'link'))).toBe('../one.txt');
  expect(statSync(at('a', 'one.txt')).mtimeMs).toBe(1_500_000_000_000);
  expect(statSync(at('a')).mtimeMs).toBe(1_400_000_000_000);
});

test('what was cut off goes on in the file where it was', async () => {
  await using place = temporaryFolder();
  makeTree(place.at('src'));
  await using source = await openSource(realDisk, place.at('src'));
  const bytes = await bytesOf(source);
  await unpack(bytes, place.at('dst'));
  // As if the process had died in the middle of the second file.
  const [second, third] = [place.at('dst', 'a', 'one.txt'), place.at('dst', 'run.sh')];
  truncateSync(second, 1);
  rmSync(third);

  await unpack(bytes, place.at('dst'));

  expect(readFileSync(second, 'utf8')).toBe('one');
  expect(readFileSync(third, 'utf8')).toBe('#!/bin/sh\n');
});

test('an empty folder is a folder', async () => {
  await using place = temporaryFolder();
  mkdirSync(place.at('src'));
  await using source = await openSource(realDisk, place.at('src'));

  await unpack(await bytesOf(source), place.at('dst'));

  expect(lstatSync(place.at('dst')).isDirectory()).toBe(true);
});

test('a symlink that leads out is refused, or left out where somebody says so', async () => {
  await using place = temporaryFolder();
  mkdirSync(place.at('src'));
  symlinkSync('/etc/passwd', place.at('src', 'out'));

  await expect(openSource(realDisk, place.at('src'))).rejects.toMatchObject({
    code: 'transfer.bad-source',
    fix: expect.stringContaining('--links skip'),
  });
  await using source = await openSource(realDisk, place.at('src'), { links: 'skip' });
  await unpack(await bytesOf(source), place.at('dst'));

  expect(existsSync(place.at('dst', 'out'))).toBe(false);
});

test.each([
  ['a symlink', 'link', {}, 'transfer.bad-source'],
  ['nothing', 'nothing', {}, 'disk.missing'],
  ['a name that leads away', 'file', { name: '../x' }, 'transfer.bad-name'],
])('as a source %s is refused in words', async (_what, name, options, code) => {
  await using place = temporaryFolder();
  writeFileSync(place.at('file'), 'x');
  symlinkSync('file', place.at('link'));

  const attempt = openSource(realDisk, place.at(name), options);

  await expect(attempt).rejects.toMatchObject({ code });
});
