import type { MemoryKey } from '../../../kernel/memory/memory.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { memoryIds } from '../../../ledger/memory/memories.ts';
import { usersOfMemories } from '../../../ledger/memory/uses.ts';
import { storersOf } from '../../../memory/purge.ts';

export interface WouldPurge {
  readonly versions: number;
  /** Whose journals would go with them. */
  readonly operations: number;
  readonly calls: number;
}

const mostCounted = 1_000_000;

/** What a purge would erase, as things stand now. */
export async function wouldPurge(
  ledger: Ledger,
  place: MemoryKey,
  { below }: { readonly below: boolean },
): Promise<WouldPurge> {
  const sql = ledger.committed;
  const ids = await memoryIds(sql, place, { below, limit: mostCounted });
  const storers = await storersOf(ledger, place, { below });
  const users = [...new Set([...(await usersOfMemories(sql, ids)), ...storers])];
  const countOf = (kind: string) => users.filter((user) => user.startsWith(`${kind}:`)).length;
  return { versions: ids.length, operations: countOf('operation'), calls: countOf('tool-call') };
}
