/** Everything that one principal holds. */
import {
  type Deed,
  isSpent,
  type RecentUses,
  withMore,
} from '../../kernel/capability/capability.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { addUses, usesOf } from '../../ledger/security/grants.ts';
import { type HeldGrant, type HeldLink, ranks } from './held-grant.ts';
import { Shelf } from './shelf.ts';

const fewestDead = 64;

export class Holdings {
  /** By rank: what costs nothing is found first. */
  readonly #shelves = Array.from({ length: ranks }, () => new Shelf());
  readonly #grants = new Map<string, HeldGrant>();
  /** How many were met that allow nothing any more. */
  #dead = 0;

  constructor(grants: Iterable<HeldGrant>) {
    for (const grant of grants) this.add(grant);
  }

  /** Nothing happens when it is there already. */
  add(grant: HeldGrant): void {
    if (this.#grants.has(grant.id)) return;
    this.#grants.set(grant.id, grant);
    this.#shelves[grant.rank]?.add(grant);
  }

  /** The lists of grants that have the deed in their target, in the order in which to try them. */
  listsFor(deed: Deed): readonly HeldGrant[] {
    const found: HeldGrant[] = [];
    for (const shelf of this.#shelves) shelf.listsFor(deed, found);
    return found;
  }

  all(): Iterable<HeldGrant> {
    return this.#grants.values();
  }

  markRevoked(id: string): void {
    const grant = this.#grants.get(id);
    if (grant !== undefined) grant.plainBits = 0;
  }

  metDead(): void {
    this.#dead++;
  }

  /** So many are dead that it is better to read them anew. */
  get isWornOut(): boolean {
    return this.#dead > fewestDead && this.#dead > this.#grants.size / 2;
  }
}

// How often a link of a chain was used, as its row tells (grants.ts, G4).

interface Uses {
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
