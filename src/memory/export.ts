/**
 * Memories as lines of JSON, to keep elsewhere or to bring into another home. Versions come in
 * their order, so that an import makes the same history; what was forgotten or has expired is not
 * among them.
 */
import * as z from 'zod';
import { AosError } from '../kernel/errors.ts';
import { isMemoryKey } from '../kernel/memory/key.ts';
import {
  type MemoryScope,
  memoryLimits,
  memoryScopes,
  sharedOwner,
} from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import { timeText } from '../kernel/time-text.ts';
import type { Sql } from '../ledger/ledger.ts';
import {
  exportMemories,
  importMemory,
  type MemoryRow,
  type NewMemory,
} from '../ledger/memories.ts';
import type { MemoryDeps } from './deps.ts';
import { hashOf, isStorable, readValue, storedValue } from './value.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));
const name = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));

const lineSchema = z.strictObject({
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

export interface Imported {
  readonly imported: number;
  /** Those that were there already. */
  readonly known: number;
}

/** All lines or none. What is there already stays as it is; the rest gets versions behind it. */
export async function importMemories(
  { ledger, clock }: Pick<MemoryDeps, 'ledger' | 'clock'>,
  owner: string,
  lines: readonly string[],
): Promise<Imported> {
  const read = lines.flatMap((line, index) => (line.trim() === '' ? [] : readLine(line, index)));
  return ledger.transact(async (tx) => {
    let imported = 0;
    const now = clock.now();
    for (const { author = owner, ...line } of read) {
      const value = storedValue(line.value);
      const facts = { tags: [...new Set(line.tags)].sort(), thread: line.thread };
      const row: NewMemory = {
        owner: line.scope === 'shared' ? sharedOwner : owner,
        ...{ scope: line.scope, key: line.key, ...value, hash: hashOf(value, facts) },
        ...{ tags: JSON.stringify(facts.tags), thread: line.thread ?? null, author },
        ...{ source: 'import', created_at: Math.min(line.created_at, now) },
        ...{ valid_from: line.valid_from, valid_to: line.valid_to ?? null },
        ...{ expires_at: line.expires_at ?? null, pinned: line.pinned ? 1 : 0 },
      };
      if (await importMemory(tx, row, now)) imported++;
    }
    return { imported, known: read.length - imported };
  });
}

type Line = z.infer<typeof lineSchema>;

function readLine(text: string, index: number): Line {
  try {
    const line = lineSchema.parse(JSON.parse(text));
    if (!isStorable(line.value) || (line.valid_to ?? Infinity) < line.valid_from) throw new Error();
    return line;
  } catch {
    throw new AosError('memory.bad-import', {
      message: `Line ${index + 1} is no memory as "aos memory export" writes them; nothing was imported`,
      fix: 'Mend that line, or leave it out',
      details: { line: index + 1 },
    });
  }
}
