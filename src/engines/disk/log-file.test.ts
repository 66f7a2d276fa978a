import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { isInstalled } from '../../../tests/support/machine.ts';
import { runProgram } from '../../../tests/support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import type { LogFile } from '../../kernel/ports.ts';
import { openLogFile } from './log-file.ts';

const engine = join(import.meta.dirname, 'log-file.ts');

function open(folder: TemporaryFolder, limitBytes = 10, keep = 3): LogFile & Disposable {
  const deps = { clock: new SimulatedClock() };
  const file = openLogFile(deps, folder.at('daemon.log'), { limitBytes, keep });
  return {
    write: (lines) => file.write(lines),
    close: () => file.close(),
    [Symbol.dispose]: () => file.close(),
  };
}

function contents(folder: TemporaryFolder): Record<string, string> {
  const names = readdirSync(folder.path).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(folder.at(name), 'utf8')]));
}

test('lines are with the system at once, in a file of mode 600, after those of an earlier run', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('daemon.log'), 'one\n', { mode: 0o644 });

  using log = open(folder, 100);
  log.write('two\n');

  expect(contents(folder)).toEqual({ 'daemon.log': 'one\ntwo\n' });
  expect(statSync(folder.at('daemon.log')).mode & 0o777).toBe(0o600);
});

test('a full file moves on, and the oldest goes', async () => {
  await using folder = temporaryFolder();
  using log = open(folder);

  for (const line of ['line 1\n', 'line 2\n', 'line 3\n', 'line 4\n']) log.write(line);

  expect(contents(folder)).toEqual({
    'daemon.log': 'line 4\n',
    'daemon.log.1': 'line 3\n',
    'daemon.log.2': 'line 2\n',
  });
});

test('lines that fit stay together, and one longer than the limit gets a file of its own', async () => {
  await using folder = temporaryFolder();
  using log = open(folder);

  for (const line of ['a\n', 'b\n', 'a very long line\n', 'c\n']) log.write(line);

  expect(contents(folder)).toEqual({
    'daemon.log': 'c\n',
    'daemon.log.1': 'a very long line\n',
    'daemon.log.2': 'a\nb\n',
  });
});

test('only one file is kept where one was asked for', async () => {
  await using folder = temporaryFolder();
  using log = open(folder, 10, 1);

  for (const line of ['line 1\n', 'line 2\n']) log.write(line);

  expect(contents(folder)).toEqual({ 'daemon.log': 'line 2\n' });
});

test('a gap that a crash left in the row is filled, and nothing older is lost for it', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('daemon.log.2'), 'oldest\n');
  using log = open(folder);

  for (const line of ['line 1\n', 'line 2\n']) log.write(line);

  expect(contents(folder)).toEqual({
    'daemon.log': 'line 2\n',
    'daemon.log.1': 'line 1\n',
    'daemon.log.2': 'oldest\n',
  });
});

test('where files cannot be moved on, lines are added to the one that is open', async () => {
  await using folder = temporaryFolder();
  // A folder gives its name to no file.
  mkdirSync(folder.at('daemon.log.1'));
  using log = open(folder, 10, 2);

  for (const line of ['line 1\n', 'line 2\n', 'line 3\n']) log.write(line);

  expect(readFileSync(folder.at('daemon.log'), 'utf8')).toBe('line 1\nline 2\nline 3\n');
});

test('a file that somebody removed is made anew at the next turn', async () => {
  await using folder = temporaryFolder();
  using log = open(folder);
  log.write('line 1\n');
  rmSync(folder.at('daemon.log'));

  log.write('line 2\n');

  expect(contents(folder)).toEqual({ 'daemon.log': 'line 2\n' });
});

test.skipIf(!isInstalled('prlimit'))(
  'lines that the system refuses are counted, and told of when it takes some again',
  async () => {
    await using folder = temporaryFolder();
    // The system lets no file grow beyond 25 bytes, until the program lifts that.
    const program = `
      import { execFileSync } from 'node:child_process';
      import { openLogFile } from ${JSON.stringify(engine)};
      const path = ${JSON.stringify(folder.at('daemon.log'))};
      const log = openLogFile({ clock: { now: () => 0 } }, path, { limitBytes: 1000, keep: 3 });
      for (let number = 1; number <= 5; number++) log.write('a line of 20 bytes ' + number + '\\n');
      execFileSync('prlimit', ['--fsize=unlimited', '--pid', String(process.pid)]);
      log.write('at last\\n');
      log.close();`;

    const run = await runProgram('prlimit', [
      ...['--fsize=25:unlimited', process.execPath, '--input-type=module', '-e', program],
    ]);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    const lines = readFileSync(folder.at('daemon.log'), 'utf8').split('\n');
    expect(lines).toEqual([
      'a line of 20 bytes 1',
      // What the system took of the second.
      'a li',
      '{"level":"warn","time":"1970-01-01T00:00:00.000Z","lost_lines":4,"msg":"4 lines were lost"}',
      'at last',
      '',
    ]);
  },
);

test('a symlink, a FIFO, a folder and a missing folder are refused in words when it is opened', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('daemon.log');

  symlinkSync(folder.at('elsewhere'), path);
  expect(() => open(folder)).toThrow('is not an ordinary file');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  expect(() => open(folder)).toThrow('is not an ordinary file');
  rmSync(path);
  mkdirSync(path);
  expect(() => open(folder)).toThrow('is not an ordinary file');
  rmSync(path, { recursive: true });
  const elsewhere = folder.at('none', 'daemon.log');
  expect(() =>
    openLogFile({ clock: new SimulatedClock() }, elsewhere, { limitBytes: 1, keep: 1 }),
  ).toThrow('does not exist');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a symlink that takes the place of the next file is not followed', async () => {
  await using folder = temporaryFolder();
  using log = open(folder);
  log.write('line 1\n');
  rmSync(folder.at('daemon.log'));
  symlinkSync(folder.at('elsewhere'), folder.at('daemon.log'));

  log.write('line 2\n');

  expect(readdirSync(folder.path).sort()).toEqual(['daemon.log', 'daemon.log.1']);
  expect(readFileSync(folder.at('daemon.log'), 'utf8')).toBe('line 2\n');
});

test('what is written after the end goes nowhere, and closing may be repeated', async () => {
  await using folder = temporaryFolder();
  const log = open(folder);
  log.close();

  log.write('late\n');
  log.close();

  expect(contents(folder)).toEqual({ 'daemon.log': '' });
});
