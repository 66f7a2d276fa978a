import { expect, test } from 'vitest';
import { parseFilePath, printFilePath } from './file-path.ts';

test.each([
  ['/', []],
  ['/a', ['a']],
  ['/home/u/data.txt', ['home', 'u', 'data.txt']],
  ['/a/-rf', ['a', '-rf']],
  ['/two\nlines/\u001b[2J', ['two\nlines', '\u001b[2J']],
  ['/\u202etxt.exe', ['\u202etxt.exe']],
  ['/ a /b ./...', [' a ', 'b .', '...']],
  ['/~/é', ['~', 'é']],
  [`/${'n'.repeat(255)}`, ['n'.repeat(255)]],
])('parseFilePath(%j) keeps its names as they are', (text, parts) => {
  expect(parseFilePath(text)).toEqual(parts);
  expect(printFilePath(parts)).toBe(text);
});

test.each([
  ['', 'does not begin with "/"'],
  ['a/b', 'does not begin with "/"'],
  ['~/x', 'does not begin with "/"'],
  ['../../etc/passwd', 'does not begin with "/"'],
  ['C:\\x', 'does not begin with "/"'],
  ['/a\0b', 'NUL'],
  ['/a/\ud800', 'half a character'],
  ['/\udc00\ud800', 'half a character'],
  ['//a', 'two slashes'],
  ['/a//b', 'two slashes'],
  ['/a/', 'two slashes'],
  ['/a/../b', 'a part ".."'],
  ['/..', 'a part ".."'],
  ['/a/./b', 'a part "."'],
  [`/${'n'.repeat(256)}`, 'more than 255 bytes'],
  [`/${'é'.repeat(128)}`, 'more than 255 bytes'],
  [`${'/abcdefg'.repeat(512)}/x`, 'more than 4096 bytes'],
])('parseFilePath(%j) is refused: it %s', (text, why) => {
  const attempt = () => parseFilePath(text);

  expect(attempt).toThrow(
    expect.objectContaining({
      code: 'file.bad-path',
      message: expect.stringContaining(why),
      fix: expect.any(String),
    }),
  );
});

test('a refusal quotes the path so that it cannot forge output, and not all of a long one', () => {
  const attempt = () => parseFilePath(`\n\u001b[31m${'x'.repeat(9000)}`);

  expect(attempt).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^The path "\\n\\u001b\[31mx{190,199}"…/),
    }),
  );
});
