import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('docs/words.md has each word once, in the order of the alphabet', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'words.md'), 'utf8');
  const [, , ...rows] = page.split('\n').filter((line) => line.startsWith('|'));
  const words = rows.map((row) => (row.split('|')[1] ?? '').trim().toLowerCase());

  expect(words.length).toBeGreaterThan(100);
  expect(words).toEqual([...new Set(words)].sort());
});
