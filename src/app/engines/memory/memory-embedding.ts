/** Which texts have no vector yet, and the vectors that were made of them. */
import type {
  EmbedderFacts,
  StoredVector,
  UnembeddedText,
} from '../../../kernel/memory/index-port.ts';
import type { MemoryRow, MemoryStore } from './memory-store.ts';

const mostCharacters = 4000;
/** Of the text before: enough to know what is spoken of, and not so much that it speaks louder. */
const mostBefore = 300;

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
  return rows.map((row) => ({ id: row.id, text: textWithBefore(store, row) }));
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

/** What is said is understood by what was said before. */
function textWithBefore(store: MemoryStore, { place, thread, number, text }: MemoryRow): string {
  const before = store.get<Pick<MemoryRow, 'text' | 'speaker'>>(
    `select text, speaker from memory where place = ? and thread = ? and number < ?
     order by number desc limit 1`,
    ...[place, thread, number],
  );
  const own = text.slice(0, mostCharacters);
  if (before === undefined) return own;
  // Who spoke before is not who speaks.
  const said = before.speaker === null ? before.text : before.text.replace(/^[^:]*:\s*/, '');
  return `${said.slice(-mostBefore)}\n${own}`.toWellFormed();
}
