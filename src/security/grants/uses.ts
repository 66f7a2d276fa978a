/** How often a link of a chain was used, as its row tells (grants.ts, G4). */
import { isSpent, type RecentUses, withMore } from '../../kernel/capability/decide.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { addUses, usesOf } from '../../ledger/security/grants.ts';
import type { HeldLink } from './held-grant.ts';

export interface Uses {
  readonly now: Instant;
  readonly more: number;
}

/** Whether so many more would be too many. */
export async function isUsedUp(
  sql: Sql,
  { id, capability }: HeldLink,
  { now, more }: Uses,
): Promise<boolean> {
  const { max, rate } = capability.constraints;
  const { uses, recent } = await usesOf(sql, id);
  if (max !== undefined && uses + more > max) return true;
  return rate !== undefined && isSpent(usesIn(recent), rate, now, more);
}

export async function countUses(
  tx: Transaction,
  { id, capability }: HeldLink,
  { now, more }: Uses,
): Promise<void> {
  const { rate } = capability.constraints;
  const { recent } = await usesOf(tx, id);
  const after = rate === undefined ? undefined : withMore(usesIn(recent), rate, now, more);
  await addUses(tx, id, { more, recent: after === undefined ? null : JSON.stringify(after) });
}

// Written by `countUses` alone.
function usesIn(recent: string | null): RecentUses {
  return recent === null ? [] : (JSON.parse(recent) as RecentUses);
}
