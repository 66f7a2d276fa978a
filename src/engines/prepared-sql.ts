import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

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

  /** The same as lists of values, which are made in half the time. */
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
