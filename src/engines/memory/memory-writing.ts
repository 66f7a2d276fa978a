/** Writing what the ledger says into the index. Writing it again changes nothing. */
import { createHash } from 'node:crypto';
import type { IndexChange, IndexedMemory, IndexPosition } from '../../kernel/memory/index-port.ts';
import { sayingOf } from '../../memory/search/ranking.ts';
import { isQuestion, searchableOf, speakerOf, wordsOf } from '../../memory/search/words.ts';
import { type IndexedMemoryRow, type MemoryStore, numberOf } from './memory-store.ts';

/** What happened to a row, for the parts that keep something of it. */
export interface WrittenRow {
  readonly removed?: IndexedMemoryRow | undefined;
  readonly added?: IndexedMemoryRow | undefined;
  /** Only when it counts has changed. */
  readonly retimed?: IndexedMemoryRow | undefined;
  /** There are more versions of its key. */
  readonly hasOthers?: boolean | undefined;
  /** Its id, where something happened: it has to be embedded anew, also where that is under way. */
  readonly changed?: number | undefined;
}

export function writeChanges(
  store: MemoryStore,
  changes: readonly IndexChange[],
  position: IndexPosition,
): readonly WrittenRow[] {
  return store.transact(() => {
    const written = changes.map((change) => writeChange(store, change));
    writePosition(store, position);
    return written;
  });
}

export function readPosition(store: MemoryStore): IndexPosition | undefined {
  const row = store.get<{ seq: number; event: number; event_hash: string }>(
    'select seq, event, event_hash from position',
  );
  return row && { seq: row.seq, event: row.event, eventHash: row.event_hash };
}

function writePosition(store: MemoryStore, { seq, event, eventHash }: IndexPosition): void {
  store.run(
    `insert into position (one, seq, event, event_hash) values (1, ?, ?, ?) on conflict
     do update set seq = excluded.seq, event = excluded.event, event_hash = excluded.event_hash`,
    ...[seq, event, eventHash],
  );
}

function writeChange(store: MemoryStore, { id, memory }: IndexChange): WrittenRow {
  const old = store.get<PlacedRow>(
    `select memory.*, place.owner, place.scope from memory join place on place.id = memory.place
     where memory.id = ?`,
    id,
  );
  if (old === undefined && memory === undefined) return {};
  if (old !== undefined && memory !== undefined && isSame(old, memory)) {
    return writeTime(store, old, memory);
  }
  if (old !== undefined) {
    removeRow(store, old);
    store.vectors.remove([id]);
  }
  const added = memory === undefined ? undefined : rowOf(store, memory);
  if (added !== undefined) addRow(store, added);
  const hasOthers = [old, added].some((row) => row !== undefined && hasOtherVersions(store, row));
  return { removed: old, added, hasOthers, changed: id };
}

/** What it says is the same, so that its words and its vector stay. */
function writeTime(store: MemoryStore, old: PlacedRow, memory: IndexedMemory): WrittenRow {
  const { countsFrom: counts_from = null, countsTo: counts_to = null } = memory;
  if (old.counts_from === counts_from && old.counts_to === counts_to) return {};
  store.run(
    'update memory set counts_from = ?, counts_to = ? where number = ?',
    ...[counts_from, counts_to, old.number],
  );
  return { retimed: { ...old, counts_from, counts_to }, hasOthers: hasOtherVersions(store, old) };
}

function hasOtherVersions(store: MemoryStore, { place, key, id }: IndexedMemoryRow): boolean {
  const other = 'select 1 from memory where place = ? and key = ? and id <> ? limit 1';
  return store.get(other, place, key, id) !== undefined;
}

interface PlacedRow extends IndexedMemoryRow {
  readonly owner: string;
  readonly scope: string;
}

/** What else it has follows from this. */
function isSame(old: PlacedRow, memory: IndexedMemory): boolean {
  return (
    old.owner === memory.owner &&
    old.scope === memory.scope &&
    old.key === memory.key &&
    old.thread === (memory.thread ?? null) &&
    old.valid_from === memory.validFrom &&
    old.tags === JSON.stringify(memory.tags) &&
    old.text === memory.text
  );
}

function rowOf(store: MemoryStore, memory: IndexedMemory): IndexedMemoryRow {
  const { id, key, text, thread, validFrom } = memory;
  const place = placeOf(store, memory);
  const isSaid = thread !== undefined;
  return {
    ...{ number: numberOf(place, id), id, place, key, thread: thread ?? null },
    valid_from: validFrom,
    ...{ counts_from: memory.countsFrom ?? null, counts_to: memory.countsTo ?? null },
    // Of a conversation only: what stands alone has no speaker.
    speaker: isSaid ? (speakerOf(text) ?? null) : null,
    asks: isSaid && isQuestion(text) ? 1 : 0,
    length: wordsOf(text).length,
    ...{ saying: digest(sayingOf(text)), wording: digest(text) },
    tags: JSON.stringify(memory.tags),
    text,
  };
}

function placeOf(store: MemoryStore, { owner, scope }: IndexedMemory): number {
  const known = store.get<{ id: number }>(
    'select id from place where owner = ? and scope = ?',
    ...[owner, scope],
  );
  return (
    known?.id ?? store.run('insert into place (owner, scope) values (?, ?)', ...[owner, scope])
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function removeRow(store: MemoryStore, row: IndexedMemoryRow): void {
  store.removeWords(row.number, searchableOf(parsed(row)));
  store.run('delete from memory where number = ?', row.number);
  store.run(
    'delete from place where id = ? and not exists (select 1 from memory where place = ?)',
    ...[row.place, row.place],
  );
}

function addRow(store: MemoryStore, row: IndexedMemoryRow): void {
  store.run(
    `insert into memory (number, id, place, key, thread, valid_from, counts_from, counts_to,
       speaker, asks, length, saying, wording, tags, text)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[row.number, row.id, row.place, row.key, row.thread, row.valid_from, row.counts_from],
    ...[row.counts_to, row.speaker, row.asks, row.length, row.saying, row.wording, row.tags],
    row.text,
  );
  store.addWords(row.number, searchableOf(parsed(row)));
}

export function parsed({ key, text, tags }: Pick<IndexedMemoryRow, 'key' | 'text' | 'tags'>) {
  // Written above, as a list of texts.
  return { key, text, tags: JSON.parse(tags) as readonly string[] };
}
