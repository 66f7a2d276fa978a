import { expect, test } from 'vitest';
import { checkArtifactName } from './folder.ts';

const longest = 255 - '.enc'.length;

test.each([
  'report.md',
  'data/rows.csv',
  'a/b/c/d/e/f/g/h',
  'ä ö ü.txt',
  '-rf',
  'name with "quotes" & %2F',
  '.hidden',
  'x.enc',
  'enc/x',
  'x'.repeat(longest),
  `${'x'.repeat(100)}/${'y'.repeat(longest - 101)}`,
])('%j is a name', (name) => {
  expect(() => checkArtifactName(name)).not.toThrow();
});

test.each([
  ['nothing', ''],
  ['a way up', '../secret'],
  ['a way up in the middle', 'a/../../b'],
  ['the folder itself', '.'],
  ['a folder of the same', 'a/./b'],
  ['a path from the root', '/etc/passwd'],
  ['a slash at the end', 'a/'],
  ['two slashes', 'a//b'],
  ['a NUL', 'a\0b'],
  ['a line end', 'a\nb'],
  ['half a character', 'a\ud800'],
  ['a name of ours', '.aos-x'],
  ['a name of ours in a folder', 'a/.aos-x'],
  ['a folder that is called as the bytes of another are', 'x.enc/y'],
  ['the same in large letters', 'a/x.ENC/y'],
  ['nine parts', 'a/b/c/d/e/f/g/h/i'],
  ['a byte too much', 'x'.repeat(longest + 1)],
  ['a byte too much in all parts', `${'x'.repeat(100)}/${'y'.repeat(longest - 100)}`],
])('%s is refused', (_what, name) => {
  expect(() => checkArtifactName(name)).toThrow(
    expect.objectContaining({ code: 'artifact.bad-name' }),
  );
});

test('a name that is refused is not shown at any length', () => {
  const name = 'x'.repeat(100_000);

  expect(() => checkArtifactName(name)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{0,200}$/) }),
  );
});
