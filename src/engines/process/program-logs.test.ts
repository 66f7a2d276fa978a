import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openProgramLogs } from './program-logs.ts';

const logs = openProgramLogs({ limitBytes: 100, keep: 3 });

test('a log that is within its size stays as it is', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'x'.repeat(100));

  expect(await logs.rotate(folder.at('a.log'))).toBe(false);
  expect(await logs.rotate(folder.at('not-there.log'))).toBe(false);
  expect(readdirSync(folder.path)).toEqual(['a.log']);
});

test('a log that has grown moves on, and who holds it open goes on in the same file', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('a.log');
  const program = openSync(path, 'a');
  for (const letter of ['a', 'b', 'c', 'd']) {
    writeSync(program, `${letter.repeat(101)}\n`);

    expect(await logs.rotate(path)).toBe(true);
  }
  writeSync(program, 'end\n');
  closeSync(program);

  expect(readFileSync(path, 'utf8')).toBe('end\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe(`${'d'.repeat(99)}\n`);
  expect(readFileSync(`${path}.2`, 'utf8')).toBe(`${'c'.repeat(99)}\n`);
  expect(existsSync(`${path}.3`)).toBe(false);
  expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toHaveLength(3);
});

test('what is written while a log is copied is in one of the files', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('a.log');
  writeFileSync(path, 'x'.repeat(101));

  const rotated = logs.rotate(path);
  appendFileSync(path, 'meanwhile');
  await rotated;

  expect(readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')).toContain('meanwhile');
});

test('a symlink in the place of a log is not followed', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('other'), 'y'.repeat(500));
  symlinkSync(folder.at('other'), folder.at('a.log'));

  await expect(logs.rotate(folder.at('a.log'))).rejects.toThrow();

  expect(statSync(folder.at('other')).size).toBe(500);
});

test('tail() gives the end of what one start has written', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('a.log');
  writeFileSync(path, 'earlier\nlater 1\nlater 2\n');

  expect(logs.tail(path, { from: 8, mostBytes: 1000 })).toBe('later 1\nlater 2\n');
  expect(logs.tail(path, { from: 8, mostBytes: 8 })).toBe('later 2\n');
  expect(logs.tail(path, { from: 24, mostBytes: 8 })).toBe('');
  // It was cut since, so that all of it is later.
  expect(logs.tail(path, { from: 500, mostBytes: 8 })).toBe('later 2\n');
  expect(logs.tail(folder.at('not-there'), { from: 0, mostBytes: 8 })).toBe('');
});

test('tail() does not begin in the middle of a character', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('a.log'), 'é😀x');

  expect(logs.tail(folder.at('a.log'), { from: 0, mostBytes: 4 })).toBe('x');
});

test('forget() removes the exit status, also when there is none', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('1.exit'), '0\n');

  logs.forget({ id: '1', statusFolder: folder.path });
  logs.forget({ id: '1', statusFolder: folder.path });

  expect(readdirSync(folder.path)).toEqual([]);
});
