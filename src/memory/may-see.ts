/**
 * Whether somebody may see a memory of another at this moment, in the transaction in which it is
 * shown. A share counts no longer than whoever gave it may share.
 */
import type { Action } from '../kernel/capability/capability.ts';
import { memoryDeed } from '../kernel/memory/deed.ts';
import type { MemoryKey } from '../kernel/memory/memory.ts';
import { findGrant } from '../ledger/grants.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { authorize, withoutAsking } from '../security/authorize.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import type { MemoryDeps } from './deps.ts';

export interface Sight {
  readonly principal: string;
  readonly place: MemoryKey;
  readonly action: Extract<Action, 'read' | 'search'>;
  /** Where nobody has counted yet. */
  readonly uses?: GrantUses | undefined;
}

type SightDeps = Pick<MemoryDeps, 'grants'>;

/** One search is one use of each grant by which something is found. */
export class GrantUses {
  readonly #grants = new Map<string, HeldGrant>();

  note(grant: HeldGrant): void {
    this.#grants.set(grant.id, grant);
  }

  async count({ grants }: SightDeps, tx: Transaction): Promise<void> {
    await grants.use(tx, [...this.#grants.values()]);
  }
}

export async function maySee(deps: SightDeps, sql: Sql, sight: Sight): Promise<boolean> {
  const { principal, place, action } = sight;
  if (principal === 'owner' || (place.owner === principal && sight.uses === undefined)) return true;
  const deed = memoryDeed(principal, place, action);
  // A human who was asked about the call has answered before, and it was counted.
  const isCounted = sight.uses === undefined;
  // A share that has ended with its giver's right stands in the way of no other grant.
  for (const without = new Set<string>(); ; ) {
    const options = { isCounted, without };
    const decision = await authorize(deps.grants, sql, { principal, deed }, options);
    const isAllowed = action === 'search' ? withoutAsking(decision) : decision;
    if (isAllowed.kind === 'denied') return false;
    const grant = decision.kind === 'allowed' ? decision.grant : undefined;
    if (grant === undefined) return true;
    if (await isStillShared(deps, sql, grant, place)) {
      sight.uses?.note(grant);
      return true;
    }
    without.add(grant.id);
  }
}

/**
 * One that the owner gave stays; one that an agent gave needs its right to share, however often it
 * was handed on since.
 */
async function isStillShared(
  { grants }: SightDeps,
  sql: Sql,
  { id, links }: HeldGrant,
  place: MemoryKey,
): Promise<boolean> {
  const giver = (await findGrant(sql, links.at(-1)?.id ?? id))?.granted_by;
  if (giver === undefined || !giver.startsWith('agent:')) return true;
  const deed = memoryDeed(giver, place, 'share');
  const decision = await authorize(grants, sql, { principal: giver, deed }, { isCounted: true });
  // Who is put on hold has taken nothing back.
  return decision.kind === 'allowed' || decision.nearest?.why === 'paused';
}
