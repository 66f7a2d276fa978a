/**
 * What is found, as it is told: without what says nearly the same again. Only what one owner has in
 * one scope is told by another of them: nobody's words stand for somebody else's.
 */
import type { AlikeHit, IndexFound, IndexHit, IndexQuery } from '../../kernel/memory/index-port.ts';
import { mostFitting, type Ranked } from '../../memory/search/fitting.ts';
import { recency } from '../../memory/search/order.ts';
import type { QueryUnit } from '../../memory/search/query.ts';
import { mostLookedAt, snippetOf } from '../../memory/search/snippet.ts';
import { idOf, type MemoryStore, placeOf } from './memory-store.ts';

interface Asked {
  readonly units: readonly QueryUnit[];
  readonly query: IndexQuery;
}

/** The best, and those of its place that say the same. */
type Group = [Ranked, ...Ranked[]];

export function hitsOf(
  store: MemoryStore,
  ordered: readonly Ranked[],
  { units, query }: Asked,
): IndexFound {
  const groups = groupsOf(store, ordered, query);
  const fitting = Map.groupBy(ordered, ({ ground }) => ground);
  const hits = groups.slice(0, query.limit).map(([best, ...alike]): IndexHit => {
    return {
      ...factsOf(best, query),
      snippet: snippetIn(store, best, units),
      alike: alike.map((each) => factsOf(each, query)),
      hasMoreAlike: (fitting.get(best.ground)?.length ?? 0) >= mostFitting,
    };
  });
  return { hits, hasMore: groups.length > query.limit };
}

/** In the order of their best. */
function groupsOf(
  store: MemoryStore,
  ordered: readonly Ranked[],
  { by, once = 'alike' }: IndexQuery,
): readonly Group[] {
  // A thread is told once, whatever another one says.
  if (by === 'thread') return ordered.map((each) => [each]);
  const sayings = sayingsOf(store, ordered.map(numberIn), once);
  const groups = new Map<string, Group>();
  for (const each of ordered) {
    const number = numberIn(each);
    const said = `${placeOf(number)} ${sayings.get(number) ?? `alone ${number}`}`;
    const group = groups.get(said);
    if (group === undefined) groups.set(said, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

function sayingsOf(
  store: MemoryStore,
  numbers: readonly number[],
  once: 'alike' | 'equal',
): ReadonlyMap<number, string> {
  return new Map(
    store.lists<[number: number, saying: string]>(
      `select number, ${once === 'alike' ? 'saying' : 'wording'} from memory
       where number in (select value from json_each(?))`,
      JSON.stringify(numbers),
    ),
  );
}

function numberIn({ ground, row }: Ranked): number {
  return ground.numberOf(row);
}

function factsOf({ ground, row, score, words, meaning }: Ranked, { now }: IndexQuery): AlikeHit {
  const parts = {
    words,
    ...(meaning === undefined ? {} : { dense: meaning }),
    recency: recency(ground.times[row] ?? now, now),
  };
  return { id: idOf(ground.numberOf(row)), score, parts };
}

function snippetIn(store: MemoryStore, ranked: Ranked, units: readonly QueryUnit[]): string {
  // One more, so that it is seen that there is more.
  return snippetOf(textOf(store, ranked, mostLookedAt + 1), units);
}

/** Its beginning. */
function textOf(store: MemoryStore, ranked: Ranked, mostCharacters: number): string {
  const found = store.get<{ text: string }>(
    'select substr(text, 1, ?) as text from memory where number = ?',
    ...[mostCharacters, numberIn(ranked)],
  );
  return found?.text ?? '';
}
