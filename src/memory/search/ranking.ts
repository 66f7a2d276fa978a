/**
 * Which memories come first: those that fit best by words and meaning together, and of equals the
 * newest.
 */
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { type Ground, none } from './ground.ts';
import type { Scores } from './scores.ts';

/** The best of very many, the best first. Few of them are sorted. */
export function bestOf<Item>(
  items: readonly Item[],
  count: number,
  scoreOf: (item: Item) => number,
  /** As in sorting, for those with the same score. */
  amongEquals: (one: Item, other: Item) => number = () => 0,
): Item[] {
  const least = items.length > 2 * count ? leastOf(items, count, scoreOf) : 0;
  return items
    .filter((item) => scoreOf(item) >= least)
    .sort((one, other) => scoreOf(other) - scoreOf(one) || amongEquals(one, other))
    .slice(0, count);
}

const steps = 4096;

/** A score that so many have, and not many more: they are counted by steps. */
function leastOf<Item>(
  items: readonly Item[],
  count: number,
  scoreOf: (item: Item) => number,
): number {
  const most = items.reduce((highest, item) => Math.max(highest, scoreOf(item)), 0);
  if (most === 0) return 0;
  const counts = new Uint32Array(steps + 1);
  for (const item of items) {
    const step = Math.floor((scoreOf(item) / most) * steps);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let step = steps;
  for (let left = count; step > 0; step--) {
    left -= counts[step] ?? 0;
    if (left <= 0) break;
  }
  return (step / steps) * most;
}

/** A memory that fits, by its words or by its meaning. */
export interface FittingMemory {
  readonly ground: Ground;
  readonly row: number;
  readonly words: number;
  /** Undefined where meaning was not asked for. */
  readonly meaning: number | undefined;
}

export interface RankedMemory extends FittingMemory {
  readonly score: number;
}

/**
 * Of one ground, so that the memories of one owner do not crowd out another's; what is behind so
 * many is no answer.
 */
export const mostFitting = 1000;

export function fittingIn(
  ground: Ground,
  words: Scores,
  meaning?: Scores,
): readonly FittingMemory[] {
  const rows = new Set([...bestRows(words), ...(meaning === undefined ? [] : bestRows(meaning))]);
  return [...rows].map((row) => ({
    ...{ ground, row },
    ...{ words: words.of(row), meaning: meaning?.of(row) },
  }));
}

function bestRows(scores: Scores): readonly number[] {
  const later = (one: number, other: number) => other - one;
  return bestOf(scores.rows, mostFitting, (row) => scores.of(row), later);
}

/** So many more memories of a thread say whether it is about what was asked for. */
const others = 5;
const othersWeight = 0.2;

/** The best of each thread, with the score of the thread. A memory in no thread stands alone. */
export function byThread(ranked: readonly RankedMemory[]): readonly RankedMemory[] {
  const grounds = Map.groupBy(ranked, ({ ground }) => ground);
  return [...grounds.values()]
    .flatMap((members) => [...Map.groupBy(members, threadOf).values()])
    .flatMap(asOne);
}

function threadOf({ ground, row }: RankedMemory): number {
  const thread = must(ground.threads[row], 'the thread of a row');
  return thread === none ? none - 1 - row : thread;
}

function asOne(members: readonly RankedMemory[]): RankedMemory[] {
  const [first, ...rest] = bestOf(members, 1 + others, ({ score }) => score);
  if (first === undefined) return [];
  const more = rest.reduce((sum, { score }) => sum + score, 0) / others;
  return [{ ...first, score: (first.score + othersWeight * more) / (1 + othersWeight) }];
}

const rankOffset = 20;
const meaningWeight = 0.5;

/**
 * Joins words and meaning by ranks and not by scores, which cannot be compared: weighted reciprocal
 * rank fusion. Words say more. Scores are between 0 and 1.
 */
export function fused(fitting: readonly FittingMemory[]): readonly RankedMemory[] {
  if (fitting.every(({ meaning }) => meaning === undefined)) {
    return fitting.map((each) => ({ ...each, score: each.words }));
  }
  const byWords = ranks(fitting, ({ words }) => words);
  const byMeaning = ranks(fitting, ({ meaning = 0 }) => meaning);
  const most = (1 + meaningWeight) / (rankOffset + 1);
  return fitting.map((each) => {
    const sum = share(byWords.get(each)) + meaningWeight * share(byMeaning.get(each));
    return { ...each, score: sum / most };
  });
}

function ranks(
  fitting: readonly FittingMemory[],
  scoreOf: (each: FittingMemory) => number,
): ReadonlyMap<FittingMemory, number> {
  const having = fitting.filter((each) => scoreOf(each) > 0);
  const sorted = having.sort((one, other) => scoreOf(other) - scoreOf(one));
  return new Map(sorted.map((each, index) => [each, index + 1]));
}

function share(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (rankOffset + rank);
}

const sameWithin = 1.01;
const monthMs = 30 * 86_400_000;

/** The best first. How new they are decides only where scores are the same but for a hundredth. */
export function inOrder(ranked: readonly RankedMemory[]): readonly RankedMemory[] {
  return ranked
    .map((each) => ({ each, step: step(each.score), time: timeOf(each) }))
    .sort(
      (one, other) =>
        other.step - one.step ||
        other.time - one.time ||
        other.each.row - one.each.row ||
        other.each.score - one.each.score,
    )
    .map(({ each }) => each);
}

/** What has no score has no logarithm that can be compared either. */
function step(score: number): number {
  return Math.floor(Math.log(Math.max(score, Number.MIN_VALUE)) / Math.log(sameWithin));
}

function timeOf({ ground, row }: RankedMemory): Instant {
  return must(ground.times[row], 'the time of a row');
}

/** How new it is: a half after a month. */
export function recency(validFrom: Instant, now: Instant): number {
  return 1 / (1 + Math.max(0, now - validFrom) / monthMs);
}

/**
 * Which memories say nearly the same: those with the same words in the same order. Capitals, white
 * space, the marks that end a sentence or a part of one, and a few small words make no difference;
 * everything else does. One name, number, sign or "not" more is another fact, however long the
 * rest is.
 */

/** Whatever stands without one of these says the same with it. */
const fillers = new Set(['a', 'also', 'an', 'please', 'really', 'the', 'very']);
const endMarks = new Set('.,;:!…。．、，；：！');

/** Equal for texts that say nearly the same, and for no others. */
export function sayingOf(text: string): string {
  const words = text.normalize('NFC').replaceAll('’', "'").trim().split(/\s+/u);
  return words
    .map(withoutEndMarks)
    .filter((word, place) => word !== '' && !isFiller(word, place))
    .join(' ')
    .toLowerCase();
}

/** By hand: a pattern would take very long for a word of very many marks. */
function withoutEndMarks(word: string): string {
  let end = word.length;
  while (end > 0 && endMarks.has(must(word[end - 1], 'a letter'))) end--;
  return word.slice(0, end);
}

/** A letter that names something is none: hepatitis A. */
function isFiller(word: string, place: number): boolean {
  if (word === 'A' && place > 0) return false;
  return fillers.has(word.toLowerCase());
}
