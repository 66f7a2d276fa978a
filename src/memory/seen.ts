/**
 * What somebody was shown of memories: noted, so that a purge finds everything that has seen one,
 * and on record where it was somebody else's.
 */
import { type MemoryKey, memoryDeed } from '../kernel/memory/memory.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { noteMemoryUses } from '../ledger/memory/uses.ts';
import { resourceText } from '../security/authorize.ts';
import type { MemoryCaller } from './deps.ts';

export interface SeenMemory extends MemoryKey {
  readonly id: number;
  readonly author: string;
}

/** So many are named in one event. */
const mostNamed = 100;

export async function noteSeen(
  tx: Transaction,
  { principal, user, operation }: MemoryCaller,
  seen: readonly SeenMemory[],
): Promise<void> {
  if (seen.length === 0) return;
  const ids = seen.map(({ id }) => id);
  const users = [user, ...(operation === undefined ? [] : [`operation:${operation}`])];
  for (const each of users) await noteMemoryUses(tx, ids, each);
  const others = seen.filter((memory) => isOfAnother(principal, memory));
  for (const [subject, memories] of Map.groupBy(others, whose)) {
    for (let from = 0; from < memories.length; from += mostNamed) {
      const some = memories.slice(from, from + mostNamed);
      const resources = some.map((each) => resourceText(memoryDeed(principal, each, 'read')));
      const data = { by: user, memories: some.map(({ id }) => id), resources };
      await tx.record({ actor: principal, kind: 'memory.read', subject, data });
    }
  }
}

function isOfAnother(principal: string, { owner, scope, author }: SeenMemory): boolean {
  return scope === 'shared' ? author !== principal : owner !== principal;
}

/** Whoever asks what was done to somebody finds it. */
function whose({ owner, scope, key }: SeenMemory): string {
  return scope === 'shared' ? `memory:shared/${key.split('/')[0]}` : owner;
}
