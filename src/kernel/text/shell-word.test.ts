import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellQuoted, shellWord } from './quote.ts';

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
  const environment = { LC_ALL: 'C.UTF-8' };

  for (const word of [shellWord(text), shellQuoted(text)]) {
    const shell = ['--norc', '-c', `printf %s ${word}`];
    expect(execFileSync('bash', shell, { encoding: 'utf8', env: environment })).toBe(text);
  }
});
