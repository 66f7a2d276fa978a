import { expect, test } from 'vitest';
import { useLiteText } from './use-lite.ts';

test('an ordinary text stays as it is', () => {
  expect(useLiteText('Jean: where is O’Neill’s Zürich book?')).toBe(
    'Jean: where is O’Neill’s Zürich book?',
  );
});

test('ends of lines are spaces', () => {
  expect(useLiteText(' a\r\n\tb\u2028c ')).toBe('a b c');
});

test.each(['', ' \n', '\u3000'])('%j is not sent as nothing', (text) => {
  expect(useLiteText(text)).toBe('-');
});

test.each([
  ['long', 'ab '.repeat(400_000)],
  ['long when it is written out', 'ﷺ'.repeat(10_000)],
])('a text that is %s is cut', (_what, text) => {
  expect(useLiteText(text).length).toBeLessThanOrEqual(1000);
});

test('half of a character is none', () => {
  expect(useLiteText('a\ud83d').isWellFormed()).toBe(true);
});
