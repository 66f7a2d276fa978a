/**
 * Lines of memories on their way in, as exportMemoriesOf() writes them.
 *
 * I1. All lines or none. They are read and laid down in the ledger first, a slice at a time, and
 *     only then brought in: a wrong line, or a process that dies before the last was laid down,
 *     leaves nothing. Once all are, they are brought in, by the next process if need be: before it
 *     answers any caller, so that none sees a part.
 * I2. A slice is one transaction, short enough that no other caller notices. It is taken away in
 *     the transaction that brings it in, so that none is brought in twice. A reader meanwhile sees
 *     the slices that are in.
 */

import * as z from 'zod';
import { AosError } from '../kernel/errors.ts';
import {
  isMemoryKey,
  type MemoryScope,
  memoryLimits,
  memoryScopes,
  sharedOwner,
} from '../kernel/memory/memory.ts';
import { isStorable, storedValue } from '../kernel/memory/value.ts';
import { must } from '../kernel/must.ts';
import { newId } from '../kernel/new-id.ts';
import type { Instant } from '../kernel/ports.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { readState, removeState, type Sql, statesBelow, writeState } from '../ledger/ledger.ts';
import {
  exportMemories,
  importMemory,
  type MemoryRow,
  type NewMemoryRow,
} from '../ledger/memory/memories.ts';
import type { MemoryDeps } from './deps.ts';
import { hashOf, readValue } from './store.ts';

export interface Imported {
  readonly imported: number;
  /** Those that were there already. */
  readonly known: number;
}

type ImportDeps = Pick<MemoryDeps, 'ledger' | 'clock' | 'random'>;

const prefix = 'memory.import/';
const mostLines = 200;
const mostCharacters = 256 * 1024;

export class MemoryImports {
  readonly #deps: ImportDeps;
  /** How many this process is at. */
  #running = 0;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  /** What is there already stays as it is; the rest gets versions behind it. */
  async take(owner: string, lines: readonly string[]): Promise<Imported> {
    const { clock, random } = this.#deps;
    const id = newId(clock.now(), random);
    this.#running++;
    try {
      await this.#layDown(id, owner, lines);
      return await this.#bringIn(id).catch((failure: unknown) => {
        throw goesOnLater(failure);
      });
    } finally {
      this.#running--;
    }
  }

  /** Goes on with what a process before this one has laid down whole, and drops what it has not. */
  async goOn(): Promise<void> {
    const { ledger } = this.#deps;
    // Those are not cut off, and others wait for the next time.
    while (this.#running === 0) {
      const [left] = await statesBelow(ledger.committed, prefix, 1);
      if (left === undefined) return;
      const id = must(left.key.slice(prefix.length).split('/')[0], 'the id of an import');
      if ((await readState(ledger.committed, doneKey(id))) === undefined) await this.#drop(id);
      else await this.#bringIn(id);
    }
  }

  /** I1 */
  async #layDown(id: string, owner: string, lines: readonly string[]): Promise<void> {
    const { ledger, clock } = this.#deps;
    try {
      for (const { start, end } of slicesOf(lines)) {
        const now = clock.now();
        const rows = lines
          .slice(start, end)
          .flatMap((line, index) =>
            line.trim() === '' ? [] : rowOf(owner, readLine(line, start + index), now),
          );
        const value = JSON.stringify(rows);
        await ledger.transact((tx) => writeState(tx, sliceKey(id, start), value, now));
      }
      await ledger.transact((tx) => writeState(tx, doneKey(id), owner, clock.now()));
    } catch (failure) {
      // What a full disk keeps from being dropped now, goOn() drops.
      await this.#drop(id).catch(() => {});
      throw failure;
    }
  }

  /** I2 */
  async #bringIn(id: string): Promise<Imported> {
    const { ledger, clock } = this.#deps;
    let [imported, known] = [0, 0];
    for (;;) {
      const rows = await ledger.transact(async (tx) => {
        const [slice] = await statesBelow(tx, slicePrefix(id), 1);
        if (slice === undefined) {
          await removeState(tx, doneKey(id));
          return undefined;
        }
        // Of our own making.
        const all = JSON.parse(slice.value ?? '[]') as readonly NewMemoryRow[];
        let fresh = 0;
        for (const row of all) if (await importMemory(tx, row, clock.now())) fresh++;
        await removeState(tx, slice.key);
        return { fresh, all: all.length };
      });
      if (rows === undefined) return { imported, known };
      imported += rows.fresh;
      known += rows.all - rows.fresh;
    }
  }

  async #drop(id: string): Promise<void> {
    const { ledger } = this.#deps;
    for (;;) {
      const [slice] = await statesBelow(ledger.committed, slicePrefix(id), 1);
      if (slice === undefined) return;
      await ledger.transact((tx) => removeState(tx, slice.key));
    }
  }
}

/** I1: what was laid down whole is not taken back, so the caller must not bring it again. */
function goesOnLater(failure: unknown): unknown {
  if (!(failure instanceof AosError) || failure.code !== 'ledger.full') return failure;
  return new AosError('ledger.full', {
    message: 'The disk is full. All lines are taken, and a part of them is in',
    fix: 'Free some space, or aos gc; the rest comes by itself within a minute',
    cause: failure,
  });
}

interface Slice {
  readonly start: number;
  readonly end: number;
}

/** I2 */
function* slicesOf(lines: readonly string[]): Generator<Slice> {
  for (let start = 0; start < lines.length; ) {
    let end = start;
    let characters = 0;
    while (end < lines.length && end - start < mostLines && characters < mostCharacters) {
      characters += must(lines[end], 'a line of the import').length;
      end++;
    }
    yield { start, end };
    start = end;
  }
}

function slicePrefix(id: string): string {
  return `${prefix}${id}/`;
}

function sliceKey(id: string, start: number): string {
  return `${slicePrefix(id)}${String(start).padStart(10, '0')}`;
}

/** With it all slices are there. */
function doneKey(id: string): string {
  return `${prefix}${id}`;
}

function rowOf(owner: string, { author = owner, ...line }: Line, now: number): NewMemoryRow {
  const value = storedValue(line.value);
  const facts = { tags: [...new Set(line.tags)].sort(), thread: line.thread };
  return {
    owner: line.scope === 'shared' ? sharedOwner : owner,
    ...{ scope: line.scope, key: line.key, ...value, hash: hashOf(value, facts) },
    ...{ tags: JSON.stringify(facts.tags), thread: line.thread ?? null, author },
    ...{ source: 'import', created_at: Math.min(line.created_at, now) },
    ...{ valid_from: line.valid_from, valid_to: line.valid_to ?? null },
    ...{ expires_at: line.expires_at ?? null, pinned: line.pinned ? 1 : 0 },
  };
}

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

const time = z.iso.datetime().transform((text) => Date.parse(text));
const name = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));

type Line = z.infer<typeof lineSchema>;

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

/**
 * Memories as lines of JSON, to keep elsewhere or to bring into another home. Versions come in
 * their order, so that an import makes the same history; what was forgotten or has expired is not
 * among them. A line for each version.
 */
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
