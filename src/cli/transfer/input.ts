/** What the commands about transfers are given: sizes, metadata, recipients, ids. */
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { durationOf } from '../core/input.ts';

const factors: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 },
  ...{ ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30, ti: 2 ** 40 },
};

/** `500`, `64k`, `5M`, `1.5GB`, `10MiB`: in bytes. */
export function sizeOf(option: string, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmgt]?i?)b?$/i.exec(text) ?? [];
  const factor = factors[unit.toLowerCase()];
  const bytes = amount === undefined ? 0 : Math.round(Number(amount) * (factor ?? 0));
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new AosError('usage.bad-value', {
    message: `${option} wants a size, and got ${quote(text.slice(0, 100))}`,
    fix: `Write it as 500k, 5M or 1.5G: ${option} 5M`,
  });
}

/** An object in JSON. */
export function metadataOf(text: string): Record<string, unknown> {
  const value = parsed(text);
  // What JSON.parse gives, and is neither null nor a list, is an object with text for keys.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new AosError('usage.bad-value', {
    message: `--metadata wants an object in JSON, and got ${quote(text.slice(0, 100))}`,
    fix: `Quote it for your shell: --metadata '{"project":"referral-flow"}'`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever is wrong with it, the answer is the same.
    return undefined;
  }
}

/** Of `--to a,b` and `--to a --to b`. */
export function recipientsOf(given: readonly string[]): string[] {
  const names = given
    .flatMap((words) => words.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > 0) return [...new Set(names)];
  throw new AosError('usage.missing-argument', {
    message: 'Nobody is named who should get it',
    fix: 'agent-transfer send FILE --to jared,jean',
  });
}

/** An id of a transfer, or enough of its beginning. What is none would be another path. */
export function transferIdOf(typed: string): string {
  return idOf(typed, 'transfer', '"agent-transfer list" and "sent" show them');
}

/** The same for a link. */
export function linkIdOf(typed: string): string {
  return idOf(typed, 'link', '"agent-transfer links" shows them');
}

function idOf(typed: string, what: string, where: string): string {
  if (looksLikeId(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a ${what}, nor the beginning of one`,
    fix: `Give at least four of its hex digits, as ${where}`,
  });
}

const mostMs = 366 * 24 * 3_600_000;

/** How long something is kept: at least a second, and at most a year. */
export function lifetimeOf(option: string, text: string): number {
  const ms = durationOf(option, text);
  if (ms >= 1000 && ms <= mostMs) return ms;
  throw new AosError('usage.bad-value', {
    message: `${option} is from 1s to 366d, and not ${quote(text.slice(0, 100))}`,
    fix: `${option} 24h`,
  });
}

export function looksLikeId(typed: string): boolean {
  return /^[0-9a-f][0-9a-f-]{3,35}$/.test(typed);
}
