/** What is found, as it is told: without what says nearly the same again. */
import type { IndexHit, IndexQuery } from '../../../kernel/memory/index-port.ts';
import type { Ranked } from '../../../memory/search/fitting.ts';
import { isNearlySame, type WordSet, wordSetOf } from '../../../memory/search/near-duplicates.ts';
import { recency } from '../../../memory/search/order.ts';
import type { QueryUnit } from '../../../memory/search/query.ts';
import { snippetOf } from '../../../memory/search/snippet.ts';
import { idOf, type MemoryStore } from './memory-store.ts';

/** So many are looked at for one that is told: all the others may say the same. */
const readForEach = 5;
const readBeyond = 100;

interface Told {
  readonly hit: IndexHit;
  readonly words: WordSet;
  readonly alike: number[];
}

export function hitsOf(
  store: MemoryStore,
  ordered: readonly Ranked[],
  { units, query }: { readonly units: readonly QueryUnit[]; readonly query: IndexQuery },
): readonly IndexHit[] {
  const told: Told[] = [];
  for (const ranked of ordered.slice(0, readForEach * query.limit + readBeyond)) {
    if (told.length === query.limit) break;
    const text = textOf(store, ranked);
    const words = wordSetOf(text);
    // A thread is told once, whatever another one says.
    const same =
      query.by === 'thread' ? [] : told.filter((each) => isNearlySame(each.words, words));
    if (same[0] === undefined) told.push(toldOf(ranked, { text, words, units, query }));
    else same[0].alike.push(idOfRanked(ranked));
  }
  return told.map(({ hit, alike }) => ({ ...hit, alike }));
}

interface Texts {
  readonly text: string;
  readonly words: WordSet;
  readonly units: readonly QueryUnit[];
  readonly query: IndexQuery;
}

function toldOf(ranked: Ranked, { text, words, units, query }: Texts): Told {
  const { ground, row, score, meaning } = ranked;
  const parts = {
    words: ranked.words,
    ...(meaning === undefined ? {} : { dense: meaning }),
    recency: recency(ground.times[row] ?? query.now, query.now),
  };
  const hit = { id: idOfRanked(ranked), score, parts, snippet: snippetOf(text, units), alike: [] };
  return { hit, words, alike: [] };
}

function idOfRanked({ ground, row }: Ranked): number {
  return idOf(ground.numberOf(row));
}

function textOf(store: MemoryStore, { ground, row }: Ranked): string {
  const found = store.get<{ text: string }>(
    'select text from memory where number = ?',
    ground.numberOf(row),
  );
  return found?.text ?? '';
}
