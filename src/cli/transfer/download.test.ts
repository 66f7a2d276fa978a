import { expect, test } from 'vitest';
import { ownName } from './download.ts';

const id = '01a1e30f7ca624ff8ca15942753e577f';

test.each([
  ['report.md', 'report.3e577f.md'],
  ['logs.tar.gz', 'logs.3e577f.tar.gz'],
  ['Makefile', 'Makefile.3e577f'],
  ['.hidden', '.hidden.3e577f'],
  ['a folder', 'a folder.3e577f'],
])('beside one that is there, %s is received as %s', (name, own) => {
  expect(ownName(name, id)).toBe(own);
});

test('a long name becomes no longer than a name can be', () => {
  const name = ownName(`${'\u{1F600}'.repeat(62)}abcd.txt`, id);

  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name.isWellFormed()).toBe(true);
  expect(name.endsWith('.3e577f.txt')).toBe(true);
});
