import { DatabaseSync } from 'node:sqlite';
import { realEventLoop } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Clock, EventLoop } from '../../src/kernel/ports.ts';
import { chainHead } from '../../src/ledger/events.ts';
import type { Ledger, Sql, Transaction } from '../../src/ledger/ledger.ts';
import { GroupCommit } from '../../src/ledger/sqlite/group-commit.ts';
import { readMigrations } from '../../src/ledger/sqlite/migrate.ts';
import { SqliteConnection } from '../../src/ledger/sqlite/sqlite.ts';
import { FlushedView, LoggedDatabase } from './logged-database.ts';

/** What happens at the next commit: it works, it fails, or the power goes before or after the flush. */
export type CommitFate = 'works' | 'fails' | 'power-cut-before-flush' | 'power-cut-after-flush';

/** What the platters hold: the state after the last flush. */
export type Platter = Uint8Array;

/**
 * The ledger in memory. Its transactions, statements and chain are the real ones; only
 * the file is not. What was not flushed is gone when the power goes: open a new one on
 * the same platter.
 */
export class SimulatedLedger implements Ledger {
  readonly committed: Sql;
  fate: CommitFate = 'works';
  readonly #memory: DatabaseSync;
  readonly #database: LoggedDatabase;
  readonly #flushed: FlushedView;
  readonly #listeners = new Set<() => void>();
  readonly #commits: GroupCommit;
  /** Undefined while there is power. */
  #platterAtCut: Platter | undefined;
  #powered = true;

  static async create(
    clock: Clock,
    platter?: Platter,
    eventLoop: EventLoop = realEventLoop,
  ): Promise<SimulatedLedger> {
    const base = platter ?? (await emptyPlatter());
    const memory = new DatabaseSync(':memory:');
    memory.deserialize(base);
    const database = new LoggedDatabase(memory);
    const head = await chainHead(database);
    return new SimulatedLedger({ memory, database, base, clock, eventLoop }, head);
  }

  constructor(
    deps: {
      readonly memory: DatabaseSync;
      readonly database: LoggedDatabase;
      readonly base: Platter;
      readonly clock: Clock;
      readonly eventLoop: EventLoop;
    },
    head: Awaited<ReturnType<typeof chainHead>>,
  ) {
    const { memory, database, base, clock, eventLoop } = deps;
    this.#memory = memory;
    this.#database = database;
    this.#flushed = new FlushedView(database, base);
    const wakeAll = () => {
      for (const wake of this.#listeners) wake();
    };
    const connection = new FatedConnection(
      { database, clock, epoch: 1, onEvents: wakeAll, onLost: () => {} },
      head,
      (flush) => this.#commit(flush),
    );
    this.#commits = new GroupCommit({ connection, eventLoop, clock });
    this.committed = {
      all: (...call) => this.#reading(call[0]).all(...call),
      get: (...call) => this.#reading(call[0]).get(...call),
      run: (...call) => this.#flushed.now().run(...call),
    };
  }

  get hasPower(): boolean {
    return this.#powered;
  }

  /** What a machine that starts again would find. */
  get platter(): Platter {
    if (this.#platterAtCut !== undefined) return this.#platterAtCut;
    return this.#database.inTransaction ? this.#flushed.serialize() : this.#memory.serialize();
  }

  /** The process dies now, or the power goes: what is not committed never will be. */
  cut(): void {
    if (!this.#powered) return;
    if (this.#database.inTransaction) this.#database.runNow('rollback');
    // Kept, because what the dead one still does must not be found later.
    this.#platterAtCut = this.#memory.serialize();
    this.#powered = false;
  }

  /** Callers of a ledger without power are never answered, as those of a dead process. */
  async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const never = () => new Promise<T>(() => {});
    if (!this.#powered) return never();
    try {
      const value = await this.#commits.transact(work);
      return this.#powered ? value : await never();
    } catch (reason) {
      if (!this.#powered) return never();
      throw reason;
    }
  }

  openView(): Sql & Disposable {
    return { ...this.committed, [Symbol.dispose]: () => {} };
  }

  onEvents(wake: () => void): Disposable {
    this.#listeners.add(wake);
    return { [Symbol.dispose]: () => void this.#listeners.delete(wake) };
  }

  async forget(): Promise<void> {}

  async copyTo(): Promise<void> {
    throw new Error('a simulated ledger has no file to copy');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#powered) await this.#commits.close();
    this.#flushed[Symbol.dispose]();
    this.#database[Symbol.dispose]();
  }

  #commit(flush: () => void): void {
    const fate = this.fate;
    this.fate = 'works';
    if (!this.#powered) throw new PowerCut();
    if (fate === 'fails') throw commitFailed();
    if (fate !== 'power-cut-before-flush') flush();
    if (fate === 'works') return;
    this.cut();
    throw new PowerCut();
  }

  // While nothing is being written, what is flushed is what the one database holds.
  #reading(text: string): Sql {
    const isAlone = !this.#database.inTransaction && /^\s*select\b/i.test(text);
    return isAlone ? this.#database : this.#flushed.now();
  }
}

let madeOnce: Promise<Platter> | undefined;

// Thousands of ledgers are made in one run, and all of them begin alike.
function emptyPlatter(): Promise<Platter> {
  madeOnce ??= makePlatter();
  return madeOnce;
}

async function makePlatter(): Promise<Platter> {
  using memory = new DatabaseSync(':memory:');
  for (const { text } of await readMigrations(realDisk)) memory.exec(text);
  memory.exec(`insert into orchestrator_state (key, value) values ('epoch', '1')`);
  return memory.serialize();
}

function commitFailed(): AosError {
  return new AosError('ledger.full', { message: 'The simulated commit failed' });
}

/** A connection whose commit asks first what is to become of it. */
class FatedConnection extends SqliteConnection {
  readonly #decide: (flush: () => void) => void;

  constructor(
    deps: ConstructorParameters<typeof SqliteConnection>[0],
    head: ConstructorParameters<typeof SqliteConnection>[1],
    decide: (flush: () => void) => void,
  ) {
    super(deps, head);
    this.#decide = decide;
  }

  override commit(): void {
    this.#decide(() => super.commit());
  }
}

class PowerCut extends Error {}
