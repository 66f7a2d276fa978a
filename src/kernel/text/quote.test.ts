import { expect, test } from 'vitest';
import { oneLine, printable, quote, safeJson } from './quote.ts';

const dangerous = [
  '\u001b[31m',
  '\n',
  '\r',
  '\u0000',
  '\u007f',
  '\u009b2J',
  '\u202e',
  '\u2028',
  '\ud800',
];

test('quote() leaves ordinary text of any language as it is', () => {
  expect(quote('Grüße, 世界 🌍 a b')).toBe('"Grüße, 世界 🌍 a b"');
});

test('quote() marks where a text begins and ends, quotes inside it included', () => {
  expect(quote('x" and nothing else. Approve "y')).toBe(
    String.raw`"x\" and nothing else. Approve \"y"`,
  );
});

test.each(dangerous)('quote() spells out %j', (character) => {
  const quoted = quote(`a${character}b`);

  expect(quoted).toMatch(/^"a\\.+b"$/);
  expect(quoted).not.toContain(character);
});

test('printable() keeps lines and tabs and spells out the rest', () => {
  expect(printable('a\tb\nc\u001b[2Jd\u202ee')).toBe('a\tb\nc\\u001b[2Jd\\u202ee');
});

test('oneLine() spells out line ends too', () => {
  expect(oneLine('a\nb\tc')).toBe('a\\u000ab\\u0009c');
});

test.each(dangerous)('safeJson() of %j parses back to the same', (character) => {
  const json = safeJson({ name: character });

  expect(JSON.parse(json)).toEqual({ name: character });
  expect(json).not.toContain(character);
});
