import { expect, test } from 'vitest';
import { consoleBlocks, looksLike } from './console-blocks.ts';

test('consoleBlocks() finds each command of each block with what is shown below it', () => {
  const markdown =
    'Words\n\n```console\n$ one\nA\nB\n$ two\n```\n\n```sh\n$ not this\n```\n\n```console\n$ three\n```\n';

  expect(consoleBlocks(markdown)).toEqual([
    [
      { command: 'one', shown: 'A\nB' },
      { command: 'two', shown: '' },
    ],
    [{ command: 'three', shown: '' }],
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
