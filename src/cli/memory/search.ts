/** `aos memory search`. */
import { type Command, Option } from 'commander';
import type { Body, WireMemoryHit } from '../../gateway/contract/contract.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { repeated, table } from '../core/words.ts';
import {
  dayOf,
  type MemoryAs,
  memoryVerb,
  momentOf,
  prefixOf,
  selfOf,
  type WhoseOptions,
  whose,
  whoseOptions,
  whoseWords,
  withMemory,
} from './verb.ts';

interface SearchOptions extends MemoryAs, WhoseOptions {
  readonly prefix?: string;
  readonly tag?: readonly string[];
  readonly after?: string;
  readonly before?: string;
  readonly limit?: string;
  readonly by?: 'memory' | 'thread';
  readonly explain?: true;
}

export function defineMemorySearch(group: Command, context: Context): void {
  const command = memoryVerb(group, 'search', 'find memories by what they say')
    .argument('<words...>', 'a question, or words')
    .option('--prefix <key>', 'only this key and what lies below it')
    .option('--tag <tag>', 'only with this tag (may be repeated: all of them)', repeated)
    .option('--after <moment>', 'not before: 2h, 7d, or a date')
    .option('--before <moment>', 'before: 2h, 7d, or a date')
    .option('--limit <n>', 'at most so many, up to 50 (10)')
    .addOption(
      new Option('--by <what>', 'thread: the best of each conversation').choices([
        ...['memory', 'thread'],
      ]),
    )
    .option('--explain', 'say what each score is made of')
    .addHelpText(
      'after',
      '\nThe likeliest comes first. "A phrase" in quotes stands together, hous* is the beginning of\na word, and what is said of time, as last week or in May, brings what is of then to the top.\n\nExamples:\n  aos memory search what colour is the door\n  aos memory search \'"green door" paint*\' --scope long-term --of jean --explain',
    );
  whoseOptions(command, 'all of them').action((words: readonly string[], options: SearchOptions) =>
    search(context, words.join(' '), options),
  );
}

const most = { least: 1, most: 50 };

async function search(context: Context, query: string, options: SearchOptions): Promise<void> {
  const { tag, after, before, limit, by } = options;
  const request = {
    ...{ ...whose(options), query, tags: tag && [...tag], by, prefix: prefixOf(options.prefix) },
    ...{ after: momentOf(after), before: momentOf(before) },
    limit: limit === undefined ? undefined : numberOf('--limit', limit, most),
  };
  const found = await withMemory(context, options, (client, acting) =>
    client.searchMemory(request, acting),
  );
  const text =
    found.hits.length === 0
      ? nothingText(request)
      : foundText(found.hits, {
          self: selfOf(context, options),
          explains: options.explain === true,
        });
  context.print({ data: found, text });
  if (found.time !== undefined) {
    context.terminal.err(
      `The question says when (${oneLine(found.time)}): what is of then comes first.\n`,
    );
  }
}

interface Telling {
  /** Whose memories need no name. */
  readonly self: string | undefined;
  readonly explains: boolean;
}

/** A line each: score, where, key, since when, and the stretch that fits. */
export function foundText(hits: readonly WireMemoryHit[], { self, explains }: Telling): string {
  const lines = table(hits.map((hit) => row(hit, self))).split('\n');
  return hits
    .flatMap((hit, index) => [
      must(lines[index], 'the line of a hit'),
      ...(explains ? [partsLine(hit)] : []),
    ])
    .join('\n');
}

function row(hit: WireMemoryHit, self: string | undefined): string[] {
  const { score, scope, key, valid_from, snippet } = hit;
  const of = scope === 'shared' || hit.of === self ? undefined : hit.of;
  return [
    ...[score.toFixed(2), whoseWords({ scope, of }), oneLine(key), dayOf(valid_from)],
    oneLine(`${snippet}${alikeWords(hit)}`),
  ];
}

/** So many are named. */
const mostNamed = 3;

/** They are of the owner and in the scope of the hit, so that their keys say where they are. */
function alikeWords({ alike, alike_keys, alike_more = false }: WireMemoryHit): string {
  if (alike === 0) return '';
  const named = alike_keys.slice(0, mostNamed).map(({ key }) => key);
  const rest = alike > named.length || alike_more ? ['…'] : [];
  const count = alike_more ? `at least ${alike}` : alike;
  return ` (and ${count} more like it: ${[...named, ...rest].join(', ')})`;
}

function partsLine({ score_parts: { words, dense, recency } }: WireMemoryHit): string {
  const meaning = dense === undefined ? '' : `, meaning ${dense.toFixed(2)}`;
  return `      words ${words.toFixed(2)}${meaning}, recency ${recency.toFixed(2)}`;
}

type Searched = Pick<Body<'searchMemory'>, 'query' | 'scope' | 'of' | 'prefix' | 'tags'> & {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
};

/** That nothing was found, and where it was looked for. */
export function nothingText({ query, scope, of, prefix, tags, after, before }: Searched): string {
  const words = [
    `in ${whoseWords({ scope, of }, 'all scopes')}`,
    ...(prefix === undefined ? [] : [`below ${quote(prefix)}`]),
    ...(tags === undefined ? [] : [`with ${tags.map(quote).join(' and ')}`]),
    ...(after === undefined ? [] : [`not before ${dayOf(after)}`]),
    ...(before === undefined ? [] : [`before ${dayOf(before)}`]),
  ];
  return `Nothing was found for ${quote(query)} ${words.join(', ')}.`;
}
