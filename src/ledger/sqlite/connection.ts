/**
 * The one connection that writes: transactions, the chain of events, and the epoch that
 * says whether this process still owns the home.
 *
 * C1. The chain's head in memory is that of the transaction under way. Every way back
 *     (rollback, to a savepoint) takes the head back too.
 * C2. The epoch is looked at in every transaction. When another process has taken the home over,
 *     nothing is written any more.
 * C3. After a flush that failed it is not known what is on disk, and a second flush would say yes
 *     to nothing. So nothing is written until the file has been opened anew.
 */
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { type ChainHead, dataDigest, nextHead } from '../events.ts';
import type { NewEvent, Sql, SqlParameters } from '../ledger.ts';
import type { SqliteDatabase } from './database.ts';
import type { WritingConnection } from './group-commit.ts';

export interface ConnectionDeps {
  readonly database: SqliteDatabase;
  readonly clock: Pick<Clock, 'now'>;
  readonly epoch: number;
  /** Told when a transaction begins, and when it has ended, however it ended. */
  readonly reader?: { beforeWriting(): void; afterWriting(): void };
  /** Called after a commit that added events. */
  readonly onEvents: () => void;
  /** Called once, when this process can write no more; it should end. */
  readonly onLost: (why: AosError) => void;
}

const insertEvent = `
  insert into events (at, actor, kind, subject, data, data_digest, seq, prev_hash, hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export class SqliteConnection implements WritingConnection {
  readonly #deps: ConnectionDeps;
  readonly #database: SqliteDatabase;
  #head: ChainHead;
  #headAtBegin: ChainHead;
  #headAtSavepoint: ChainHead;
  #lost: AosError | undefined;

  constructor(deps: ConnectionDeps, head: ChainHead) {
    this.#deps = deps;
    this.#database = deps.database;
    this.#head = head;
    this.#headAtBegin = head;
    this.#headAtSavepoint = head;
  }

  begin(): void {
    if (this.#lost !== undefined) throw this.#lost;
    // C1, and before anything can fail: the way back leads here.
    this.#headAtBegin = this.#head;
    this.#deps.reader?.beforeWriting();
    this.#database.runNow('begin immediate');
    const row = this.#database.getNow<{ value: string }>(
      `select value from orchestrator_state where key = 'epoch'`,
    );
    if (row?.value !== String(this.#deps.epoch)) throw this.#lose(fenced());
  }

  commit(): void {
    try {
      this.#database.runNow('commit');
    } catch (failure) {
      const diskFailed = failure instanceof AosError && failure.code === 'ledger.failed';
      throw diskFailed ? this.#lose(failure) : failure;
    }
    this.#deps.reader?.afterWriting();
    if (this.#head !== this.#headAtBegin) this.#deps.onEvents();
  }

  rollback(): void {
    this.#head = this.#headAtBegin;
    if (this.#database.inTransaction) this.#database.runNow('rollback');
    this.#deps.reader?.afterWriting();
  }

  savepoint(): void {
    this.#headAtSavepoint = this.#head;
    this.#database.runNow('savepoint closure');
  }

  releaseSavepoint(): void {
    this.#database.runNow('release closure');
  }

  rollbackToSavepoint(): boolean {
    this.#head = this.#headAtSavepoint;
    if (!this.#database.inTransaction) return false;
    this.#database.runNow('rollback to closure');
    this.#database.runNow('release closure');
    return true;
  }

  all<Row>(text: string, parameters?: SqlParameters): Promise<Row[]> {
    return this.#database.all(text, parameters);
  }

  get<Row>(text: string, parameters?: SqlParameters): Promise<Row | undefined> {
    return this.#database.get(text, parameters);
  }

  run(text: string, parameters?: SqlParameters): Promise<number> {
    return this.#database.run(text, parameters);
  }

  async record(event: NewEvent): Promise<void> {
    const data = event.data === undefined ? null : JSON.stringify(event.data);
    const chained = {
      at: this.#deps.clock.now(),
      actor: storable(event.actor),
      kind: storable(event.kind),
      subject: storable(event.subject),
      dataDigest: data === null ? null : dataDigest(data),
    };
    const before = this.#head;
    const head = nextHead(before, chained);
    const { at, actor, kind, subject } = chained;
    this.#database.runNow(insertEvent, [
      at,
      actor,
      kind,
      subject,
      data,
      chained.dataDigest,
      head.seq,
      before.hash,
      head.hash,
    ]);
    this.#head = head;
  }

  #lose(why: AosError): AosError {
    if (this.#lost === undefined) {
      this.#lost = why;
      this.#deps.onLost(why);
    }
    return why;
  }
}

// What SQLite would store in another way than it was given would break the chain: half of
// a surrogate pair becomes a replacement mark on its way into UTF-8.
function storable(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

function fenced(): AosError {
  return new AosError('ledger.fenced', {
    message: 'Another daemon has taken over this home folder, so this one writes nothing more',
    fix: 'aos status',
  });
}

/**
 * The connection that reads. A statement by itself takes and frees locks on the file, which
 * costs more than the reading; so between two transactions of the writer all statements
 * share one read transaction.
 *
 * S1. It is ended before the writer begins: the log can only start over, and so stay small, while
 *     no reader holds an older state of it.
 * S2. While the writer works each statement stands for itself, and sees what is on disk.
 * S3. So what another process writes into the file behind the writer's back is seen only after the
 *     writer's next transaction. A caller that looks for just that opens a view.
 */
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
