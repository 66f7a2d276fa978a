/** `aos memory list` and `aos memory history`. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Answer, WireMemory } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { type MemoryScope, memoryScopes } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { table } from '../core/words.ts';
import { noMemory } from './get.ts';
import {
  keyOf,
  type MemoryAs,
  memoryVerb,
  minuteOf,
  momentOf,
  prefixOf,
  selfOf,
  type WhoseOptions,
  whose,
  whoseOptions,
  whoseWords,
  withMemory,
} from './verb.ts';

interface ListOptions extends MemoryAs, WhoseOptions {
  readonly asOf?: string;
  readonly after?: string;
  readonly limit?: string;
}

interface HistoryOptions extends MemoryAs, WhoseOptions {
  readonly before?: string;
  readonly limit?: string;
}

export function defineMemoryList(group: Command, context: Context): void {
  const list = memoryVerb(group, 'list', 'list what is remembered, by key')
    .argument('[prefix]', 'only this key and what lies below it')
    .option('--as-of <moment>', 'what was so then: 2h ago, or a date')
    .option('--after <key>', 'only keys behind this one')
    .option('--limit <n>', 'at most so many (50)')
    .addHelpText(
      'after',
      '\nLong values are cut; "aos memory get KEY" prints one whole.\n\nExamples:\n  aos memory list\n  aos memory list projects/house --scope long-term --of jean',
    );
  whoseOptions(list, 'all of them').action((prefix: string | undefined, options: ListOptions) =>
    listKeys(context, prefix, options),
  );
  const history = memoryVerb(group, 'history', 'list every version that a memory has had')
    .argument('<key>', 'such as projects/house/plan')
    .option('--before <version>', 'only versions before this one')
    .option('--limit <n>', 'at most so many (20)')
    .addHelpText(
      'after',
      '\nThe newest comes first. Of what was forgotten it says only that it was.\n\nExample:\n  aos memory history house/door --scope long-term',
    );
  whoseOptions(history).action((key: string, options: HistoryOptions) =>
    versions(context, key, options),
  );
}

const mostItems = 100_000;

function limitOf(typed: string | undefined, usual: number): number {
  return typed === undefined ? usual : numberOf('--limit', typed, { least: 1, most: mostItems });
}

async function listKeys(
  context: Context,
  typed: string | undefined,
  options: ListOptions,
): Promise<void> {
  const prefix = typed === '' ? undefined : prefixOf(typed);
  const wanted = { ...whose(options), prefix, as_of: momentOf(options.asOf) };
  const first = options.after === undefined ? undefined : keyOf(options.after);
  const limit = limitOf(options.limit, 50);
  const scopes = scopesOf(context, options);
  const found = await withMemory(context, options, async (client, acting) => {
    const pages = scopes.map((scope) =>
      upTo(limit, { first, mostAtOnce: 200 }, (cursor, some) =>
        client.listMemories({ ...wanted, scope, cursor, limit: some }, acting),
      ),
    );
    return byKey(await allowed(pages), limit);
  });
  const where = { ...options, prefix, self: selfOf(context, options) };
  context.print({ data: found, text: listText(found.items, where) });
  tellOfMore(context, found.next, '--after');
}

/** Where nothing is said, all that can hold something of theirs; the owner's are the shared ones too. */
function scopesOf(context: Context, { scope, of, as }: ListOptions): readonly MemoryScope[] {
  if (scope !== undefined) return [scope];
  const isOwner = of === undefined && selfOf(context, { as }) === 'owner';
  return memoryScopes.filter((one) => isOwner || one !== 'shared');
}

type ListedPage = Page<Answer<'listMemories'>['items'][number], string>;

/** An agent may hold one scope and not another; only where it may list none it is told so. */
async function allowed(pages: readonly Promise<ListedPage>[]): Promise<readonly ListedPage[]> {
  const settled = await Promise.allSettled(pages);
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const isDenied = (why: unknown) => why instanceof AosError && why.code === 'capability.denied';
  const failure = failures.find((why) => !isDenied(why)) ?? failures[0];
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (failure !== undefined && (found.length === 0 || !isDenied(failure))) throw failure;
  return found;
}

/** A key that several scopes have is not torn apart: "--after" goes on behind all of them. */
function byKey(pages: readonly ListedPage[], limit: number): ListedPage {
  const all = pages
    .flatMap(({ items }) => items)
    .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  const last = all[Math.min(limit, all.length) - 1]?.key;
  const items = all.slice(0, all.findLastIndex(({ key }) => key === last) + 1);
  const hasMore = items.length < all.length || pages.some(({ next }) => next !== null);
  return { items, next: hasMore ? (last ?? null) : null };
}

async function versions(context: Context, typed: string, options: HistoryOptions): Promise<void> {
  const place = { ...whose(options), key: keyOf(typed) };
  const first =
    options.before === undefined
      ? undefined
      : numberOf('--before', options.before, { least: 1, most: 999_999_999 });
  const limit = limitOf(options.limit, 20);
  const found = await withMemory(context, options, (client, acting) =>
    upTo(limit, { first, mostAtOnce: 100 }, (before, some) =>
      client.memoryHistory({ ...place, before, limit: some }, acting),
    ),
  );
  if (found.items.length === 0 && first === undefined) throw noMemory(place);
  context.print({ data: found, text: versionsText(found.items, composeEngines().clock.now()) });
  tellOfMore(context, found.next, '--before');
}

interface Page<Item, Place> {
  readonly items: readonly Item[];
  readonly next: Place | null;
}

interface Pages<Place> {
  readonly first: Place | undefined;
  readonly mostAtOnce: number;
}

/** Page by page, until there are so many or no more. */
async function upTo<Item, Place>(
  limit: number,
  { first, mostAtOnce }: Pages<Place>,
  pageFrom: (place: Place | undefined, limit: number) => Promise<Page<Item, Place>>,
): Promise<Page<Item, Place>> {
  const items: Item[] = [];
  let next: Place | null | undefined = first;
  do {
    const page: Page<Item, Place> = await pageFrom(
      next ?? undefined,
      Math.min(limit - items.length, mostAtOnce),
    );
    items.push(...page.items);
    next = page.next;
  } while (next !== null && items.length < limit);
  return { items, next };
}

function tellOfMore({ terminal }: Context, next: string | number | null, option: string): void {
  if (next === null) return;
  terminal.err(`There are more: --limit N, or ${option} ${quote(String(next))}.\n`);
}

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
