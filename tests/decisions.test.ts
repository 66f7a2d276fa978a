import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(join(import.meta.dirname, '..', 'docs', 'decisions.md'), 'utf8');
const [, index = '', rest = ''] = /^## By subject\n([\s\S]*?)^(## 1\. [\s\S]*)/m.exec(text) ?? [];
const titles = [...rest.matchAll(/^## (.*)$/gm)].map((match) => match[1] ?? '');

/** What GitHub makes of a heading for links to it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

test('decisions are numbered without a gap', () => {
  expect(titles.length).toBeGreaterThan(90);
  expect(titles.map((title) => Number.parseInt(title, 10))).toEqual(
    titles.map((_, position) => position + 1),
  );
});

test('every decision is in the index, once', () => {
  const linked = [...index.matchAll(/\[(\d+)\]\(#([^)]+)\)/g)]
    .map(([, number, anchor]) => ({ number: Number(number), anchor }))
    .sort((one, other) => one.number - other.number);

  expect(linked).toEqual(
    titles.map((title, position) => ({ number: position + 1, anchor: anchorOf(title) })),
  );
});
