import { expect, test } from 'vitest';
import { readQuestion } from './question.ts';
import { rank } from './rank.ts';
import type { Candidate } from './score.ts';

const now = Date.UTC(2026, 10, 16);
const dayMs = 86_400_000;

function file(path: string, more: Partial<Candidate> = {}): Candidate {
  const parts = path.split('/');
  return { folders: parts.slice(0, -1), name: parts.at(-1) ?? '', ...more };
}

const order = (query: string, files: readonly Candidate[], likelier?: { after?: number }) =>
  rank(readQuestion(query), files, { now, ...(likelier === undefined ? {} : { likelier }) }).map(
    ({ candidate }) => candidate.name,
  );

test('"the invoice from Ahmed" is the one that has both words', () => {
  const files = [
    file('notes.md', { counts: [1, 0] }),
    file('Documents/invoice-bob.pdf'),
    file('Documents/Invoices/invoice-ahmed.txt', { counts: [2, 1] }),
    file('people/ahmed.vcf'),
    ...Array.from({ length: 20 }, (_, index) => file(`Documents/Invoices/invoice-${index}.pdf`)),
  ];

  const names = order('the invoice from Ahmed', files);

  expect(names[0]).toBe('invoice-ahmed.txt');
  expect(names.indexOf('invoice-bob.pdf')).toBeLessThan(names.indexOf('notes.md'));
});

test('a name says more than a folder, and a folder more than nothing', () => {
  const files = [file('tax/scan.pdf'), file('tax.pdf'), file('other/letter.pdf')];

  expect(order('tax', files)).toEqual(['tax.pdf', 'scan.pdf']);
});

test('the whole word comes before its plural, its beginning and a typo', () => {
  const files = ['invioce.pdf', 'invoicing-invoiced.pdf', 'invoices.pdf', 'invoice.pdf'];

  expect(
    order(
      'invoice',
      files.map((name) => file(name)),
    ),
  ).toEqual([...files].reverse());
});

test('more in the text is more, but less and less so', () => {
  const files = [1, 2, 40].map((count) => file(`${count}.txt`, { counts: [count] }));

  const ranked = rank(readQuestion('river'), files, { now });

  expect(ranked.map(({ candidate }) => candidate.name)).toEqual(['40.txt', '2.txt', '1.txt']);
  expect(ranked[0]?.score).toBeLessThan(1);
});

test('a rare word counts more than one that fits nearly all', () => {
  const files = [
    ...Array.from({ length: 30 }, (_, index) => file(`report-${index}.pdf`)),
    file('zanzibar.pdf'),
  ];

  expect(order('report zanzibar', files)[0]).toBe('zanzibar.pdf');
});

test('a date that was asked for makes a file likelier and rules none out', () => {
  const files = [
    file('invoice-old.pdf', { modifiedAt: now - 400 * dayMs }),
    file('invoice-new.pdf', { modifiedAt: now - 3 * dayMs }),
  ];

  const ranked = rank(readQuestion('invoice'), files, {
    now,
    likelier: { after: now - 7 * dayMs },
  });

  expect(ranked.map(({ candidate }) => candidate.name)).toEqual([
    'invoice-new.pdf',
    'invoice-old.pdf',
  ]);
  expect(ranked[0]?.why()).toEqual(['name has "invoice"', 'changed 3 days ago']);
});

test('of two that fit alike the newer comes first, then the one whose path does', () => {
  const files = [
    file('b/plan.md', { modifiedAt: 1 }),
    file('c/plan.md', { modifiedAt: 2 }),
    file('a/plan.md', { modifiedAt: 1 }),
  ];

  const ranked = rank(readQuestion('plan'), files, { now });

  expect(ranked.map(({ candidate }) => candidate.folders[0])).toEqual(['c', 'a', 'b']);
});

test('a word for a kind of file fits files of that kind', () => {
  const files = [file('IMG_1.jpg'), file('letter.odt')];

  expect(order('holiday photos', files)).toEqual(['IMG_1.jpg']);
});

test('a reason never moves the cursor, whatever was asked for', () => {
  const ranked = rank(readQuestion('naïve\u202e'), [file('naive.txt')], { now });

  expect(ranked[0]?.why()).toEqual(['name has "naïve"']);
});
