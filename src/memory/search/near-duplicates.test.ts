import { expect, test } from 'vitest';
import { sayingOf } from './ranking.ts';

const isSame = (one: string, other: string) => sayingOf(one) === sayingOf(other);
const twenty = Array.from('abcdefghijklmnopqrst', (letter) => `word${letter}`);

test.each([
  ['in other letters', 'Jean likes RED cars', 'jean likes red cars'],
  ['with other marks', 'Jean likes red cars!', 'Jean likes: red cars.'],
  ['with other white space', 'Jean  likes\nred\tcars ', 'Jean likes red cars'],
  ['with small words', 'The car is very red', ' A car is red'],
  ['with another apostrophe', 'Jean’s car', "Jean's car"],
  ['with accents that are joined', 'caf\u00e9', 'cafe\u0301'],
  ['without any', '!', ' … '],
])('the same words %s say the same', (_how, one, other) => {
  expect(isSame(one, other)).toBe(true);
});

test.each([
  ['in another order', 'Anna owes Ben ten euros', 'Ben owes Anna ten euros'],
  ['that are fewer', 'red cars', 'red cars are what Jean likes'],
  ['that are said twice', 'many cars', 'many many cars'],
  ['with not', 'it can be paid', 'it can not be paid'],
  ["with n't", 'she does pay', "she doesn't pay"],
  ['with no', 'there is hope', 'there is no hope'],
  ['with never', 'he was here', 'he was never here'],
  ['with without', 'tea with milk', 'tea without milk'],
  ['with nor', 'neither tea or milk', 'neither tea nor milk'],
  ['of another time', 'it was paid', 'it will be paid'],
  ['of another form', 'she paid Ben', 'she pays Ben'],
  ['of another way', 'from Rome to Lyon', 'to Rome from Lyon'],
  ['of another person', 'he told her', 'she told him'],
  ['with a letter for a name', 'she has hepatitis', 'she has hepatitis A'],
  ['with another sign', 'it costs 5 €', 'it costs 5 $'],
  ['with another percentage', 'it grew by 5', 'it grew by 5%'],
  ['that ask', 'it is paid?', 'it is paid.'],
  ['with another face', 'paid 🙂', 'paid 🙁'],
  ['in one address', 'see pay-pal.com', 'see pay.pal.com'],
  ['with other accents', 'tiene 5 años', 'tiene 5 anos'],
  ['without spaces', '必ず出席します', '必ず欠席します'],
])('words %s say something else', (_how, one, other) => {
  const text = twenty.join(' ');

  expect(isSame(one, other)).toBe(false);
  expect(isSame(`${text} ${one} ${text}`, `${text} ${other} ${text}`)).toBe(false);
});

test.each([
  ['21', '22'],
  ['21.5', '21.6'],
  ['.5', '5'],
  ['5', '-5'],
  ['5', '- 5'],
  ['10²', '102'],
  ['12:30', '12:31'],
  ['4kg', '5kg'],
  ['v2', 'v3'],
  ['1 of 2', '2 of 1'],
])('%s is not %s, however much else is the same', (one, other) => {
  const text = twenty.join(' ');

  expect(isSame(`${text} ${one}`, `${text} ${other}`)).toBe(false);
  expect(isSame(`${text} ${one}.`, `${text}: ${one}`)).toBe(true);
});

test('a text may differ in its last word, however long it is', () => {
  const text = twenty.join(' ').repeat(2000);

  expect(isSame(`${text} approved`, `${text} rejected`)).toBe(false);
  expect(isSame(`${text} Approved.`, `${text} approved`)).toBe(true);
});

test('a word of very many marks takes no longer than any other', () => {
  const marks = '!'.repeat(1_000_000);

  expect(sayingOf(`${marks}x`)).toBe(`${marks}x`);
  expect(sayingOf(`x${marks}`)).toBe('x');
});
