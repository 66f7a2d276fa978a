/** Values as they are stored, and what of them can be searched. */
import { createHash } from 'node:crypto';
import { AosError } from '../kernel/errors.ts';
import { type Memory, memoryLimits } from '../kernel/memory/memory.ts';
import { canonicalJson } from '../kernel/text/quote.ts';
import type { MemoryRow } from '../ledger/memory/memories.ts';

const deepest = 100;

export type StoredValue = Pick<MemoryRow, 'value' | 'is_json'>;

/** A text as it is, anything else as JSON. Throws `memory.bad-value` and `memory.too-large`. */
export function storedValue(value: unknown): StoredValue {
  const isText = typeof value === 'string';
  const text = isText ? value : jsonOf(value);
  if (text === undefined) throw badValue('JSON cannot hold it');
  if (!isText && !isPlainJson(value)) throw badValue('JSON cannot hold it as it is');
  if (!text.isWellFormed()) throw badValue('it has half a character in it');
  if (isText && text.includes('\0')) throw badValue('it has a NUL in it');
  const bytes = Buffer.byteLength(text);
  if (bytes > memoryLimits.valueBytes) throw tooLarge(bytes);
  return { value: text, is_json: isText ? 0 : 1 };
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    throw badValue('it is nested too deeply, or contains itself');
  }
}

/** Whether `storedValue` takes it. */
export function isStorable(value: unknown): boolean {
  try {
    storedValue(value);
    return true;
  } catch {
    return false;
  }
}

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

/**
 * Whether JSON holds it as it is: no number that is none, and nothing deeper than a person writes.
 * Not by calling itself: it may be very deep.
 */
export function isPlainJson(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (
      depth > deepest ||
      level.some((each) => typeof each === 'number' && !Number.isFinite(each))
    ) {
      return false;
    }
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return true;
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

export function badValue(why: string, fix = 'Store a text, or what JSON can hold'): AosError {
  return new AosError('memory.bad-value', {
    message: `That cannot be remembered: ${why}`,
    fix,
  });
}

function tooLarge(bytes: number): AosError {
  return new AosError('memory.too-large', {
    message: `A memory has at most ${memoryLimits.valueBytes} bytes, and this one has ${bytes}`,
    fix: 'Store it as a file, and remember where it lies',
    details: { bytes, limit_bytes: memoryLimits.valueBytes },
  });
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
