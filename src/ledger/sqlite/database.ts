/** One connection to a SQLite file: statements prepared once, faults told in words. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Sql, SqlParameters } from '../ledger.ts';
import { toLedgerError } from './errors.ts';

/** Opens a file, in the way every connection of ours is set up; it changes nothing in it. */
export function openSqlite(
  path: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): SqliteDatabase {
  // Loaded here, so that a command which opens no database does not pay for it.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const open = () => new DatabaseSync(path, { readOnly, timeout: 5000 });
  const database = new SqliteDatabase(told(path, open), path);
  try {
    // Seed 003, appendix B; what it says about writing is in sqlite.ts.
    database.execute(`
      pragma foreign_keys = on;
      pragma cache_size = -2000;
      pragma temp_store = memory;
      pragma trusted_schema = off;
      pragma secure_delete = on;`);
    return database;
  } catch (failure) {
    database[Symbol.dispose]();
    throw failure;
  }
}

export class SqliteDatabase implements Sql, Disposable {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** Is a transaction open? Some faults end it without being asked. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Statements without parameters and without an answer. */
  execute(text: string): void {
    told(this.#path, () => this.#database.exec(text));
  }

  async all<Row>(text: string, parameters: SqlParameters = []): Promise<Row[]> {
    try {
      // The caller names the row's type; the schema, which is ours too, gives it.
      return this.#prepared(text).all(...bindable(parameters)) as Row[];
    } catch (failure) {
      throw toLedgerError(failure, this.#path);
    }
  }

  async get<Row>(text: string, parameters?: SqlParameters): Promise<Row | undefined> {
    return this.getNow<Row>(text, parameters);
  }

  async run(text: string, parameters?: SqlParameters): Promise<number> {
    return this.runNow(text, parameters);
  }

  /** For who is in the middle of something that must not be interrupted. */
  getNow<Row>(text: string, parameters: SqlParameters = []): Row | undefined {
    try {
      return this.#prepared(text).get(...bindable(parameters)) as Row | undefined;
    } catch (failure) {
      throw toLedgerError(failure, this.#path);
    }
  }

  runNow(text: string, parameters: SqlParameters = []): number {
    try {
      return Number(this.#prepared(text).run(...bindable(parameters)).changes);
    } catch (failure) {
      throw toLedgerError(failure, this.#path);
    }
  }

  /** Copies what the connection sees at this moment to a new file, without holding up the process. */
  async copyTo(path: string): Promise<void> {
    const { backup } = process.getBuiltinModule('node:sqlite');
    // A transaction pins the moment: without it, every write of the daemon's would make
    // the copy begin again.
    this.execute('begin');
    try {
      this.getNow('select count(*) from sqlite_schema');
      await backup(this.#database, path, { rate: 1000 });
    } catch (failure) {
      throw toLedgerError(failure, path);
    } finally {
      this.execute('rollback');
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text.replace(/\$(\d+)/g, '?$1'));
    this.#statements.set(text, statement);
    return statement;
  }
}

function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    throw toLedgerError(failure, path);
  }
}

// A mutable array by its type only: nothing changes it.
function bindable(parameters: SqlParameters): SQLInputValue[] {
  return parameters as SQLInputValue[];
}
