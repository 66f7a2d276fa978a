/** Ids as they are typed, and as a table shows them. */
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

/** Which ids: `grant`, and the command that shows them. */
export interface IdKind {
  readonly what: string;
  readonly shownBy: string;
}

export const grantIds: IdKind = { what: 'grant', shownBy: 'aos cap ls' };
export const callIds: IdKind = { what: 'call', shownBy: 'aos tool calls' };
export const approvalIds: IdKind = { what: 'approval', shownBy: 'aos approvals' };
export const operationIds: IdKind = { what: 'operation', shownBy: 'aos op ls' };

/** An id, or enough of its beginning. What is none would be another path at the daemon. */
export function idOf({ what, shownBy }: IdKind, typed: string): string {
  if (isIdWord(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a${/^[ao]/.test(what) ? 'n' : ''} ${what}, nor the beginning of one`,
    fix: `Give at least four of its hex digits, as "${shownBy}" shows them`,
  });
}

function isIdWord(typed: string): boolean {
  return /^[0-9a-f]{4,32}$/.test(typed);
}

// The first twelve digits are the millisecond, in which there may be several.
const fewestDigits = 16;
const wholeId = 32;

/** As long as it takes to tell these ids from each other. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let digits = fewestDigits;
  const isUnique = () => new Set(ids.map((id) => id.slice(0, digits))).size === new Set(ids).size;
  while (digits < wholeId && !isUnique()) digits++;
  return (id) => id.slice(0, digits);
}
