/**
 * What a principal was shown of memories: noted, so that a purge finds everything that has seen
 * one, and on record where the memory was another's.
 */

import type { ActionName } from '../kernel/capability/capability.ts';
import { type MemoryKey, memoriesAction, memoryAction } from '../kernel/memory/memory.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { noteMemoryUses } from '../ledger/memory/uses.ts';
import type { HeldGrant } from '../security/grants/shelf.ts';
import { authorize, resourceText, withoutAsking } from '../security/permit.ts';
import type { MemoryActor, MemoryDeps } from './deps.ts';

export interface ShownMemory extends MemoryKey {
  readonly id: number;
  readonly author: string;
}

/** So many are named in one event. */
const mostNamed = 100;

export async function noteSeen(
  tx: Transaction,
  { principal, user, operation }: MemoryActor,
  seen: readonly ShownMemory[],
): Promise<void> {
  if (seen.length === 0) return;
  const ids = seen.map(({ id }) => id);
  const users = [user, ...(operation === undefined ? [] : [`operation:${operation}`])];
  for (const each of users) await noteMemoryUses(tx, ids, each);
  const others = seen.filter((memory) => isOfAnother(principal, memory));
  for (const [subject, memories] of Map.groupBy(others, whose)) {
    for (let from = 0; from < memories.length; from += mostNamed) {
      const some = memories.slice(from, from + mostNamed);
      const resources = some.map((each) => resourceText(memoryAction(principal, each, 'read')));
      const data = { by: user, memories: some.map(({ id }) => id), resources };
      await tx.record({ actor: principal, kind: 'memory.read', subject, data });
    }
  }
}

function isOfAnother(principal: string, { owner, scope, author }: ShownMemory): boolean {
  return scope === 'shared' ? author !== principal : owner !== principal;
}

/** A look at the events about a principal finds it. */
function whose({ owner, scope, key }: ShownMemory): string {
  return scope === 'shared' ? `memory:shared/${key.split('/')[0]}` : owner;
}

interface SharedView {
  readonly principal: string;
  readonly place: MemoryKey;
  readonly action: Extract<ActionName, 'read' | 'search'>;
  /** All that lies below the key, too. */
  readonly isBelow?: boolean;
}

type SharedViewDeps = Pick<MemoryDeps, 'grants'>;

/** Where the door has decided, asked and counted before. */
export async function maySee(deps: SharedViewDeps, sql: Sql, view: SharedView): Promise<boolean> {
  const { principal, place, isBelow = false } = view;
  if (principal === 'owner' || place.owner === principal) return true;
  const action = (isBelow ? memoriesAction : memoryAction)(principal, place, view.action);
  const decision = await authorize(deps.grants, sql, { principal, action }, { isCounted: true });
  return decision.kind === 'allowed';
}

/**
 * What is found in a search, by the grants by which it is: one search is one use of each. No
 * approval can be asked for in the middle of it.
 */
export class GrantedFinds {
  readonly #deps: SharedViewDeps;
  readonly #principal: string;
  readonly #grants = new Map<string, HeldGrant>();
  readonly #grantOf = new Map<number, string>();

  constructor(deps: SharedViewDeps, principal: string) {
    this.#deps = deps;
    this.#principal = principal;
  }

  async maySee(sql: Sql, { id, ...place }: MemoryKey & { readonly id: number }): Promise<boolean> {
    const principal = this.#principal;
    if (principal === 'owner') return true;
    const action = memoryAction(principal, place, 'search');
    const decision = withoutAsking(await authorize(this.#deps.grants, sql, { principal, action }));
    if (decision.kind === 'denied') return false;
    if (decision.grant === undefined) return true;
    this.#grants.set(decision.grant.id, decision.grant);
    this.#grantOf.set(id, decision.grant.id);
    return true;
  }

  /** Which of these may be shown: what would be one use too many is not. Counts the others. */
  async count(tx: Transaction, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const shown = new Set(ids);
    for (;;) {
      const used = new Set([...shown].flatMap((id) => this.#grantOf.get(id) ?? []));
      const grants = [...used].flatMap((id) => this.#grants.get(id) ?? []);
      const tooOften = await this.#deps.grants.use(tx, grants);
      if (tooOften === undefined) return shown;
      for (const id of ids) if (this.#grantOf.get(id) === tooOften.id) shown.delete(id);
    }
  }
}
