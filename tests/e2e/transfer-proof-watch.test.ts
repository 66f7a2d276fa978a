/** `agent-transfer watch`: what it takes, what it leaves, and what it runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startDaemon } from '../support/running-daemon.ts';
import {
  libraryOf,
  type ServedHome,
  servedHome,
  sharedServedHome,
  someBytes,
} from '../support/transfer-ends.ts';
import { until } from '../support/until.ts';

interface Watching extends AsyncDisposable {
  readonly ended: Promise<number | null>;
  out(): string;
  err(): string;
}

function watch(home: ServedHome, args: readonly string[]): Watching {
  const program = home.folder.at('bin', 'agent-transfer');
  const env = { ...home.environmentOf('jared'), AOS_TEST_MARK: process.env['AOS_TEST_MARK'] ?? '' };
  const child = spawn(program, ['watch', ...args], {
    cwd: home.folder.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return {
    ended,
    out: () => stdout,
    err: () => stderr,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const sharedHome = sharedServedHome();

test('what fits is received, and what does not is left', async () => {
  const home = await sharedHome();
  await using watching = watch(home, [
    '--dest',
    'in',
    '--from',
    home.names.samantha,
    '--match',
    '*.csv',
    '--max-size',
    '2k',
  ]);
  const [samantha, jean] = [libraryOf(home, 'samantha'), libraryOf(home, 'jean')];

  await samantha.sendBuffer(someBytes(5000), 'large.csv', { to: home.names.jared });
  await samantha.sendBuffer(someBytes(10), 'notes.md', { to: home.names.jared });
  await jean.sendBuffer(someBytes(10), 'jean.csv', { to: home.names.jared });
  await samantha.sendBuffer(Buffer.from('1,2'), 'small.csv', { to: home.names.jared });

  await until(() => expect(watching.out()).toContain('small.csv'));
  await until(() => expect(watching.err()).toContain('large.csv'));
  expect(readdirSync(home.folder.at('in')).sort()).toEqual(['small.csv']);
  const left = await libraryOf(home, 'jared').listPending();
  expect(left.map(({ filename }) => filename)).toEqual(['large.csv', 'notes.md', 'jean.csv']);
});

test('a program gets the path as one word, whatever it looks like', async () => {
  const home = await sharedHome();
  writeFileSync(
    home.folder.at('note.sh'),
    '#!/bin/sh\nprintf "%s\\n" "$#" "$@" "$TRANSFER_SENDER" >> ran\n',
    { mode: 0o755 },
  );
  const names = [
    '$(touch evil);',
    '`touch evil`',
    '; touch evil',
    '-rf',
    "it's & | > evil",
    '%s%n',
  ];
  for (const name of names) {
    await libraryOf(home, 'samantha').sendBuffer(Buffer.from(name), name, { to: home.names.jared });
  }

  await using watching = watch(home, [
    '--dest',
    'in',
    '--once',
    '--exec',
    './note.sh',
    '--',
    '--quiet',
  ]);

  expect(await watching.ended, watching.err()).toBe(0);
  const ran = readFileSync(home.folder.at('ran'), 'utf8').split('\n');
  expect(ran.slice(0, 4)).toEqual([
    '2',
    '--quiet',
    home.folder.at('in', names[0] ?? ''),
    home.names.samantha,
  ]);
  for (const name of names) expect(ran).toContain(home.folder.at('in', name));
  expect(existsSync(home.folder.at('evil'))).toBe(false);
  expect(readdirSync(home.folder.at('in')).sort()).toEqual([...names].sort());
});

test('a program that fails or is not there is told, and the file stays', async () => {
  const home = await sharedHome();
  await libraryOf(home, 'samantha').sendBuffer(Buffer.from('x'), 'x.txt', { to: home.names.jared });

  await using watching = watch(home, ['--dest', 'in', '--once', '--exec', './nothing-there']);

  expect(await watching.ended).toBe(0);
  expect(watching.err()).toContain('./nothing-there could not be run');
  expect(readFileSync(home.folder.at('in', 'x.txt'), 'utf8')).toBe('x');
});

test('a daemon that is started anew is watched on', async () => {
  await using home = await servedHome();
  await using watching = watch(home, ['--dest', 'in']);
  await libraryOf(home, 'samantha').sendBuffer(Buffer.from('1'), 'before.txt', { to: 'jared' });
  await until(() => expect(watching.out()).toContain('before.txt'));

  await home.daemon.stop();
  await using daemon = await startDaemon(home.home);
  await libraryOf({ ...home, daemon }, 'samantha').sendBuffer(Buffer.from('2'), 'after.txt', {
    to: 'jared',
  });

  await until(() => expect(watching.out()).toContain('after.txt'));
  expect(readdirSync(home.folder.at('in')).sort()).toEqual(['after.txt', 'before.txt']);
});
