import { expect, test } from 'vitest';
import { mimeTypeOf } from './names.ts';

test.each([
  ['research.pdf', 'application/pdf'],
  ['logs.tar.gz', 'application/gzip'],
  ['REPORT.MD', 'text/markdown'],
  ['Makefile', undefined],
  ['.gitignore', undefined],
  ['x.constructor', undefined],
  ['', undefined],
])('%s is %s', (name, type) => {
  expect(mimeTypeOf(name)).toBe(type);
});
