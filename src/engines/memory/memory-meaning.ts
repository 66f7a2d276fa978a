import { none } from '../../memory/search/ground.ts';
import { type NearRow, nearnessOf, scoreMeaning } from '../../memory/search/meaning-scores.ts';
import type { Scores } from '../../memory/search/scores.ts';
import type { PlacedGround } from './memory-grounds.ts';
import { type MemoryStore, numberOf } from './memory-store.ts';

/** So many of the nearest are compared. */
const mostNear = 1000;

interface NearInPlace extends NearRow {
  readonly place: number;
}

/** How near what may be found is to the vector, by place; undefined where nothing has a vector. */
export function meaningIn(
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
