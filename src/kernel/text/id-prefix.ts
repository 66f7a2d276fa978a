import { AosError } from '../errors.ts';
import { quote } from './quote.ts';
import { didYouMean } from './suggest.ts';

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
