/** What is scored, and what makes one of two that fit alike come first. */
import type { Instant } from '../../kernel/ports.ts';
import { changedInWords } from './changed-in-words.ts';

export interface Candidate {
  /** Below the folder that is searched. */
  readonly folders: readonly string[];
  readonly name: string;
  /** How many times each word of the question is in its text; nothing where that is unknown. */
  readonly counts?: readonly number[] | undefined;
  readonly modifiedAt?: Instant | undefined;
}

export interface RankOptions {
  readonly now: Instant;
  readonly likelier?: { readonly after?: number | undefined; readonly before?: number | undefined };
}

export interface Score {
  /** Between 0 and 1. */
  readonly score: number;
  /** In words. Most are never asked for. */
  why(): readonly string[];
}

export interface Ranked<C extends Candidate> extends Score {
  readonly candidate: C;
}

/** A date that was asked for makes a file likelier, and rules none out. */
export function withDate(
  score: number,
  why: () => readonly string[],
  modifiedAt: Instant | undefined,
  { now, likelier }: RankOptions,
): Score {
  if (likelier === undefined || modifiedAt === undefined) return { score: rounded(score), why };
  const { after = -Infinity, before = Infinity } = likelier;
  const isWithin = modifiedAt >= after && modifiedAt < before;
  if (!isWithin) return { score: rounded(score * 0.85), why };
  const likely = rounded(score + (1 - score) * 0.25);
  return { score: likely, why: () => [...why(), changedInWords(modifiedAt, now)] };
}

function rounded(score: number): number {
  return Math.round(Math.min(1, score) * 10_000) / 10_000;
}

/** Of two that fit alike, what was changed last; then by name, so that the order is always one. */
export function byScore(one: Ranked<Candidate>, other: Ranked<Candidate>): number {
  const byTime = (other.candidate.modifiedAt ?? 0) - (one.candidate.modifiedAt ?? 0);
  return other.score - one.score || byTime || compareNames(one.candidate, other.candidate);
}

function compareNames(one: Candidate, other: Candidate): number {
  const [left, right] = [one, other].map(({ folders, name }) => [...folders, name].join('/'));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
