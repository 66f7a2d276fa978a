/** What is found, as it is told: without what says nearly the same again. */
import type { AlikeHit, IndexHit, IndexQuery } from '../../../kernel/memory/index-port.ts';
import type { Ranked } from '../../../memory/search/fitting.ts';
import {
  isNearlySame,
  mostCompared,
  type Saying,
  sayingOf,
} from '../../../memory/search/near-duplicates.ts';
import { recency } from '../../../memory/search/order.ts';
import type { QueryUnit } from '../../../memory/search/query.ts';
import { mostLookedAt, snippetOf } from '../../../memory/search/snippet.ts';
import { idOf, type MemoryStore } from './memory-store.ts';

/** So many are looked at for one that is told: all the others may say the same. */
const readForEach = 5;
const readBeyond = 100;

interface Told {
  readonly facts: AlikeHit;
  readonly snippet: string;
  readonly saying: Saying;
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
    const saying = sayingOf(textOf(store, ranked, mostCompared));
    // A thread is told once, whatever another one says.
    const same =
      query.by === 'thread' ? undefined : told.find((each) => isNearlySame(each.saying, saying));
    const facts = factsOf(ranked, query);
    if (same !== undefined) same.alike.push(facts);
    else told.push({ facts, snippet: snippetIn(store, ranked, units), saying, alike: [] });
  }
  return told.map(({ facts, snippet, alike }) => ({ ...facts, snippet, alike }));
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
function textOf(store: MemoryStore, { ground, row }: Ranked, mostCharacters: number): string {
  const found = store.get<{ text: string }>(
    'select substr(text, 1, ?) as text from memory where number = ?',
    ...[mostCharacters, ground.numberOf(row)],
  );
  return found?.text ?? '';
}
