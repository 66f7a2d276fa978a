/** How well each memory fits a query: by its words, by its meaning, and by who says it and when. */
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { type Ground, none } from './ground.ts';

/** A score for each row of a ground that has one. */
export class Scores {
  readonly #values: Float64Array;
  /** Each once, in the order in which they got one. */
  readonly rows: number[] = [];

  constructor(rows: number) {
    this.#values = new Float64Array(rows);
  }

  /** Innermost loop of a search, as those below: `must` would take a tenth longer than `?? 0`. */
  of(row: number): number {
    return this.#values[row] ?? 0;
  }

  add(row: number, score: number): void {
    if (this.#values[row] === 0) this.rows.push(row);
    this.#values[row] = this.of(row) + score;
  }

  /** Each by what its row is multiplied by. */
  multiply(factorOf: (row: number) => number): this {
    for (const row of this.rows) this.#values[row] = this.of(row) * factorOf(row);
    return this;
  }
}

// What stands next to a memory in a conversation counts for it too: "yes, last week" answers what
// was asked before. The further away the less, and what came before says more than what comes
// after. docs/decisions.md has the figures.

/** How much of a row counts for the first, second, … row behind it, and before it. */
interface Shares {
  readonly behind: readonly number[];
  readonly ahead: readonly number[];
}

const wordShares: Shares = {
  behind: [0.6, 0.36, 0.2, 0.1],
  ahead: [0.4, 0.2, 0.1, 0.05],
};

const meaningShares: Shares = { behind: [0.5, 0.25], ahead: [0.5, 0.25] };

/** Calls for the row itself with 1, and for each neighbour with the share that it gets of it. */
function spread(
  ground: Ground,
  shares: Shares,
  row: number,
  give: (row: number, share: number) => void,
): void {
  give(row, 1);
  let next = row;
  for (const share of shares.behind) {
    next = ground.after[next] ?? none;
    if (next === none) break;
    give(next, share);
  }
  next = row;
  for (const share of shares.ahead) {
    next = ground.before[next] ?? none;
    if (next === none) break;
    give(next, share);
  }
}

const wholeShare = [...wordShares.behind, ...wordShares.ahead].reduce((sum, each) => sum + each, 1);

/**
 * How long a row and its neighbours are, each as much as it counts. At either end of a conversation
 * less stands around, and what is there says more: one begins with what it is about.
 */
function lengthAround({ lengths, before, after, threads }: Ground, row: number): number {
  let length = lengths[row] ?? 0;
  if (threads[row] === none) return length;
  let next = row;
  for (const share of wordShares.behind) {
    next = before[next] ?? none;
    if (next === none) break;
    length += share * (lengths[next] ?? 0);
  }
  next = row;
  for (const share of wordShares.ahead) {
    next = after[next] ?? none;
    if (next === none) break;
    length += share * (lengths[next] ?? 0);
  }
  return length / wholeShare;
}

export interface NearRow {
  readonly row: number;
  readonly similarity: number;
}

/** What all that is near has in common: any two texts of one language are alike to an embedder. */
interface Nearness {
  readonly usual: number;
  readonly most: number;
}

export function nearnessOf(similarities: readonly number[]): Nearness {
  const usual = similarities.reduce((sum, each) => sum + each, 0) / similarities.length;
  return { usual, most: similarities.reduce((most, each) => Math.max(most, each), usual) };
}

/** What is no nearer than usual has none. Between 0 and 1. */
export function scoreMeaning(
  ground: Ground,
  near: readonly NearRow[],
  { usual, most }: Nearness,
): Scores {
  const scores = new Scores(ground.rows);
  const all = [...meaningShares.behind, ...meaningShares.ahead];
  const highest = (most - usual) * all.reduce((sum, share) => sum + share, 1);
  for (const { row, similarity } of near) {
    if (similarity <= usual) continue;
    const value = (similarity - usual) / highest;
    spread(ground, meaningShares, row, (neighbour, share) => scores.add(neighbour, value * share));
  }
  return scores;
}

/** The rows of a ground that have one unit of the query. */
export interface UnitRows {
  readonly text: readonly number[];
  /** Those that say it more than once. */
  readonly again: readonly number[];
  /** By their key and their tags. */
  readonly label: readonly number[];
  /** So many have it that it says nothing of their neighbours. */
  readonly isCommon: boolean;
}

interface GroundWords {
  readonly ground: Ground;
  /** In the order of the query. */
  readonly units: readonly UnitRows[];
}

/** So much more a word can count when it is said again and again. */
const saturation = 1.2;
/** How much a text that is longer than others has to say a word more often. */
const lengthWeight = 0.5;
/** Whatever is longer counts as so many times the usual: else a long text would never be found. */
const longest = 4;
const labelShare = 0.5;

export function rarity(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}

/**
 * How well memories fit by their words: BM25 over each memory with its neighbours. How rare a word
 * is, and how long a text usually is, is counted in what may be found. Between 0 and 1 each; 1 is
 * what no text can be more.
 */
export function scoreWords(
  { ground, units }: GroundWords,
  rarities: readonly number[],
  averageLength: number,
): Scores {
  const scores = new Scores(ground.rows);
  const most = rarities.reduce((sum, each) => sum + each, 0) * (saturation + 1);
  for (const [index, unit] of units.entries()) {
    const weight = must(rarities[index], 'the rarity of a unit') / most;
    const counts = countsOf(ground, unit);
    for (const row of counts.rows) {
      const length = Math.min(lengthAround(ground, row) / averageLength, longest);
      const damping = saturation * (1 - lengthWeight + lengthWeight * length);
      const count = counts.of(row);
      scores.add(row, (weight * count * (saturation + 1)) / (count + damping));
    }
  }
  return scores;
}

function countsOf(ground: Ground, { text, again, label, isCommon }: UnitRows): Scores {
  const counts = new Scores(ground.rows);
  const give = (row: number, share: number) => counts.add(row, share);
  for (const row of [...text, ...again]) {
    if (isCommon) give(row, 1);
    else spread(ground, wordShares, row, give);
  }
  for (const row of label) counts.add(row, labelShare);
  return counts;
}

interface TimeSpan {
  readonly after?: Instant;
  readonly before?: Instant;
}

interface Circumstances {
  /** Of the query. */
  readonly words: ReadonlySet<string>;
  readonly likelier: TimeSpan | undefined;
}

const bySomebodyNamed = 1.2;
/** What is asked is found by the answer. */
const question = 0.8;
const inTime = 1;
/** A little before and after the time that was said things are told of it too. */
const nearMs = 7 * 86_400_000;

/** What the score of a row is multiplied by; at most 1. */
export function likelihoods(
  ground: Ground,
  { words, likelier }: Circumstances,
): (row: number) => number {
  const named = ground.speakersIn(words);
  const most = (likelier === undefined ? 1 : 1 + inTime) * bySomebodyNamed;
  return (row) => {
    let factor = 1 + inTime * timeliness(must(ground.times[row], 'the time of a row'), likelier);
    if (named.has(must(ground.speakers[row], 'the speaker of a row'))) factor *= bySomebodyNamed;
    if (ground.asks[row] === 1) factor *= question;
    return factor / most;
  };
}

/** 1 within the span, and less the further away; 0 where no time was said. */
function timeliness(time: Instant, span: TimeSpan | undefined): number {
  if (span === undefined) return 0;
  const { after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = span;
  if (time < after) return Math.exp((time - after) / nearMs);
  return time < before ? 1 : Math.exp((before - time) / nearMs);
}
