import {
  appendFileSync,
  chmodSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { LogFileReader } from './logs.ts';

test('tail() gives the last lines, also one without an end', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\ntwo\r\nthree');

  const lines = await new LogFileReader(realDisk, folder.at('a.log')).tail(2);

  expect(lines).toEqual(['two', 'three']);
});

test('tail() of a file that is not there is nothing, and more() finds it once it is', async () => {
  await using folder = temporaryFolder();
  const reader = new LogFileReader(realDisk, folder.at('a.log'));

  const before = [await reader.tail(10), await reader.more()];
  writeFileSync(folder.at('a.log'), 'one\n');

  expect(before).toEqual([[], []]);
  expect(await reader.more()).toEqual(['one']);
});

test('tail() looks at the end only of a file without line ends', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'x'.repeat(6 * 1024 * 1024));

  const [line] = await new LogFileReader(realDisk, folder.at('a.log')).tail(10);

  expect(line).toHaveLength(4 * 1024 * 1024);
});

test('more() gives what was added, whole lines at a time', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\n');
  const reader = new LogFileReader(realDisk, folder.at('a.log'));
  await reader.tail(0);

  appendFileSync(folder.at('a.log'), 'tw');
  const half = await reader.more();
  appendFileSync(folder.at('a.log'), 'o\nthree\n');

  expect(half).toEqual([]);
  expect(await reader.more()).toEqual(['two', 'three']);
});

test.each([
  [
    'cut',
    (path: string) => {
      truncateSync(path);
      appendFileSync(path, 'new\n');
    },
  ],
  [
    'replaced',
    (path: string) => {
      renameSync(path, `${path}.1`);
      writeFileSync(path, 'new\n');
    },
  ],
])('more() begins anew with a file that was %s', async (_how, change) => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'old and longer\n');
  const reader = new LogFileReader(realDisk, folder.at('a.log'));
  await reader.tail(10);

  change(folder.at('a.log'));

  expect(await reader.more()).toEqual(['new']);
});

/** As the disk is for somebody who may not do everything. */
const ordinaryDisk = {
  ...realDisk,
  read: async (path: string) => {
    if ((statSync(path).mode & 0o400) === 0) throw diskError('EACCES', path);
    return realDisk.read(path);
  },
};

test('a log that its program has shut is read all the same, then and later', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\n');
  const reader = new LogFileReader(ordinaryDisk, folder.at('a.log'));

  chmodSync(folder.at('a.log'), 0o000);
  const before = await reader.tail(10);
  appendFileSync(folder.at('a.log'), 'two\n');
  chmodSync(folder.at('a.log'), 0o000);

  expect(before).toEqual(['one']);
  expect(await reader.more()).toEqual(['two']);
  expect(statSync(folder.at('a.log')).mode & 0o777).toBe(0o600);
});

test('a log of somebody else stays shut, and is told as such', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\n', { mode: 0o000 });
  const denied = async (path: string) => Promise.reject(diskError('EPERM', path));
  const reader = new LogFileReader({ ...ordinaryDisk, makePrivate: denied }, folder.at('a.log'));

  await expect(reader.tail(10)).rejects.toMatchObject({ code: 'disk.denied' });
});
