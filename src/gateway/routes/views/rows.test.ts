import { expect, test } from 'vitest';
import { pageBehind } from './rows.ts';

const rows = ['a', 'b', 'c', 'd', 'e'];
const itself = (row: string): string => row;

test('pages follow each other to the end, and the last one says that it is', () => {
  const first = pageBehind(rows, { limit: '2' }, itself);
  const second = pageBehind(rows, { limit: '2', after: first.next }, itself);
  const last = pageBehind(rows, { limit: '2', after: second.next }, itself);

  expect(first).toEqual({ items: ['a', 'b'], next: 'b' });
  expect(second).toEqual({ items: ['c', 'd'], next: 'd' });
  expect(last).toEqual({ items: ['e'] });
});

test('a page that ends with the list is the last one', () => {
  expect(pageBehind(rows, { limit: '5' }, itself)).toEqual({ items: rows });
  expect(pageBehind([], {}, itself)).toEqual({ items: [] });
});

test('a place that is gone is behind those before it all the same', () => {
  expect(pageBehind(rows, { after: 'bb' }, itself)).toEqual({ items: ['c', 'd', 'e'] });
});

test('who names no page gets a thousand', () => {
  const many = Array.from({ length: 1001 }, (_, place) => String(place).padStart(4, '0'));

  const { items, next } = pageBehind(many, {}, itself);

  expect(items).toHaveLength(1000);
  expect(next).toBe('0999');
});

test.each(['0', '1001'])('a page of %s is refused', (limit) => {
  expect(() => pageBehind(rows, { limit }, itself)).toThrow('from 1 to 1000');
});
