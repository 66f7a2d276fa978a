import { expect, test } from 'vitest';
import {
  type FolderEntry,
  folderLimits,
  parseFolderList,
  parseListHead,
  printFolderList,
  staysInside,
} from './folder-list.ts';

const entries: readonly FolderEntry[] = [
  { kind: 'folder', path: 'a', mode: 0o750, modifiedAt: 1000 },
  { kind: 'file', path: 'a/b.txt', sizeBytes: 3, mode: 0o640, modifiedAt: 2000 },
  { kind: 'link', path: 'a/c', target: '../d' },
  { kind: 'file', path: 'd', sizeBytes: 0, mode: 0o600, modifiedAt: 3000 },
];

function parse(bytes: Uint8Array, options = {}): FolderEntry[] {
  const head = parseListHead(bytes);
  const list = bytes.subarray(head.headBytes, head.headBytes + head.listBytes);
  return parseFolderList(head, list, options);
}

/** A list as somebody could write it who does not use printFolderList(). */
function listOf(...lines: readonly unknown[]): Uint8Array {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  const body = Buffer.from(text.join(''));
  return Buffer.concat([Buffer.from(`AOSF1 ${lines.length} ${body.length}\n`), body]);
}

const file = (path: unknown) => ({ path, size: 1, mode: 0o600, mtime_ms: 0 });
const folder = (path: string) => ({ path, folder: true, mode: 0o700, mtime_ms: 0 });

test('a list comes back as it was', () => {
  expect(parse(printFolderList(entries))).toEqual(entries);
  expect(parse(printFolderList([]))).toEqual([]);
});

test.each([
  ['a way up', [file('../x')]],
  ['a way up in the middle', [folder('a'), file('a/../../x')]],
  ['an absolute path', [file('/etc/passwd')]],
  ['an empty part', [folder('a'), file('a//b')]],
  ['a dot', [file('./x')]],
  ['a NUL', [file('a\0b')]],
  ['a newline', [file('a\nb')]],
  ['300 characters', [file('x'.repeat(300))]],
  ['a path of 5000 bytes', [file(Array(50).fill('x'.repeat(100)).join('/'))]],
  ['a name of ours', [file('.aos-x')]],
  ['a path that is no text', [file(5)]],
  ['a path twice', [file('a'), file('a')]],
  ['something below a file', [file('a'), file('a/b')]],
  ['something below a link', [{ path: 'a', link: 'b' }, file('a/x')]],
  ['something below nothing', [file('a/b')]],
  ['a link out', [{ path: 'a', link: '../x' }]],
  ['an absolute link', [{ path: 'a', link: '/etc' }]],
  [
    'a link over another',
    [folder('a'), { path: 'a/up', link: '..' }, { path: 'x', link: 'a/up/..' }],
  ],
  ['a negative size', [{ ...file('a'), size: -1 }]],
  ['a size beyond numbers', [{ ...file('a'), size: 1e300 }]],
  ['no mode', [{ path: 'a', size: 1 }]],
  ['no JSON', ['{']],
  ['a number', [5]],
  ['an array', [[]]],
  ['names that differ in case', [file('README'), file('readme')]],
])('a folder with %s is refused in words', (_what, lines) => {
  expect(() => parse(listOf(...lines))).toThrow(
    expect.objectContaining({ code: 'transfer.bad-folder', message: expect.any(String) }),
  );
});

test('names that differ in case are taken where somebody says so', () => {
  expect(parse(listOf(file('README'), file('readme')), { allowCaseClash: true })).toHaveLength(2);
});

test('a list of a million entries is refused by its first line, before it is read', () => {
  expect(() => parseListHead(Buffer.from('AOSF1 1000000 50000000\n'))).toThrow(
    `it has 1000000 entries, and at most ${folderLimits.entries} are taken`,
  );
  expect(() => parseListHead(Buffer.from('AOSF1 5 999999999\n'))).toThrow('too long');
});

test.each(['', 'AOSF1', 'AOSF2 1 1\n', 'AOSF1 -1 1\n', 'AOSF1 1e3 1\n', 'x'.repeat(100)])(
  'a beginning like %j is no list',
  (text) => {
    expect(() => parseListHead(Buffer.from(text))).toThrow('does not begin with a list');
  },
);

test('a list that is cut off or has other lines than it says is refused', () => {
  const whole = printFolderList(entries);
  const head = parseListHead(whole);
  const list = whole.subarray(head.headBytes);

  expect(() => parseFolderList(head, list.subarray(0, -1))).toThrow('cut off');
  expect(() => parseFolderList({ ...head, entries: 3 }, list)).toThrow('cut off');
  expect(() => parseFolderList(head, Buffer.from([0xff, 10]))).toThrow('no text');
});

test('modes lose what lets others become somebody', () => {
  expect(parse(listOf({ ...file('a'), mode: 0o4755 }))).toMatchObject([{ mode: 0o755 }]);
});

test.each([
  ['a', 'b', true],
  ['a', './b', true],
  ['a/b', '../c', true],
  ['a/b', '..', true],
  ['a/b', '../..', false],
  ['a', '..', false],
  ['a', '/x', false],
  ['a', '', false],
  ['a', 'b/../c', false],
  ['a/b/c', '../../d', true],
  ['a', 'b\0', false],
])('a link %s to %j stays inside: %s', (path, target, isInside) => {
  expect(staysInside(path, target)).toBe(isInside);
});
