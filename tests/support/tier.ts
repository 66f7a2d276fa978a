/**
 * How much of a test is done. `npm test` guards every promise once: it draws a few cases of those
 * that there are, by a number that follows from the tree, so that a hundred trees try a hundred
 * different ones. `npm run test:full` does them all, in parts.
 */
import { test } from 'vitest';
import { Dice } from '../sim/dice.ts';

export const isFull = process.env['AOS_TEST_FULL'] === '1';

/** What everything that is drawn in this run follows from; `npm test -- --seed N` sets it. */
export const runSeed = Number(process.env['AOS_TEST_SEED'] ?? '1');

/** Which part of the full counts this run does, e.g. 2 of 5. */
export const part = parsePart(process.env['AOS_TEST_PART'] ?? '1/1');

export interface Part {
  readonly number: number;
  readonly of: number;
}

function parsePart(text: string): Part {
  const [number = 1, of = 1] = text.split('/').map(Number);
  return { number, of };
}

export interface Counts {
  readonly fast: number;
  readonly full: number;
}

/** How often something is repeated; in full, what falls to this part. */
export function times({ fast, full }: Counts): number {
  return isFull ? Math.ceil(full / part.of) : fast;
}

/**
 * Numbers from 1 to `full`: in full those of this part, in order; else `fast` of them that are
 * drawn, by the label too, so that two tests draw different ones.
 */
export function seeds(label: string, { fast, full }: Counts): number[] {
  const all = Array.from({ length: full }, (_, place) => place + 1);
  return cases(label, all, fast);
}

/**
 * Of a list: in full what falls to this part, else those that `npm test` always does and `fast`
 * others that are drawn, in their order.
 */
export function cases<T>(
  label: string,
  all: readonly T[],
  fast: number,
  isAlways: (one: T) => boolean = () => false,
): T[] {
  return isFull ? shareOf(all, part) : drawBeside(all, fast, runSeed + hash(label), isAlways);
}

/** What falls to one part; all parts together have each once. */
export function shareOf<T>(all: readonly T[], { number, of }: Part): T[] {
  return all.filter((_, place) => place % of === number - 1);
}

/** Those that are always there, and so many others, in the order of the list. */
export function drawBeside<T>(
  all: readonly T[],
  count: number,
  seed: number,
  isAlways: (one: T) => boolean,
): T[] {
  const others = all.filter((one) => !isAlways(one));
  const drawn = new Set(draw(others, count, seed));
  return all.filter((one) => isAlways(one) || drawn.has(one));
}

/** So many different ones, in their order; the same for the same seed. */
export function draw<T>(all: readonly T[], count: number, seed: number): T[] {
  const dice = new Dice(seed);
  const left = all.map((_, place) => place);
  const drawn = Array.from({ length: Math.min(count, all.length) }, () => {
    const [place = 0] = left.splice(dice.below(left.length), 1);
    return place;
  });
  return all.filter((_, place) => drawn.includes(place));
}

/** A test that only `npm run test:full` has: another one guards the same promise in `npm test`. */
export const deep: typeof test = isFull ? test : notToday();

function notToday(): typeof test {
  // Nothing is registered, so nothing is counted as skipped either.
  const ignore = Object.assign(() => {}, { each: () => () => {}, for: () => () => {} });
  return ignore as unknown as typeof test;
}

// FNV-1a
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return value;
}
