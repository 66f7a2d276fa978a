import { expect, test } from 'vitest';
import { diskError } from '../kernel/disk/errors.ts';
import { type AosError, type ErrorCode, errorCodes } from '../kernel/errors.ts';
import { toFilesError, wireCode } from './refusals.ts';

const ours = Object.keys(errorCodes).filter((code) => code.startsWith('files.')) as ErrorCode[];

test('every code has one on the interface, and no two have the same', () => {
  const wire = ours.map(wireCode);

  expect(new Set(wire).size).toBe(ours.length);
  expect(wire.every((code) => /^[A-Z]+(?:_[A-Z]+)*$/.test(code))).toBe(true);
});

test.each([
  ['ENOENT', 'NOT_FOUND', "I couldn't find a file at that path"],
  ['EACCES', 'PERMISSION_DENIED', "I don't have permission to access that file"],
  ['ENOSPC', 'NO_SPACE', "There isn't enough disk space to complete this"],
])('%s is said in the words of the seed', (osCode, code, sentence) => {
  // Made from an error of ours, it is one.
  const error = toFilesError(diskError(osCode, '/home/a/secret')) as AosError;

  expect([wireCode(error.code), error.message]).toEqual([code, sentence]);
  expect(JSON.stringify([error.message, error.fix])).not.toContain('secret');
});

test.each([
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
  'EROFS',
  'ENOTEMPTY',
  'EMFILE',
  'EINVAL',
  'EIO',
  'EXDEV',
])('%s is told without what the system calls it', (osCode) => {
  const error = toFilesError(diskError(osCode, '/x')) as AosError;

  expect(error.code).toMatch(/^files\./);
  expect(error.message).not.toContain(osCode);
});
