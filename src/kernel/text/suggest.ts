/** What was probably meant by a word that is not known. */
import { AosError } from '../errors.ts';
import { quote } from './quote.ts';

/**
 * The candidate that `word` was probably meant to be, or undefined when none is
 * near enough to be worth a question.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best !== undefined && best.distance <= tolerance(word) ? best.candidate : undefined;
}

/** ` Did you mean "x"?`, ready to follow a sentence; empty when there is nothing to suggest. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = closest(word, candidates);
  return candidate === undefined ? '' : ` Did you mean "${candidate}"?`;
}

// A third of the letters may be wrong: one of three, two of six. Beyond 60 letters it was not typed
// by hand and the table below would only cost time.
function tolerance(word: string): number {
  return word.length > 60 ? 0 : Math.max(1, Math.floor(word.length / 3));
}

// Optimal string alignment: insert, delete, replace and swap of two neighbours
// each cost one. Three rows are enough, because a swap looks two rows back.
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * The one id that begins with what was typed. A whole id wins even when it is
 * also the beginning of another; anything else that fits two is refused.
 *
 * `findById('check', 'sand', ['sandbox', 'disk'])` is `'sandbox'`.
 */
export function findById<Id extends string>(noun: string, typed: string, ids: readonly Id[]): Id {
  const matches = ids.filter((id) => id.startsWith(typed));
  const [first, second] = matches;
  const whole = matches.find((id) => id === typed);
  if (whole !== undefined) return whole;
  if (first === undefined || typed === '') throw unknown(noun, typed, ids);
  if (second !== undefined) throw ambiguous(noun, typed, matches);
  return first;
}

function unknown(noun: string, typed: string, ids: readonly string[]): AosError {
  return new AosError('id.unknown', {
    message: `There is no ${noun} ${quote(typed)}.${didYouMean(typed, ids)}`,
    fix: ids.length === 0 ? undefined : `Use one of: ${shortList(ids)}`,
  });
}

function ambiguous(noun: string, typed: string, matches: readonly string[]): AosError {
  return new AosError('id.ambiguous', {
    message: `${quote(typed)} fits ${matches.length} ${noun}s: ${shortList(matches)}`,
    fix: 'Type more of it',
  });
}

function shortList(ids: readonly string[]): string {
  const shown = ids.slice(0, 8).join(', ');
  return ids.length > 8 ? `${shown} and ${ids.length - 8} more` : shown;
}
