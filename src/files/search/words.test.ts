import { describe, expect, test } from 'vitest';
import { folded, stemOf, wordsOf } from './words.ts';

describe('wordsOf()', () => {
  test.each([
    ['invoice-ahmed_2026.final.PDF', ['invoice', 'ahmed', '2026', 'final', 'pdf']],
    ['InvoiceAhmed', ['invoice', 'ahmed']],
    ['HTTPServer', ['http', 'server']],
    ['invoice2026', ['invoice', '2026']],
    ['song.mp3', ['song', 'mp3']],
    ['Ahmed’s letter', ['ahmed', 'letter']],
    ['Rechnung Müller', ['rechnung', 'muller']],
    ['Rechnung Mu\u0308ller', ['rechnung', 'muller']],
    ['Straße', ['strasse']],
    ['発票', ['発', '票']],
    ['" OR * NEAR( name:', ['or', 'near', 'name']],
    ['\u001b[31m\u202e\n', ['31m']],
    ['⑸ ½ \u0301', ['5', '12']],
    ['', []],
  ])('takes %j apart', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('stemOf()', () => {
  test.each([
    ['invoices', 'invoice'],
    ['invoice', 'invoice'],
    ['companies', 'company'],
    ['boxes', 'box'],
    ['status', 'status'],
    ['glass', 'glass'],
    ['gas', 'gas'],
    ['ahmed', 'ahmed'],
  ])('takes %s to %s', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });
});

test('folded() makes NFC and NFD the same', () => {
  expect(folded('É')).toBe(folded('E\u0301'));
});
