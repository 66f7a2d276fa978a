import { expect, test } from 'vitest';
import { bodyKey, manifestKey } from './blobs.ts';

const hash = 'ab'.repeat(32);
const manifest = {
  ...{ sender: 'samantha', recipient: 'jared', filename: 'research.pdf' },
  ...{ createdAt: Date.UTC(2030, 0, 31, 23, 5, 9, 999), id: 'tr_0123456789abcdef' },
};

test('a body lies below its sender, under its hash', () => {
  expect(bodyKey('samantha', hash)).toBe(`samantha/.bodies/${hash}`);
});

test('a manifest lies below its sender and its recipient, at its moment in UTC', () => {
  expect(manifestKey(manifest)).toBe('samantha/jared/2030-01-31_23-05-09_abcdef/research.pdf');
});

test('a name with any other character stays as it is', () => {
  const key = manifestKey({ ...manifest, filename: '..a\\b ü\n.pdf' });

  expect(key.split('/')).toHaveLength(4);
  expect(key.endsWith('/..a\\b ü\n.pdf')).toBe(true);
});

test.each(['', '.', '..', 'a/b', '/etc/passwd', '../x', 'a\0b'])('%j is no name', (name) => {
  const refusal = expect.objectContaining({ code: 'transfer.bad-name' });

  for (const wrong of ['sender', 'recipient', 'filename'] as const) {
    expect(() => manifestKey({ ...manifest, [wrong]: name })).toThrow(refusal);
  }
  expect(() => bodyKey(name, hash)).toThrow(refusal);
});

test.each(['', '..', 'AB'.repeat(32), `${hash}/..`])('%j is no hash', (wrong) => {
  const refusal = expect.objectContaining({ code: 'blob.missing' });

  expect(() => bodyKey('samantha', wrong)).toThrow(refusal);
});
