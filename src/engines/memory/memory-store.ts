/**
 * The file of the memories that can be found. It repeats what the ledger says.
 *
 * S1. How far it has followed the ledger is written with what it heard of, in one transaction.
 * S2. Nothing of what is removed stays in the file: neither in its tables nor in the index of
 *     words. What else has it goes with the next `forget` (memory-works.ts).
 * S3. The number of a memory has its place in front and its id behind: all of a place stand
 *     together in the index of words, in the order in which they came, and no other is looked at.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Searchable } from '../../memory/search/words.ts';
import { dropIndexFile, type IndexKind, openIndexFile, PreparedSql } from '../index-file.ts';
import { openVectors, type Vectors } from './vectors.ts';

export const wordsSchema = `
  create virtual table words using fts5 (
    text, again, label, content = '', columnsize = 0,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'");
  insert into words (words, rank) values ('secure-delete', 1);
  create virtual table terms using fts5vocab (words, row);`;

const schema = `
  create table position (
    one integer primary key check (one = 1), seq integer not null, event integer not null,
    event_hash text not null) strict;
  create table place (
    id integer primary key, owner text not null, scope text not null, unique (owner, scope)) strict;
  create table memory (
    number integer primary key, id integer not null unique, place integer not null,
    key text not null, thread text, valid_from integer not null, counts_from integer,
    counts_to integer, speaker text, asks integer not null, length integer not null,
    saying text not null, wording text not null, tags text not null, text text not null) strict;
  create index memory_key on memory (place, key);
  create index memory_thread on memory (place, thread, number) where thread is not null;
  ${wordsSchema}`;

const kind: IndexKind = {
  version: 3,
  // A vector has two kilobytes: of smaller pages half would stand empty.
  pragmas: `
    pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal;
    pragma secure_delete = on; pragma trusted_schema = on; pragma cache_size = -32000;
    pragma temp_store = memory;`,
  schema,
  probes: [
    'select seq from position',
    'select number from memory limit 1',
    `select rowid from words where words match '"a"' limit 1`,
  ],
  allowExtension: true,
};

export interface IndexedMemoryRow {
  readonly number: number;
  readonly id: number;
  readonly place: number;
  readonly key: string;
  readonly thread: string | null;
  readonly valid_from: number;
  readonly counts_from: number | null;
  readonly counts_to: number | null;
  readonly speaker: string | null;
  readonly asks: 0 | 1;
  readonly length: number;
  /** Digest of what it says, equal for what says nearly the same. */
  readonly saying: string;
  /** Digest of the very text. */
  readonly wording: string;
  /** JSON. */
  readonly tags: string;
  readonly text: string;
}

export class MemoryStore extends PreparedSql {
  readonly vectors: Vectors;
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    super(database);
    this.#database = database;
    this.vectors = openVectors(database);
  }

  static open(path: string): MemoryStore {
    return new MemoryStore(openIndexFile(path, kind));
  }

  static drop(path: string): void {
    dropIndexFile(path);
  }

  /** Statements without values. */
  exec(statements: string): void {
    this.#database.exec(statements);
  }

  addWords(number: number, { text, again, label }: Searchable): void {
    this.run(
      'insert into words (rowid, text, again, label) values (?, ?, ?, ?)',
      ...[number, text, again, label],
    );
  }

  /** S2: it has to be told what was there, because the words do not keep it. */
  removeWords(number: number, { text, again, label }: Searchable): void {
    this.run(
      `insert into words (words, rowid, text, again, label) values ('delete', ?, ?, ?, ?)`,
      ...[number, text, again, label],
    );
  }
}

const idRange = 2 ** 32;

/** S3 */
export function numberOf(place: number, id: number): number {
  if (id >= idRange) throw new RangeError(`the id ${id} of a memory is too high for the index`);
  return place * idRange + id;
}

/** S3 */
export function placeOf(number: number): number {
  return Math.floor(number / idRange);
}

export function idOf(number: number): number {
  return number % idRange;
}
