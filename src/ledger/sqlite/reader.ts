/**
 * The connection that reads. A statement by itself takes and frees locks on the file, which
 * costs more than the reading; so between two transactions of the writer all statements
 * share one read transaction.
 *
 * S1. It is ended before the writer begins: the log can only start over, and so stay
 *     small, while nobody reads an older state of it.
 * S2. While the writer works each statement stands for itself, and sees what is on disk.
 * S3. So what somebody else writes into the file behind the writer's back is seen only after
 *     the writer's next transaction. Whoever looks for just that opens a view.
 */
import type { Sql, SqlParameters } from '../ledger.ts';
import type { SqliteDatabase } from './database.ts';

export class SqliteReader implements Sql {
  readonly #database: SqliteDatabase;
  #state: 'alone' | 'shared' | 'writer-works' = 'alone';

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** S1 */
  beforeWriting(): void {
    if (this.#state === 'shared') this.#database.runNow('rollback');
    this.#state = 'writer-works';
  }

  afterWriting(): void {
    this.#state = 'alone';
  }

  async all<Row>(text: string, parameters?: SqlParameters): Promise<Row[]> {
    this.#share();
    return this.#database.all(text, parameters);
  }

  async get<Row>(text: string, parameters?: SqlParameters): Promise<Row | undefined> {
    this.#share();
    return this.#database.getNow(text, parameters);
  }

  async run(text: string, parameters?: SqlParameters): Promise<number> {
    return this.#database.runNow(text, parameters);
  }

  #share(): void {
    if (this.#state !== 'alone') return;
    this.#database.runNow('begin');
    this.#state = 'shared';
  }
}
