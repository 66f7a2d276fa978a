import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

/** An id, or enough of its beginning. What is none would be another path at the daemon. */
export function messageIdOf(typed: string): string {
  if (/^[0-9a-f]{4,32}$/.test(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a message, nor the beginning of one`,
    fix: 'Give at least four of its hex digits, as "aos send" and "aos inbox" show them',
  });
}
