import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandWith, shellWord } from './shell-word.ts';

test.each([
  ['a.txt', 'a.txt'],
  ['my file.txt', '"my file.txt"'],
  ['~/x', '"~/x"'],
  ['*.log', "'*.log'"],
  ["it's $HOME", `'it'\\''s $HOME'`],
  ['', "''"],
  ['a\nb\\', String.raw`$'a\012b\\'`],
])('%j is typed as %s', (text, typed) => {
  expect(shellWord(text)).toBe(typed);
});

test.each([
  '-rf',
  'a b',
  '`id`',
  '$(id)',
  'a"b',
  '!x',
  "'",
  'a\nb',
  '\\n',
  'x\u202ey',
  '\u{e0001}',
])('bash reads %j back', (text) => {
  const shell = ['--norc', '-c', `printf %s ${shellWord(text)}`];
  const environment = { LC_ALL: 'C.UTF-8' };

  expect(execFileSync('bash', shell, { encoding: 'utf8', env: environment })).toBe(text);
});

test('options are added before words that only look like some', () => {
  expect(commandWith(['files', 'delete', '--', '-rf'], ['--yes'])).toBe(
    'aos files delete --yes -- -rf',
  );
});

test('a command that is too long to be read is not repeated', () => {
  const typed = ['files', 'write', 'a.txt', 'x'.repeat(5000)];

  expect(commandWith(typed, ['--yes', '--plan', 'abc'])).toBe(
    'The same command with --yes --plan abc',
  );
});
