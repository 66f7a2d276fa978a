/** A search in the index: what fits by its words and by its meaning, in order. */
import type { IndexFound, IndexQuery } from '../../kernel/memory/index-port.ts';
import { byThread } from '../../memory/search/by-thread.ts';
import { likelihoods } from '../../memory/search/circumstances.ts';
import { type Fitting, fittingIn } from '../../memory/search/fitting.ts';
import { fused } from '../../memory/search/fuse.ts';
import { inOrder } from '../../memory/search/order.ts';
import { type QueryUnit, readQuery, wordsAsked } from '../../memory/search/query.ts';
import type { Scores } from '../../memory/search/scores.ts';
import { rarity, scoreWords } from '../../memory/search/word-scores.ts';
import type { Grounds, PlacedGround } from './memory-grounds.ts';
import { hitsOf } from './memory-hits.ts';
import { meaningIn } from './memory-meaning.ts';
import type { MemoryStore } from './memory-store.ts';
import { rowsWith } from './memory-words.ts';

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

interface Asked {
  readonly units: readonly QueryUnit[];
  readonly query: IndexQuery;
  /** By place. */
  readonly meaning: ReadonlyMap<number, Scores> | undefined;
}

function fittingByWords(
  store: MemoryStore,
  places: readonly PlacedGround[],
  { units, query, meaning }: Asked,
): readonly Fitting[] {
  const found = places.map((placed) => ({
    ...placed,
    units: rowsWith(store, placed.ground, units),
  }));
  const all = sum(places.map(({ ground }) => ground.size));
  const length = Math.max(1, sum(places.map(({ ground }) => ground.totalLength)) / all);
  const rarities = units.map((_, index) =>
    rarity(sum(found.map((each) => each.units[index]?.count ?? 0)), all),
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
