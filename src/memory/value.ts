/** Values that were stored: read back, compared, and what of them can be searched. */
import { createHash } from 'node:crypto';
import type { Memory } from '../kernel/memory/memory.ts';
import { deepest, type StoredValue } from '../kernel/memory/value.ts';
import { canonicalJson } from '../kernel/text/quote.ts';
import type { MemoryRow } from '../ledger/memory/memories.ts';

export function readValue({ value, is_json }: StoredValue): unknown {
  return is_json === 1 ? JSON.parse(value) : value;
}

/** Equal for what says the same of the same. */
export function hashOf(
  { value, is_json }: StoredValue,
  facts: { readonly tags: readonly string[]; readonly thread: string | undefined },
): string {
  const meant = is_json === 1 ? canonicalJson(JSON.parse(value)) : value;
  const whole = JSON.stringify([meant, is_json, facts.tags, facts.thread]);
  return createHash('sha256').update(whole).digest('hex');
}

/** Of a value that is no text, the names and values in it. */
export function searchableText(row: StoredValue): string {
  if (row.is_json === 0) return row.value;
  const words: string[] = [];
  collect(JSON.parse(row.value), words, 0);
  return words.join('\n');
}

function collect(value: unknown, words: string[], depth: number): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) for (const each of value) collect(each, words, depth + 1);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      words.push(name);
      collect(each, words, depth + 1);
    }
    // Yes, no and nothing too: what differs by them says something else.
  } else words.push(String(value));
}

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
