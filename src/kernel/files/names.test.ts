import { expect, test } from 'vitest';
import { checkFileName } from './names.ts';

test.each([
  'research.pdf',
  'Mein Bericht (2).md',
  '-rf',
  '.hidden',
  'ä'.repeat(127),
  'a'.repeat(255),
  'trailing.',
  '報告.txt',
])('%s may be sent', (name) => {
  expect(() => checkFileName(name)).not.toThrow();
});

test.each([
  ['nothing', '', 'at least one character'],
  ['.', '.', 'a folder'],
  ['..', '..', 'a folder'],
  ['a way up', '../x', 'no "/"'],
  ['an absolute path', '/etc/passwd', 'no "/"'],
  ['a NUL', 'a\0b', 'NUL'],
  ['a newline', 'a\nb', 'line end'],
  ['an escape', 'a\u001b[2J', 'control character'],
  ['a line separator', 'a\u2028b', 'line end'],
  ['half a character', 'a\ud800', 'half of a character'],
  ['300 characters', 'a'.repeat(300), 'at most 255 bytes'],
  ['256 bytes of two-byte letters', 'ä'.repeat(128), 'at most 255 bytes'],
  ['one of our own', '.aos-part', 'are taken'],
])('%s is refused in words', (_what, name, words) => {
  expect(() => checkFileName(name)).toThrow(
    expect.objectContaining({
      code: 'transfer.bad-name',
      message: expect.stringContaining(words),
    }),
  );
});
