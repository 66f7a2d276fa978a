/**
 * Real erasure. What was removed is overwritten in the tables and in the index of words at once.
 * Two things may still have it: the log of the database, and the signposts of the index of words,
 * each of which is the beginning of a word, kept also where the word is gone.
 */
import { searchableOf } from '../../memory/search/searchable.ts';
import { type MemoryRow, type MemoryStore, wordsSchema } from './memory-store.ts';
import { parsed } from './memory-writing.ts';

export function forgetRemoved(store: MemoryStore): void {
  if (hasStraySignpost(store)) store.transact(() => rebuildWords(store));
  const log = store.get<{ busy: number }>('pragma wal_checkpoint(truncate)');
  if (log?.busy !== 0) throw new Error('the log of the index could not be emptied');
}

/** Whether one is the beginning of no word that is there. */
function hasStraySignpost(store: MemoryStore): boolean {
  const signposts = store.all<{ term: string | Uint8Array }>('select term from words_idx');
  return signposts.some(({ term }) => {
    // Behind a mark of one byte, which says of which part of the index it is.
    const beginning = Buffer.from(term).subarray(1).toString();
    if (beginning === '') return false;
    const found = store.get(
      'select 1 from terms where term >= ? and term < ? limit 1',
      ...[beginning, `${beginning}\u{10ffff}`],
    );
    return found === undefined;
  });
}

function rebuildWords(store: MemoryStore): void {
  store.exec(`drop table terms; drop table words; ${wordsSchema}`);
  const rows =
    'select number, key, text, tags from memory where number > ? order by number limit 500';
  for (let last = -1; ; ) {
    const page = store.all<MemoryRow>(rows, last);
    for (const row of page) store.addWords(row.number, searchableOf(parsed(row)));
    const end = page.at(-1)?.number;
    if (end === undefined) return;
    last = end;
  }
}
