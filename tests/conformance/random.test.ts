import { describe, expect, test } from 'vitest';
import { realRandom } from '../../src/engines/clock.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';

describe.each([
  { form: 'real', open: () => realRandom },
  { form: 'seeded', open: () => seededRandom(1) },
])('the $form random', ({ open }) => {
  test.each([0, 1, 16, 1000])('gives %i bytes when asked for as many', (size) => {
    expect(open().bytes(size)).toHaveLength(size);
  });

  test('gives other bytes each time', () => {
    const random = open();

    expect(random.bytes(16)).not.toEqual(random.bytes(16));
  });

  test('uses every byte value', () => {
    expect(new Set(open().bytes(10_000)).size).toBe(256);
  });
});

describe('the seeded random', () => {
  test('gives the same bytes for the same seed, in whatever portions they are taken', () => {
    const inOne = seededRandom(7).bytes(100);
    const random = seededRandom(7);

    const inTwo = [...random.bytes(33), ...random.bytes(67)];

    expect(inTwo).toEqual([...inOne]);
  });

  test('gives other bytes for another seed', () => {
    const streams = Array.from({ length: 100 }, (_, seed) =>
      Buffer.from(seededRandom(seed).bytes(16)).toString('hex'),
    );

    expect(new Set(streams).size).toBe(100);
  });

  test('gives every whole number below a limit and no other', () => {
    const random = seededRandom(1);

    const numbers = new Set(Array.from({ length: 200 }, () => integerBelow(random, 6)));

    expect([...numbers].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
