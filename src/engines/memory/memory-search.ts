/** A search in the index: what fits by its words and by its meaning, in order. */
import type { AlikeHit, IndexFound, IndexHit, IndexQuery } from '../../kernel/memory/index-port.ts';
import { must } from '../../kernel/must.ts';
import { type Ground, none } from '../../memory/search/ground.ts';
import {
  allOf,
  anyOf,
  matchOf,
  type QueryUnit,
  readQuery,
  wordsAsked,
} from '../../memory/search/query.ts';
import {
  byThread,
  type FittingMemory,
  fittingIn,
  fused,
  inOrder,
  mostFitting,
  type RankedMemory,
  recency,
} from '../../memory/search/ranking.ts';
import {
  likelihoods,
  type NearRow,
  nearnessOf,
  rarity,
  type Scores,
  scoreMeaning,
  scoreWords,
  type UnitRows,
} from '../../memory/search/scores.ts';
import { mostLookedAt, snippetOf } from '../../memory/search/snippet.ts';
import type { Grounds, PlacedGround } from './memory-grounds.ts';
import { idOf, type MemoryStore, numberOf, placeOf } from './memory-store.ts';

export function searchMemories(
  store: MemoryStore,
  grounds: Grounds,
  query: IndexQuery,
): IndexFound {
  const units = readQuery(query.query);
  const places = grounds.within(query);
  const meaning = query.vector && meaningIn(store, places, query.vector);
  const fitting = fittingByWords(store, places, { units, query, meaning });
  const ranked = fused(fitting);
  const ordered = inOrder(query.by === 'thread' ? byThread(ranked) : ranked);
  return hitsOf(store, ordered, { units, query });
}

interface IndexAsked {
  readonly units: readonly QueryUnit[];
  readonly query: IndexQuery;
  /** By place. */
  readonly meaning: ReadonlyMap<number, Scores> | undefined;
}

function fittingByWords(
  store: MemoryStore,
  places: readonly PlacedGround[],
  { units, query, meaning }: IndexAsked,
): readonly FittingMemory[] {
  const found = places.map((placed) => ({
    ...placed,
    units: rowsWith(store, placed.ground, units),
  }));
  const all = sum(places.map(({ ground }) => ground.size));
  const length = Math.max(1, sum(places.map(({ ground }) => ground.totalLength)) / all);
  const rarities = units.map((_, index) =>
    rarity(sum(found.map((each) => must(each.units[index], 'the rows of a unit').count)), all),
  );
  const circumstances = { words: wordsAsked(units), likelier: query.likelier };
  return found.flatMap(({ place, ground, units: rows }) => {
    const likelihood = likelihoods(ground, circumstances);
    const words = scoreWords({ ground, units: rows }, rarities, length).multiply(likelihood);
    return fittingIn(ground, words, meaning?.get(place)?.multiply(likelihood));
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** So many of the nearest are compared. */
const mostNear = 1000;

interface NearInPlace extends NearRow {
  readonly place: number;
}

/** How near what may be found is to the vector, by place; undefined where nothing has a vector. */
function meaningIn(
  store: MemoryStore,
  places: readonly PlacedGround[],
  vector: Float32Array,
): ReadonlyMap<number, Scores> | undefined {
  const near = nearestIn(store, places, vector);
  if (near.length === 0) return undefined;
  const nearness = nearnessOf(near.map(({ similarity }) => similarity));
  const byPlace = Map.groupBy(near, ({ place }) => place);
  return new Map(
    places.map(({ place, ground }) => {
      return [place, scoreMeaning(ground, byPlace.get(place) ?? [], nearness)];
    }),
  );
}

function nearestIn(
  store: MemoryStore,
  places: readonly PlacedGround[],
  vector: Float32Array,
): readonly NearInPlace[] {
  // An id is in one place only.
  const found = new Map<number, { readonly place: number; readonly row: number }>();
  const isWanted = (id: number) => {
    for (const { place, ground } of places) {
      const row = ground.rowOf(numberOf(place, id));
      if (row !== none) found.set(id, { place, row });
    }
    return found.has(id);
  };
  return store.vectors
    .nearest(vector, mostNear, isWanted)
    .map(({ id, similarity }) => ({ place: none, row: none, ...found.get(id), similarity }));
}

const mostRows = 2000;

interface FoundUnit extends UnitRows {
  /** How many have it, about. */
  readonly count: number;
}

/**
 * The rows of each unit of the query, in the order of the units.
 *
 * W1. A word that very many have says little: of those only the newest are read, those that have a
 *     rarer word too, and those that have all such words. How many there are is guessed from how
 *     close together the newest stand. So a query takes about as long among a hundred thousand as
 *     among a thousand.
 */
function rowsWith(
  store: MemoryStore,
  ground: Ground,
  units: readonly QueryUnit[],
): readonly FoundUnit[] {
  const texts = units.map((unit) => matchOf(unit, 'text'));
  const newest = texts.map((match) => rowsMatching(store, ground, match));
  const more = moreOfCommon(store, ground, { texts, newest });
  return units.map((unit, index) => {
    const first = must(newest[index], 'the newest rows of a unit');
    const text = [...first, ...(more[index] ?? [])];
    const isCommon = first.length === mostRows;
    // For what is common even a look at where else it stands would take long.
    const rowsIn = (column: 'again' | 'label') =>
      isCommon ? [] : rowsMatching(store, ground, matchOf(unit, column));
    const [again, label] = [text.length === 0 ? [] : rowsIn('again'), rowsIn('label')];
    const count = Math.max(countOf(ground, first), label.length);
    return { text: [...new Set(text)], again, label, isCommon, count };
  });
}

/** The newest first. */
function rowsMatching(store: MemoryStore, ground: Ground, match: string): readonly number[] {
  const lowest = ground.numberOf(0);
  const rows: number[] = [];
  for (let below = ground.numberOf(ground.rows - 1); ; ) {
    const page = store.lists<[number: number]>(
      `select rowid from words where words match ? and rowid between ? and ?
       order by rowid desc limit ${mostRows}`,
      ...[match, lowest, below],
    );
    for (const [number] of page) {
      const row = ground.rowOf(number);
      if (row !== none) rows.push(row);
      if (rows.length === mostRows) return rows;
    }
    if (page.length < mostRows) return rows;
    below = (page.at(-1)?.[0] ?? lowest) - 1;
  }
}

interface NewestRows {
  readonly texts: readonly string[];
  readonly newest: readonly (readonly number[])[];
}

/** W1 */
function moreOfCommon(
  store: MemoryStore,
  ground: Ground,
  { texts, newest }: NewestRows,
): readonly (readonly number[])[] {
  const isCommon = (index: number) => newest[index]?.length === mostRows;
  const common = texts.filter((_, index) => isCommon(index));
  const rare = texts.filter((_, index) => !isCommon(index));
  const withAll = common.length > 1 ? rowsMatching(store, ground, allOf(common)) : [];
  return texts.map((text, index) => {
    if (!isCommon(index)) return [];
    const withRare = rare.length === 0 ? [] : [allOf([anyOf(rare), text])];
    return [...withAll, ...withRare.flatMap((match) => rowsMatching(store, ground, match))];
  });
}

function countOf(ground: Ground, rows: readonly number[]): number {
  const last = rows.at(-1);
  if (last === undefined || rows.length < mostRows) return rows.length;
  return (rows.length * ground.rows) / (ground.rows - last);
}

interface HitsAsked {
  readonly units: readonly QueryUnit[];
  readonly query: IndexQuery;
}

/** The best, and those of its place that say the same. */
type Group = [RankedMemory, ...RankedMemory[]];

/**
 * What is found, as it is told: without what says nearly the same again. Only what one owner has in
 * one scope is told by another of them: the words of one owner never stand for those of another.
 */
function hitsOf(
  store: MemoryStore,
  ordered: readonly RankedMemory[],
  { units, query }: HitsAsked,
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
  ordered: readonly RankedMemory[],
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

function numberIn({ ground, row }: RankedMemory): number {
  return ground.numberOf(row);
}

function factsOf(
  { ground, row, score, words, meaning }: RankedMemory,
  { now }: IndexQuery,
): AlikeHit {
  const parts = {
    words,
    ...(meaning === undefined ? {} : { dense: meaning }),
    recency: recency(must(ground.times[row], 'the time of a row'), now),
  };
  return { id: idOf(ground.numberOf(row)), score, parts };
}

function snippetIn(store: MemoryStore, ranked: RankedMemory, units: readonly QueryUnit[]): string {
  // One more, so that it is seen that there is more.
  return snippetOf(textOf(store, ranked, mostLookedAt + 1), units);
}

/** Its beginning. */
function textOf(store: MemoryStore, ranked: RankedMemory, mostCharacters: number): string {
  const found = store.get<{ text: string }>(
    'select substr(text, 1, ?) as text from memory where number = ?',
    ...[mostCharacters, numberIn(ranked)],
  );
  return found?.text ?? '';
}
