/** Which values can be remembered, and how they are stored. */
import { AosError } from '../errors.ts';
import { memoryLimits } from './memory.ts';

/** A text as it is, anything else as JSON. */
export interface StoredValue {
  readonly value: string;
  readonly is_json: 0 | 1;
}

export const deepest = 100;

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
