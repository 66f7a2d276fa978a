/** A copy of the table in memory, which is searched in a third of the time. */
import { VectorList } from './vector-list.ts';
import type { VectorTable } from './vector-table.ts';

export class KeptVectors {
  readonly #table: VectorTable;
  readonly #mostBytes: number;
  readonly #changed = new Set<number>();
  #list: VectorList | undefined;

  constructor(table: VectorTable, mostBytes: number) {
    this.#table = table;
    this.#mostBytes = mostBytes;
  }

  noteChange(id: number): void {
    if (this.#list !== undefined) this.#changed.add(id);
  }

  drop(): void {
    this.#list = undefined;
    this.#changed.clear();
  }

  /** As the table is at this moment; undefined where it is too large to be kept. */
  list(dimensions: number): VectorList | undefined {
    if (this.#table.count() * dimensions * Float32Array.BYTES_PER_ELEMENT > this.#mostBytes) {
      this.drop();
      return undefined;
    }
    const list = this.#list ?? this.#read(dimensions);
    for (const id of this.#changed) {
      const vector = this.#table.get(id);
      if (vector === undefined) list.remove(id);
      else list.set(id, vector);
    }
    // What a transaction has changed may be rolled back. It is looked at again after that.
    if (this.#table.isInTransaction) return list;
    this.#changed.clear();
    this.#list = list;
    return list;
  }

  #read(dimensions: number): VectorList {
    const list = new VectorList(dimensions, this.#table.count());
    for (const { id, vector } of this.#table.all()) list.set(id, vector);
    return list;
  }
}
