/** The ledger as a SQLite file in the home folder. */
import { dirname } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Disk, EventLoop } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type ChainHead, chainHead, dataDigest, nextHead } from '../events.ts';
import {
  type Ledger,
  type NewEvent,
  readState,
  type Sql,
  type SqlParameters,
  type Transaction,
  writeState,
} from '../ledger.ts';
import { ledgerReadOnly, openSqlite, type SqliteDatabase } from './database.ts';
import { GroupCommit, type WritingConnection } from './group-commit.ts';
import { migrate, readMigrations, refuseUnknownSchema } from './migrate.ts';

export interface SqliteLedgerDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
}

export interface SqliteLedgerOptions {
  readonly path: string;
  /** Which owner of the home this is; commits of an earlier one are refused. */
  readonly epoch: number;
  /** Called once, when this process can write no more; it should end. */
  readonly onLost: (why: AosError) => void;
}

// Seed 003 has `synchronous = normal`, which does not flush a commit, so that a power cut
// would take back what has been answered. The log is moved into the database when it has
// 8192 pages (32 MiB): that takes several flushes, so it should be rare.
const forWriting = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 8192;
  pragma journal_size_limit = 67108864`;

/**
 * Opens the ledger, makes it when it is not there, and brings it up to date. The caller
 * holds the home's lock.
 */
export async function openSqliteLedger(
  deps: SqliteLedgerDeps,
  options: SqliteLedgerOptions,
): Promise<Ledger> {
  await makeFile(deps.disk, options.path);
  try {
    return await openFile(deps, options);
  } catch (failure) {
    throw await plainer(deps.disk, options.path, failure);
  }
}

async function openFile(
  deps: SqliteLedgerDeps,
  { path, epoch, onLost }: SqliteLedgerOptions,
): Promise<Ledger> {
  using opened = new DisposableStack();
  const database = opened.use(openSqlite(path));
  const migrations = await readMigrations(deps.disk);
  // Before anything is changed, even how the file keeps its log.
  refuseUnknownSchema(database, path, migrations);
  database.execute(forWriting);
  await migrate({ database, disk: deps.disk, path }, migrations);
  await takeEpoch(database, epoch, deps.clock);
  const reader = new SqliteReader(opened.use(openSqlite(path, { readOnly: true })));
  const listeners = new Set<() => void>();
  const onEvents = () => {
    for (const wake of listeners) wake();
  };
  const connection = new SqliteConnection(
    { database, reader, clock: deps.clock, epoch, onEvents, onLost },
    await chainHead(database),
  );
  const commits = new GroupCommit({ ...deps, connection });
  const { clock } = deps;
  const parts = { path, database, commits, reader, listeners, clock };
  return new SqliteLedger({ ...parts, opened: opened.move() });
}

// SQLite says of a disk that can only be read that the file cannot be opened.
async function plainer(disk: Disk, path: string, failure: unknown): Promise<unknown> {
  if (!(failure instanceof AosError) || failure.code !== 'ledger.unreadable') return failure;
  const trial = `${path}.trial`;
  try {
    await (await disk.create(trial))[Symbol.asyncDispose]();
    await disk.remove(trial);
    return failure;
  } catch (refusal) {
    return refusal instanceof AosError && refusal.code === 'disk.read-only'
      ? ledgerReadOnly(path, refusal)
      : failure;
  }
}

interface OpenLedger {
  readonly path: string;
  readonly database: SqliteDatabase;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly commits: GroupCommit;
  readonly reader: SqliteReader;
  readonly listeners: Set<() => void>;
  /** What to close at the end. */
  readonly opened: Disposable;
}

class SqliteLedger implements Ledger {
  readonly committed: Ledger['committed'];
  readonly #open: OpenLedger;

  constructor(open: OpenLedger) {
    this.#open = open;
    this.committed = open.reader;
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#open.commits.transact(work);
  }

  openView(): Sql & Disposable {
    return openSqlite(this.#open.path, { readOnly: true });
  }

  onEvents(wake: () => void): Disposable {
    this.#open.listeners.add(wake);
    return { [Symbol.dispose]: () => void this.#open.listeners.delete(wake) };
  }

  async copyTo(path: string): Promise<void> {
    // A connection of its own: the copy pins a moment, which the others must not share.
    using database = openSqlite(this.#open.path, { readOnly: true });
    await database.copyTo(path);
  }

  /** Rows that are overwritten are zeros in the file; in the log they stand until it is cut off. */
  async forget(): Promise<void> {
    const { database, reader, clock } = this.#open;
    for (let attempt = 1; ; attempt++) {
      // The writer is between two transactions once a turn of others has passed.
      await clock.sleep(1);
      if (!database.inTransaction && cutLog(database, reader)) return;
      if (attempt === mostAttempts) throw stillRead(this.#open.path);
      await clock.sleep(attempt * 10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.commits.close();
    this.#open.opened[Symbol.dispose]();
  }
}

const mostAttempts = 50;

/** False while another connection reads what stands in the log. */
function cutLog(database: SqliteDatabase, reader: SqliteReader): boolean {
  reader.beforeWriting();
  const before = database.getNow<{ timeout: number }>('pragma busy_timeout');
  const { timeout: patience } = must(before, 'the busy timeout');
  try {
    // To wait here would hold up every caller: it is tried again later.
    database.getNow('pragma busy_timeout = 0');
    const row = database.getNow<{ busy: number }>('pragma wal_checkpoint(truncate)');
    return row?.busy === 0;
  } finally {
    database.getNow(`pragma busy_timeout = ${patience}`);
    reader.afterWriting();
  }
}

function stillRead(path: string): AosError {
  return new AosError('ledger.busy', {
    message: `The log of ${quote(path)} cannot be cut off, because somebody reads it all the time`,
    fix: 'Wait until a backup, or whoever else has the file open, is done',
  });
}

// Before SQLite does, which would give it the modes that the umask leaves.
async function makeFile(disk: Disk, path: string): Promise<void> {
  const there = await disk.stat(path);
  if (there === undefined) {
    await (await disk.create(path))[Symbol.asyncDispose]();
    await disk.syncFolder(dirname(path));
  } else if (there.kind !== 'file') {
    throw new AosError('ledger.foreign', {
      message: `${quote(path)} should be the ledger and is no file`,
      fix: 'Move it away, then start again',
    });
  }
}

// An owner that was frozen, and has been replaced since, finds another epoch than its own.
async function takeEpoch(
  database: SqliteDatabase,
  epoch: number,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  database.execute('begin immediate');
  try {
    const before = Number((await readState(database, 'epoch')) ?? 0);
    if (before >= epoch) throw staleEpoch(before, epoch);
    await writeState(database, 'epoch', String(epoch), clock.now());
    database.execute('commit');
  } finally {
    if (database.inTransaction) database.execute('rollback');
  }
}

function staleEpoch(known: number, epoch: number): AosError {
  return new AosError('ledger.fenced', {
    message: `The ledger has had a later owner (epoch ${known}) than this one (epoch ${epoch})`,
    fix: 'aos status',
    details: { epoch: known },
  });
}

// The one connection that writes: transactions, the chain of events, and the epoch that
// says whether this process still owns the home.
//
// C1. The chain's head in memory is that of the transaction under way. Every way back
//     (rollback, to a savepoint) takes the head back too.
// C2. The epoch is looked at in every transaction. When another process has taken the home over,
//     nothing is written any more.
// C3. After a flush that failed it is not known what is on disk, and a second flush would say yes
//     to nothing. So nothing is written until the file has been opened anew.

interface ConnectionDeps {
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
class SqliteReader implements Sql {
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
