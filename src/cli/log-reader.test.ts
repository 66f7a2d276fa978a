import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realDisk } from '../app/engines/disk.ts';
import { LogReader } from './log-reader.ts';

test('tail() gives the last lines, also one without an end', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\ntwo\r\nthree');

  const lines = await new LogReader(realDisk, folder.at('a.log')).tail(2);

  expect(lines).toEqual(['two', 'three']);
});

test('tail() of a file that is not there is nothing, and more() finds it once it is', async () => {
  await using folder = temporaryFolder();
  const reader = new LogReader(realDisk, folder.at('a.log'));

  const before = [await reader.tail(10), await reader.more()];
  writeFileSync(folder.at('a.log'), 'one\n');

  expect(before).toEqual([[], []]);
  expect(await reader.more()).toEqual(['one']);
});

test('tail() looks at the end only of a file without line ends', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'x'.repeat(6 * 1024 * 1024));

  const [line] = await new LogReader(realDisk, folder.at('a.log')).tail(10);

  expect(line).toHaveLength(4 * 1024 * 1024);
});

test('more() gives what was added, whole lines at a time', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'one\n');
  const reader = new LogReader(realDisk, folder.at('a.log'));
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
  const reader = new LogReader(realDisk, folder.at('a.log'));
  await reader.tail(10);

  change(folder.at('a.log'));

  expect(await reader.more()).toEqual(['new']);
});
