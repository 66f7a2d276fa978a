/** One connection to a SQLite file: statements prepared once, faults told in words. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Sql, SqlParameters } from '../ledger.ts';

/** Opens a file, in the way every connection of ours is set up; it changes nothing in it. */
export function openSqlite(
  path: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): SqliteDatabase {
  // Loaded here, so that a command which opens no database does not pay for it.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const open = () => new DatabaseSync(path, { readOnly, timeout: 5000 });
  const database = new SqliteDatabase(withLedgerErrors(path, open), path);
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
    withLedgerErrors(this.#path, () => this.#database.exec(text));
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

function withLedgerErrors<T>(path: string, work: () => T): T {
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

interface SqliteFault {
  readonly code: ErrorCode;
  readonly sentence: (quotedPath: string) => string;
  readonly fix: string;
}

const corrupt: SqliteFault = {
  code: 'ledger.corrupt',
  sentence: (path) => `The ledger ${path} is damaged`,
  fix: 'Stop the daemon and put a backup back: aos restore FILE --replace',
};

const readOnly: SqliteFault = {
  code: 'ledger.read-only',
  sentence: (path) => `The ledger ${path} can only be read`,
  fix: 'Make the home folder and its disk writable for yourself; "aos doctor" says more',
};

/** By SQLite's primary result codes (sqlite.org/rescode.html). */
const faults: Readonly<Record<number, SqliteFault>> = {
  5: {
    code: 'ledger.busy',
    sentence: (path) => `Another program holds the ledger ${path} locked`,
    fix: 'Close whatever has it open (the sqlite3 shell, a viewer), then try again',
  },
  8: readOnly,
  10: {
    code: 'ledger.failed',
    sentence: (path) => `The disk failed under the ledger ${path}`,
    fix: 'Look at the system log for errors of the disk, then start the daemon again',
  },
  11: corrupt,
  13: {
    code: 'ledger.full',
    sentence: (path) =>
      `There is no room left on the disk for the ledger ${path}; nothing was lost`,
    fix: 'Free some space; "aos du" shows what takes it, "aos gc" removes what is not needed',
  },
  14: {
    code: 'ledger.unreadable',
    sentence: (path) => `The ledger ${path} cannot be opened`,
    fix: 'Check who owns the home folder, and its permissions; "aos doctor" says more',
  },
  26: corrupt,
};

/** The primary code of what SQLite threw; undefined when it was something else. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  // The upper bits say more about the same fault.
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}

/** What to tell; anything that is no fault of the file or the disk stays what it is. */
function toLedgerError(thrown: unknown, path: string): unknown {
  const fault = isImpossibleNumber(thrown) ? corrupt : faults[sqliteCodeOf(thrown) ?? 0];
  return fault === undefined ? thrown : inWords(fault, path, thrown);
}

/**
 * Whether a row could not be read because of a number in it: Node hands out none beyond what
 * it can count exactly, and Agent OS never writes one.
 */
export function isImpossibleNumber(thrown: unknown): boolean {
  const first = thrown instanceof AosError ? thrown.cause : thrown;
  if (!(first instanceof RangeError) || !('code' in first)) return false;
  // The code alone is that of many a bug, too.
  return first.code === 'ERR_OUT_OF_RANGE' && first.message.includes('JavaScript number');
}

export function ledgerReadOnly(path: string, cause: unknown): AosError {
  return inWords(readOnly, path, cause);
}

function inWords({ code, sentence, fix }: SqliteFault, path: string, cause: unknown): AosError {
  return new AosError(code, { message: sentence(quote(path)), fix, cause });
}
