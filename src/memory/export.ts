/**
 * Memories as lines of JSON, to keep elsewhere or to bring into another home. Versions come in
 * their order, so that an import makes the same history; what was forgotten or has expired is not
 * among them.
 */
import * as z from 'zod';
import {
  isMemoryKey,
  type MemoryScope,
  memoryLimits,
  memoryScopes,
} from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import { timeText } from '../kernel/text/time-text.ts';
import type { Sql } from '../ledger/ledger.ts';
import { exportMemories, type MemoryRow } from '../ledger/memory/memories.ts';
import { readValue } from './value.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));
const name = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));

export type Line = z.infer<typeof lineSchema>;

export const lineSchema = z.strictObject({
  scope: z.enum(memoryScopes),
  key: z.string().refine(isMemoryKey),
  version: z.int().min(1),
  value: z.unknown(),
  tags: z.array(name(memoryLimits.tagCharacters)).max(memoryLimits.tags).default([]),
  thread: name(memoryLimits.threadCharacters).optional(),
  author: name(300).optional(),
  created_at: time,
  valid_from: time,
  valid_to: time.optional(),
  expires_at: time.optional(),
  pinned: z.boolean().default(false),
});

const pageSize = 100;

/** A line for each version. */
export async function* exportMemoriesOf(
  sql: Sql,
  whose: { readonly owner: string; readonly scope?: MemoryScope | undefined },
  now: Instant,
): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await exportMemories(sql, { ...whose, now, after, limit: pageSize });
    for (const row of rows) yield `${JSON.stringify(lineOf(row))}\n`;
    if (rows.length < pageSize) return;
    after = rows.at(-1)?.id ?? after;
  }
}

function lineOf(row: MemoryRow) {
  const optional = (at: number | null) => (at === null ? undefined : timeText(at));
  return {
    ...{ scope: row.scope, key: row.key, version: row.version, value: readValue(row) },
    tags: JSON.parse(row.tags) as readonly string[],
    thread: row.thread ?? undefined,
    author: row.author,
    created_at: timeText(row.created_at),
    valid_from: timeText(row.valid_from),
    valid_to: optional(row.valid_to),
    expires_at: optional(row.expires_at),
    pinned: row.pinned === 1,
  };
}
