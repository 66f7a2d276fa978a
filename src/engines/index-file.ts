/**
 * The file of a search index. It only repeats what is elsewhere, so that a damaged one is dropped
 * and made anew.
 */
import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

export interface IndexKind {
  /** A file of another is dropped. */
  readonly version: number;
  /** Before anything is read: how it is written, and what is kept in memory. */
  readonly pragmas: string;
  readonly schema: string;
  /** Asked when it is opened: what is missing or damaged shows then, and not in the middle. */
  readonly probes: readonly string[];
  readonly allowExtension?: boolean;
}

export function openIndexFile(path: string, kind: IndexKind): DatabaseSync {
  try {
    return openOnce(path, kind);
  } catch (failure) {
    if (!isDamage(failure)) throw failure;
    dropIndexFile(path);
    return openOnce(path, kind);
  }
}

export function dropIndexFile(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

/** Whether the file is no database any more, or not ours. */
export function isDamage(failure: unknown): boolean {
  if (failure instanceof Damage) return true;
  if (!(failure instanceof Error) || !('errcode' in failure)) return false;
  // What is wrong with a question is not wrong with the file.
  if (failure.message.includes('syntax error')) return false;
  // error, corrupt, not a database: a table may be missing too.
  return [1, 11, 26].includes(Number(failure.errcode) & 0xff);
}

class Damage extends Error {
  override readonly message = 'the index is of another version';
}

function openOnce(path: string, kind: IndexKind): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Made by us, so that no other user can read it from its first byte on.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const { allowExtension = false } = kind;
  const database = new DatabaseSync(path, { timeout: 5000, allowExtension });
  try {
    database.exec(kind.pragmas);
    prepareSchema(database, kind);
    return database;
  } catch (failure) {
    database.close();
    throw failure;
  }
}

function prepareSchema(database: DatabaseSync, { version, schema, probes }: IndexKind): void {
  const known = database.prepare('pragma user_version').get()?.['user_version'];
  const isEmpty = database.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (known === 0 && isEmpty) {
    database.exec(`begin; ${schema}; pragma user_version = ${version}; commit;`);
  } else if (known !== version) throw new Damage();
  for (const probe of probes) database.prepare(probe).get();
}

/** Statements of an open database, each prepared once. */
export class PreparedSql implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #listing = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** All of it or nothing, also where the process dies. */
  transact<T>(work: () => T): T {
    this.#database.exec('begin immediate');
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

  /** Like all(), as lists of values, which are made in half the time. */
  lists<Row extends unknown[]>(text: string, ...values: SQLInputValue[]): Row[] {
    return this.#preparedList(text).all(...values) as unknown as Row[];
  }

  eachList<Row extends unknown[]>(text: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#preparedList(text).iterate(...values) as unknown as Iterable<Row>;
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
    this.#listing.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #preparedList(text: string): StatementSync {
    const known = this.#listing.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    this.#listing.set(text, statement);
    return statement;
  }
}
