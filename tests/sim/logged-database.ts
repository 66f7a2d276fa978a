/**
 * How the simulated ledger knows what is flushed without copying itself at every commit:
 * statements that changed something are kept, and are repeated in a second database only
 * when somebody reads while a transaction is under way.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqlParameters } from '../../src/ledger/ledger.ts';
import { SqliteDatabase } from '../../src/ledger/sqlite/database.ts';

interface Statement {
  readonly text: string;
  readonly parameters: SqlParameters;
}

export class LoggedDatabase extends SqliteDatabase {
  /** Of transactions that were committed. */
  readonly flushed: Statement[] = [];
  #underWay: Statement[] = [];

  constructor(memory: DatabaseSync) {
    super(memory, ':memory:');
  }

  override async all<Row>(text: string, parameters: SqlParameters = []): Promise<Row[]> {
    const rows = await super.all<Row>(text, parameters);
    this.#keep(text, parameters);
    return rows;
  }

  override getNow<Row>(text: string, parameters: SqlParameters = []): Row | undefined {
    const row = super.getNow<Row>(text, parameters);
    this.#keep(text, parameters);
    return row;
  }

  override runNow(text: string, parameters: SqlParameters = []): number {
    const changes = super.runNow(text, parameters);
    this.#keep(text, parameters);
    return changes;
  }

  // Called when it has succeeded: what failed has changed nothing.
  #keep(text: string, parameters: SqlParameters): void {
    if (/^\s*select\b/i.test(text)) return;
    if (text === 'rollback') {
      this.#underWay = [];
      return;
    }
    this.#underWay.push({ text, parameters });
    if (text !== 'commit') return;
    for (const statement of this.#underWay) this.flushed.push(statement);
    this.#underWay = [];
  }
}

/** A second database that has everything up to the last commit. */
export class FlushedView implements Disposable {
  readonly #source: LoggedDatabase;
  readonly #base: Uint8Array;
  #memory: DatabaseSync | undefined;
  #database: SqliteDatabase | undefined;
  #repeated = 0;

  constructor(source: LoggedDatabase, base: Uint8Array) {
    this.#source = source;
    this.#base = base;
  }

  now(): SqliteDatabase {
    const memory = this.#upToDate();
    this.#database ??= new SqliteDatabase(memory, ':memory:');
    return this.#database;
  }

  serialize(): Uint8Array {
    return this.#upToDate().serialize();
  }

  [Symbol.dispose](): void {
    this.#memory?.close();
  }

  #upToDate(): DatabaseSync {
    const { flushed } = this.#source;
    if (this.#memory === undefined) {
      this.#memory = new DatabaseSync(':memory:');
      this.#memory.deserialize(this.#base);
    }
    if (this.#repeated === flushed.length) {
      this.#memory.exec('pragma query_only = on');
      return this.#memory;
    }
    this.#memory.exec('pragma query_only = off');
    for (const { text, parameters } of flushed.slice(this.#repeated)) {
      const statement = this.#memory.prepare(text.replace(/\$(\d+)/g, '?$1'));
      // A mutable array by its type only.
      statement.all(...(parameters as SQLInputValue[]));
    }
    this.#repeated = flushed.length;
    this.#memory.exec('pragma query_only = on');
    return this.#memory;
  }
}
