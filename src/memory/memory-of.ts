import type { Memory } from '../kernel/memory/memory.ts';
import type { MemoryRow } from '../ledger/memory/memories.ts';
import { readValue } from './value.ts';

export function memoryOf(row: MemoryRow): Memory {
  return {
    ...{ id: row.id, owner: row.owner, scope: row.scope, key: row.key, version: row.version },
    value: readValue(row),
    // Written by us, as a list of texts.
    tags: JSON.parse(row.tags) as readonly string[],
    thread: row.thread ?? undefined,
    ...{ author: row.author, source: row.source, createdAt: row.created_at },
    ...{ validFrom: row.valid_from, validTo: row.valid_to ?? undefined },
    expiresAt: row.expires_at ?? undefined,
    isPinned: row.pinned === 1,
    forgottenAt: row.forgotten_at ?? undefined,
  };
}
