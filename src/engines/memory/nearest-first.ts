/** How near each vector is, by place. */
export interface Similarities {
  readonly ids: Float64Array;
  readonly values: Float32Array;
}

export interface NearVector {
  readonly id: number;
  /** 1 is the same direction, -1 the opposite one. */
  readonly similarity: number;
}

const firstPortion = 64;

/** The nearest first, of equals the newest. Few are ever looked at, so that few are sorted. */
export function* nearestFirst({ ids, values }: Similarities): Generator<NearVector, void, void> {
  const sorted = values.toSorted();
  let above = Number.POSITIVE_INFINITY;
  let portion = firstPortion;
  for (let rest = values.length; rest > 0; portion *= 8) {
    rest = Math.max(0, rest - portion);
    const least = sorted[rest] ?? above;
    const near = within({ ids, values }, least, above);
    yield* near.sort((one, other) => other.similarity - one.similarity || other.id - one.id);
    above = least;
  }
}

/** By index, as cosine.ts is: all of them are looked at. */
function within({ ids, values }: Similarities, least: number, above: number): NearVector[] {
  const near: NearVector[] = [];
  for (let place = 0; place < values.length; place++) {
    const similarity = values[place] ?? 0;
    if (similarity >= least && similarity < above) near.push({ id: ids[place] ?? 0, similarity });
  }
  return near;
}
