/**
 * The file of the search index: what lies in the folders that somebody wanted indexed. It only
 * repeats what is on the disk, so that a damaged one is dropped and made anew.
 *
 * I1. A root is written in one transaction, with all that is below it: who is killed meanwhile
 *     leaves what was there before.
 * I2. Names are bytes: what is no UTF-8 is stored as a blob, everything else as text.
 */
import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { bytesOf, textOf } from '../name-bytes.ts';

const version = 1;

// The words of a text are found, and not their order: without places the index is half as large.
const schema = `
  create table root (
    id integer primary key, path any not null unique, built_at integer not null,
    swept_at integer not null, top integer not null, settings text not null) strict;
  create table dir (
    id integer primary key, parent integer, name any not null, mtime real not null) strict;
  create index dir_parent on dir (parent);
  create table file (
    id integer primary key, dir integer not null, name any not null, size integer not null,
    mtime real not null) strict;
  create index file_dir on file (dir);
  create virtual table words using fts5 (
    name, body, content = '', contentless_delete = 1, detail = column,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'");
  create virtual table terms using fts5vocab (words, row);
  pragma user_version = ${version};`;

export interface IndexedFolder {
  readonly id: number;
  /** Below the base. */
  readonly parts: readonly string[];
  /** The same in one. */
  readonly path: string;
  readonly mtime: number;
}

interface KeptFolders {
  readonly top: number;
  /** By id, each after the one that it is in. */
  readonly folders: ReadonlyMap<number, IndexedFolder>;
}

export class IndexStore implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The folders of the last question, until something is written: they are read for each. */
  kept: KeptFolders | undefined;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  static open(path: string): IndexStore {
    try {
      return IndexStore.#openOnce(path);
    } catch (failure) {
      if (!isDamage(failure)) throw failure;
      IndexStore.drop(path);
      return IndexStore.#openOnce(path);
    }
  }

  static drop(path: string): void {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  }

  static #openOnce(path: string): IndexStore {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Made by us, so that nobody else can read it from its first byte on.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path, { timeout: 5000 });
    try {
      // What a power cut damages is made anew.
      database.exec(`
        pragma journal_mode = truncate; pragma synchronous = off; pragma trusted_schema = on;
        pragma cache_size = -16000; pragma temp_store = memory;`);
      const store = new IndexStore(database);
      store.#prepareSchema();
      return store;
    } catch (failure) {
      database.close();
      throw failure;
    }
  }

  #prepareSchema(): void {
    const known = this.get<{ user_version: number }>('pragma user_version')?.user_version;
    if (known === 0 && this.get('select 1 from sqlite_schema limit 1') === undefined) {
      this.#database.exec(`begin; ${schema} commit;`);
    } else if (known !== version) throw new Damage();
    this.get('select count(*) from root');
    this.get('select rowid from words limit 1');
  }

  /** I1 */
  transact<T>(work: () => T): T {
    this.#database.exec('begin immediate');
    this.kept = undefined;
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (failure) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw failure;
    }
  }

  all<Row>(text: string, ...values: SQLInputValue[]): Row[] {
    // The caller names the row's type; the schema, which is ours too, gives it.
    return this.#prepared(text).all(...values) as Row[];
  }

  /** The same as lists of values, which are made in half the time. */
  lists<Row extends unknown[]>(text: string, ...values: SQLInputValue[]): Row[] {
    return this.#listing(text).all(...values) as unknown as Row[];
  }

  eachList<Row extends unknown[]>(text: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#listing(text).iterate(...values) as unknown as Iterable<Row>;
  }

  get<Row>(text: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(text).get(...values) as Row | undefined;
  }

  /** The id of the new row, where there is one. */
  run(text: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(text).run(...values).lastInsertRowid);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #listing(text: string): StatementSync {
    const statement = this.#prepared(text);
    statement.setReturnArrays(true);
    return statement;
  }
}

class Damage extends Error {
  override readonly message = 'the index is of another version';
}

/** Whether the file is no database any more, or not ours. */
export function isDamage(failure: unknown): boolean {
  if (failure instanceof Damage) return true;
  if (!(failure instanceof Error) || !('errcode' in failure)) return false;
  // error, corrupt, not a database: a table may be missing too.
  return [1, 11, 26].includes(Number(failure.errcode) & 0xff);
}

export type StoredName = string | Uint8Array;

/** I2 */
export function storedName(name: string): StoredName {
  return bytesOf(name);
}

export function readName(stored: StoredName): string {
  return typeof stored === 'string' ? stored : textOf(Buffer.from(stored));
}
