/** Storing: word for word, as a new version, unless the same stands there already. */

import { createHash } from 'node:crypto';
import {
  checkMemoryKey,
  type Memory,
  type MemoryKey,
  memoryLimits,
} from '../kernel/memory/memory.ts';
import { badValue, deepest, type StoredValue, storedValue } from '../kernel/memory/value.ts';
import type { Instant } from '../kernel/ports.ts';
import { canonicalJson } from '../kernel/text/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import {
  findMemory,
  findMemoryFrom,
  insertMemory,
  type MemoryRow,
  newestMemory,
  nextBeginning,
  setMemoryEnd,
} from '../ledger/memory/memories.ts';
import { noteMemoryUses } from '../ledger/memory/uses.ts';
import { unknownAgent } from '../security/register.ts';

export interface NewMemory {
  readonly place: MemoryKey;
  readonly value: unknown;
  readonly tags?: readonly string[] | undefined;
  readonly thread?: string | undefined;
  /** When it became so, and ended; from now on, and to no end, where nothing is said. */
  readonly validFrom?: Instant | undefined;
  readonly validTo?: Instant | undefined;
  /** How long it is kept; for good where nothing is said. */
  readonly ttlMs?: number | undefined;
  readonly isPinned?: boolean | undefined;
  readonly author: string;
  readonly source: string;
  /** Who else has seen it with that: the operation that the source is a part of. */
  readonly operation?: string | undefined;
}

export interface Stored {
  readonly row: MemoryRow;
  /** False where the same stood there already. */
  readonly isNew: boolean;
}

/** As a part of a larger change; it may be run again under the same source. */
export async function storeIn(tx: Transaction, wanted: NewMemory, now: Instant): Promise<Stored> {
  const { place, source } = wanted;
  const facts = checked(wanted, now);
  await checkOwner(tx, wanted);
  const newest = await newestMemory(tx, place);
  const made = newest && (await findMemoryFrom(tx, place, source));
  if (made !== undefined) return { row: made, isNew: true };
  const stored = await storeFacts(tx, wanted, { facts, newest, now });
  // What said the same has it in its arguments too.
  if (!stored.isNew) await noteMemoryUses(tx, [stored.row.id], source);
  if (wanted.operation !== undefined) {
    await noteMemoryUses(tx, [stored.row.id], `operation:${wanted.operation}`);
  }
  return stored;
}

/** A caller that stores something for another may have mistyped the name. */
async function checkOwner(tx: Transaction, { place: { owner }, author }: NewMemory): Promise<void> {
  if (owner === author || author === 'system' || !owner.startsWith('agent:')) return;
  const name = owner.slice('agent:'.length);
  if ((await findAgent(tx, name)) === undefined) throw unknownAgent(name);
}

interface Storing {
  readonly facts: ReturnType<typeof checked>;
  readonly newest: Awaited<ReturnType<typeof newestMemory>>;
  readonly now: Instant;
}

async function storeFacts(
  tx: Transaction,
  { place, author, source }: NewMemory,
  { facts, newest, now }: Storing,
): Promise<Stored> {
  const present = newest && (await findMemory(tx, place, { now, at: null }));
  const { validFrom } = facts;
  const then =
    newest && validFrom !== undefined
      ? await findMemory(tx, place, { now, at: validFrom })
      : present;
  if (then !== undefined && (await saysAllOf(tx, then, { facts, now }))) {
    return { row: await withEnd(tx, then, facts), isNew: false };
  }
  const memory = {
    ...{ ...place, author, source, created_at: now },
    ...{ value: facts.value, is_json: facts.is_json, hash: facts.hash, tags: facts.tags },
    ...{ thread: facts.thread, valid_from: facts.validFrom ?? now, valid_to: facts.validTo },
    ...{ expires_at: facts.expiresAt ?? null, pinned: facts.pinned ?? present?.pinned ?? 0 },
  };
  const isFromNow = validFrom === undefined;
  return { row: await insertMemory(tx, memory, { newest, isFromNow, now }), isNew: true };
}

/** Whether a version says the same, and of all the time that is said now. */
async function saysAllOf(
  tx: Transaction,
  row: MemoryRow,
  { facts: { hash, validFrom, validTo }, now }: Pick<Storing, 'facts' | 'now'>,
): Promise<boolean> {
  if (row.hash !== hash || (validFrom !== undefined && row.valid_from > validFrom)) return false;
  if (row.valid_to === validTo) return true;
  if (validTo !== null) return false;
  const isFromNow = validFrom === undefined;
  const beginning = { place: row, valid_from: validFrom ?? now, isFromNow, now };
  return row.valid_to === (await nextBeginning(tx, beginning));
}

/** What was stored again lives as long as it was told last. */
async function withEnd(
  tx: Transaction,
  row: MemoryRow,
  { pinned = row.pinned, expiresAt }: ReturnType<typeof checked>,
): Promise<MemoryRow> {
  const expires_at = expiresAt ?? null;
  if (row.pinned === pinned && row.expires_at === expires_at) return row;
  await setMemoryEnd(tx, row.id, { pinned, expires_at });
  return { ...row, pinned, expires_at };
}

function checked(wanted: NewMemory, now: Instant) {
  const { place, tags = [], thread, validFrom, validTo, ttlMs, isPinned } = wanted;
  checkMemoryKey(place.key);
  const sorted = [...new Set(tags)].sort();
  checkTags(sorted);
  if (thread !== undefined) checkName('thread', thread, memoryLimits.threadCharacters);
  for (const time of [validFrom, validTo]) {
    if (time !== undefined && !Number.isSafeInteger(time)) throw badValue('a time of it is none');
  }
  if (validTo !== undefined && validTo <= (validFrom ?? now)) {
    throw badValue('it would end before it began');
  }
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs > 0)) {
    throw badValue('how long it is kept is no time');
  }
  const value = storedValue(wanted.value);
  return {
    ...value,
    hash: hashOf(value, { tags: sorted, thread }),
    tags: JSON.stringify(sorted),
    thread: thread ?? null,
    validFrom,
    validTo: validTo ?? null,
    expiresAt: ttlMs === undefined ? undefined : now + ttlMs,
    pinned: isPinned === undefined ? undefined : isPinned ? (1 as const) : (0 as const),
  };
}

function checkTags(tags: readonly string[]): void {
  if (tags.length > memoryLimits.tags) throw badValue(`it has more than ${memoryLimits.tags} tags`);
  for (const tag of tags) checkName('tag', tag, memoryLimits.tagCharacters);
}

function checkName(what: string, text: string, longest: number): void {
  const isName = text !== '' && text.length <= longest && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
  if (isName) return;
  throw badValue(`a ${what} is a name of at most ${longest} characters, with nothing unseen in it`);
}

// Values that were stored: read back, compared, and what of them can be searched.

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
