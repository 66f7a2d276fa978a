/** What is found, as it is told: without what says nearly the same again. */
import type { AlikeHit, IndexHit, IndexQuery } from '../../../kernel/memory/index-port.ts';
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
  readonly alike: AlikeHit[];
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
    const alike = alikeOf(ranked, query);
    if (same[0] !== undefined) same[0].alike.push(alike);
    else
      told.push({
        hit: { ...alike, snippet: snippetOf(text, units), alike: [] },
        words,
        alike: [],
      });
  }
  return told.map(({ hit, alike }) => ({ ...hit, alike }));
}

function alikeOf({ ground, row, score, words, meaning }: Ranked, { now }: IndexQuery): AlikeHit {
  const parts = {
    words,
    ...(meaning === undefined ? {} : { dense: meaning }),
    recency: recency(ground.times[row] ?? now, now),
  };
  return { id: idOf(ground.numberOf(row)), score, parts };
}

function textOf(store: MemoryStore, { ground, row }: Ranked): string {
  const found = store.get<{ text: string }>(
    'select text from memory where number = ?',
    ground.numberOf(row),
  );
  return found?.text ?? '';
}
