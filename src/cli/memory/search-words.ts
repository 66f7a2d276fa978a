/** What a search among memories has found, as a person reads it. */
import type { Body, WireMemoryHit } from '../../gateway/contract/contract.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { table } from '../core/table.ts';
import { dayOf, whoseWords } from './words.ts';

interface Telling {
  /** Whose memories need no name. */
  readonly self: string | undefined;
  readonly explains: boolean;
}

/** A line each: score, where, key, since when, and the stretch that fits. */
export function foundText(hits: readonly WireMemoryHit[], { self, explains }: Telling): string {
  const lines = table(hits.map((hit) => row(hit, self))).split('\n');
  return hits
    .flatMap((hit, index) => [lines[index] ?? '', ...(explains ? [partsLine(hit)] : [])])
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
