/** Which texts have no vector yet, and the vectors that were made of them. */
import type {
  EmbedderFacts,
  StoredVector,
  UnembeddedText,
} from '../../kernel/memory/index-port.ts';
import type { MemoryRow, MemoryStore } from './memory-store.ts';

const mostCharacters = 4000;

/** Texts that somebody embeds at this moment. Where one changes meanwhile its vector is not taken. */
export class HandedOut {
  readonly #ids = new Set<number>();
  readonly #changed = new Set<number>();

  handOut(ids: readonly number[]): void {
    for (const id of ids) {
      this.#ids.add(id);
      this.#changed.delete(id);
    }
  }

  noteChanges(ids: readonly number[]): void {
    for (const id of ids) if (this.#ids.has(id)) this.#changed.add(id);
  }

  /** Whether the vector is of the text as it is now. */
  takeBack(id: number): boolean {
    this.#ids.delete(id);
    return !this.#changed.delete(id);
  }
}

export function unembeddedTexts(
  store: MemoryStore,
  handedOut: HandedOut,
  { embedder, limit }: { readonly embedder: EmbedderFacts; readonly limit: number },
): readonly UnembeddedText[] {
  const rows = store.transact(() => {
    store.vectors.use(embedder);
    return store.vectors.count() === countMemories(store) ? [] : rowsWithout(store, limit);
  });
  handedOut.handOut(rows.map(({ id }) => id));
  // Each for itself: of who may see one, nobody knows whether they may see the one before it.
  return rows.map(({ id, text }) => ({ id, text: text.slice(0, mostCharacters).toWellFormed() }));
}

export function keepVectors(
  store: MemoryStore,
  handedOut: HandedOut,
  {
    embedder,
    vectors,
  }: { readonly embedder: EmbedderFacts; readonly vectors: readonly StoredVector[] },
): void {
  store.transact(() => {
    store.vectors.use(embedder);
    const wanted = vectors.filter(({ id }) => handedOut.takeBack(id) && isThere(store, id));
    store.vectors.put(wanted);
  });
}

export function countMemories(store: MemoryStore): number {
  return store.get<{ count: number }>('select count(*) as count from memory')?.count ?? 0;
}

function isThere(store: MemoryStore, id: number): boolean {
  return store.get('select 1 from memory where id = ?', id) !== undefined;
}

function rowsWithout(store: MemoryStore, limit: number): readonly MemoryRow[] {
  return store.all(
    `select * from memory
     where not exists (select 1 from vector_ids where vector_ids.id = memory.id)
     order by id desc limit ?`,
    limit,
  );
}
