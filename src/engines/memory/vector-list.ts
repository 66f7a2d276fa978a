import { cosine } from './cosine.ts';
import type { Similarities } from './nearest-first.ts';

/** Vectors in memory, one behind the other. */
export class VectorList {
  readonly #dimensions: number;
  readonly #places = new Map<number, number>();
  #ids: Float64Array;
  #numbers: Float32Array;

  constructor(dimensions: number, size: number) {
    this.#dimensions = dimensions;
    this.#ids = new Float64Array(size);
    this.#numbers = new Float32Array(size * dimensions);
  }

  set(id: number, vector: Float32Array): void {
    const place = this.#places.get(id) ?? this.#places.size;
    if (place === this.#ids.length) this.#grow();
    this.#places.set(id, place);
    this.#ids[place] = id;
    this.#numbers.set(vector, place * this.#dimensions);
  }

  /** The last one takes its place. */
  remove(id: number): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    const last = this.#places.size - 1;
    const lastId = this.#ids[last] ?? id;
    const from = last * this.#dimensions;
    this.#numbers.copyWithin(place * this.#dimensions, from, from + this.#dimensions);
    this.#ids[place] = lastId;
    this.#places.set(lastId, place);
    this.#places.delete(id);
  }

  /** With every vector of the list. */
  compare(unit: Float32Array): Similarities {
    const size = this.#places.size;
    const values = new Float32Array(size);
    for (let place = 0; place < size; place++) {
      values[place] = cosine(unit, this.#numbers, place * this.#dimensions);
    }
    return { ids: this.#ids.subarray(0, size), values };
  }

  #grow(): void {
    const size = Math.max(64, Math.ceil(this.#ids.length * 1.5));
    const ids = new Float64Array(size);
    const numbers = new Float32Array(size * this.#dimensions);
    ids.set(this.#ids);
    numbers.set(this.#numbers);
    this.#ids = ids;
    this.#numbers = numbers;
  }
}
