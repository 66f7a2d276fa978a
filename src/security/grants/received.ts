/** What somebody was given by others: nobody's hands can be filled, and by one of them least. */
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { type GrantRow, grantsHeldBy } from '../../ledger/security/grants.ts';
import { isOver, newLink } from './held-grant.ts';

const mostReceived = 1000;
const mostFromOne = 250;

/** Throws where one more from this giver would be too many. What has expired does not count. */
export async function checkReceived(
  sql: Sql,
  { to, giver }: { readonly to: string; readonly giver: string },
  now: Instant,
): Promise<void> {
  const held = await grantsHeldBy(sql, `agent:${to}`);
  const given = held.filter((row) => row.origin === 'delegation' && !hasExpired(row, now));
  const fromOne = given.filter(({ granted_by }) => granted_by === giver);
  if (given.length >= mostReceived) throw tooMany(to, `${mostReceived} grants by others`);
  if (giver.startsWith('agent:') && fromOne.length >= mostFromOne) {
    throw tooMany(to, `${mostFromOne} grants by ${quote(giver.replace(/^agent:/, ''))}`);
  }
}

export function hasExpired(row: GrantRow, now: Instant): boolean {
  return isOver(newLink(row), now);
}

function tooMany(name: string, what: string): AosError {
  return new AosError('capability.too-many', {
    message: `Agent ${quote(name)} was given ${what} already`,
    fix: 'Revoke what is not needed any more',
  });
}
