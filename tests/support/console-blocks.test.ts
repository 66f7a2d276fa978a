import { expect, test } from 'vitest';
import { consoleCommands, looksLike } from './console-blocks.ts';

test('consoleCommands() finds each command with what is shown below it', () => {
  const markdown = 'Words\n\n```console\n$ one\nA\nB\n$ two\n```\n\n```sh\n$ not this\n```\n';

  expect(consoleCommands(markdown)).toEqual([
    { command: 'one', shown: 'A\nB' },
    { command: 'two', shown: '' },
  ]);
});

test('looksLike() wants every word, but for the dots', () => {
  expect(looksLike('a\nb\n', 'a\nb')).toBe(true);
  expect(looksLike('a\nb\n', 'a')).toBe(false);
  expect(looksLike('a\nx\ny\nz\n', 'a\n…\nz')).toBe(true);
  expect(looksLike('a\nz\n', 'a\n…\nz')).toBe(true);
  expect(looksLike('home is /tmp/x now', 'home is … now')).toBe(true);
  expect(looksLike('home is /tmp\nx now', 'home is … now')).toBe(false);
  expect(looksLike('a.b', 'a+b')).toBe(false);
});
