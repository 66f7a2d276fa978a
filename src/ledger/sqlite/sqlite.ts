/** The ledger as a SQLite file in the home folder. */
import { dirname } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Disk, EventLoop } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { chainHead } from '../events.ts';
import type { Ledger, Sql, Transaction } from '../ledger.ts';
import { readState, writeState } from '../state.ts';
import { SqliteConnection, SqliteReader } from './connection.ts';
import { ledgerReadOnly, openSqlite, type SqliteDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
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
