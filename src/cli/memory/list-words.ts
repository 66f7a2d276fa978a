/** Lists of memories, as a person reads them. */
import type { Answer, WireMemory } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { table } from '../core/table.ts';
import { minuteOf, type WhoseOptions, whoseWords } from './words.ts';

type Listed = Answer<'listMemories'>['items'][number];

interface Listing extends WhoseOptions {
  readonly prefix: string | undefined;
  /** Whose they are where nothing is said. */
  readonly self: string | undefined;
}

/** A line each: scope where there are several, key, version, since when, and how it begins. */
export function listText(items: readonly Listed[], where: Listing): string {
  if (items.length === 0) return nothingListed(where);
  return table(
    items.map((memory) => [
      ...(where.scope === undefined ? [memory.scope] : []),
      ...[oneLine(memory.key), `v${memory.version}`, minuteOf(memory.valid_from)],
      `${memory.pinned ? '(pinned) ' : ''}${beginning(memory.value)}`,
    ]),
  );
}

function nothingListed({ scope, of, prefix, self }: Listing): string {
  const below = prefix === undefined ? '' : ` below ${quote(prefix)}`;
  if (scope !== undefined) return `Nothing is remembered${below} in ${whoseWords({ scope, of })}.`;
  return oneLine(`Nothing of ${of ?? self ?? 'yours'} is remembered${below}.`);
}

/** A line each: version, when it was so, who stored it, and how it begins. */
export function versionsText(items: readonly WireMemory[], now: Instant): string {
  return table(
    items.map((memory) => [
      ...[`v${memory.version}`, spanWords(memory), oneLine(memory.author)],
      versionWords(memory, now),
    ]),
  );
}

/** Of what was forgotten or has expired the value is not told any more. */
function versionWords(memory: WireMemory, now: Instant): string {
  const { forgotten_at, expires_at, value, pinned } = memory;
  if (forgotten_at !== undefined) return `(forgotten ${minuteOf(forgotten_at)})`;
  if (value === null && expires_at !== undefined && Date.parse(expires_at) <= now) {
    return `(expired ${minuteOf(expires_at)})`;
  }
  return `${pinned ? '(pinned) ' : ''}${beginning(value)}`;
}

function spanWords({ valid_from, valid_to }: WireMemory): string {
  const end = valid_to === undefined ? '' : ` to ${minuteOf(valid_to)}`;
  return `${minuteOf(valid_from)}${end}`;
}

const shownCharacters = 100;

function beginning(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isLong = text.length > shownCharacters;
  return oneLine(isLong ? `${text.slice(0, shownCharacters).toWellFormed()} […]` : text);
}
