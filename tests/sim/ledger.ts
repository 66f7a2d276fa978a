import { DatabaseSync } from 'node:sqlite';
import { realDisk } from '../../src/app/engines/disk.ts';
import { realEventLoop } from '../../src/app/engines/event-loop.ts';
import type { Clock } from '../../src/kernel/ports.ts';
import { chainHead } from '../../src/ledger/events.ts';
import { GroupCommit } from '../../src/ledger/group-commit.ts';
import type { Ledger, Sql, Transaction } from '../../src/ledger/ledger.ts';
import { readMigrations } from '../../src/ledger/migrate.ts';
import { SqliteConnection } from '../../src/ledger/sqlite-connection.ts';
import { SqliteDatabase } from '../../src/ledger/sqlite-database.ts';

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
  readonly #listeners = new Set<() => void>();
  readonly #commits: GroupCommit;
  #platter: Platter;
  #view: SqliteDatabase | undefined;
  #powered = true;

  static async create(clock: Clock, platter?: Platter): Promise<SimulatedLedger> {
    const memory = new DatabaseSync(':memory:');
    if (platter === undefined) {
      for (const { text } of await readMigrations(realDisk)) memory.exec(text);
      memory.exec(`insert into orchestrator_state (key, value) values ('epoch', '1')`);
    } else {
      memory.deserialize(platter);
    }
    const database = new SqliteDatabase(memory, ':memory:');
    return new SimulatedLedger({ memory, database, clock }, await chainHead(database));
  }

  constructor(
    deps: {
      readonly memory: DatabaseSync;
      readonly database: SqliteDatabase;
      readonly clock: Clock;
    },
    head: Awaited<ReturnType<typeof chainHead>>,
  ) {
    this.#memory = deps.memory;
    this.#platter = deps.memory.serialize();
    const wakeAll = () => {
      for (const wake of this.#listeners) wake();
    };
    const connection = new FatedConnection(
      { database: deps.database, clock: deps.clock, epoch: 1, onEvents: wakeAll, onLost: () => {} },
      head,
      (flush) => this.#commit(flush),
    );
    this.#commits = new GroupCommit({ connection, eventLoop: realEventLoop, clock: deps.clock });
    this.committed = {
      all: (...call) => this.#flushed().all(...call),
      get: (...call) => this.#flushed().get(...call),
      run: (...call) => this.#flushed().run(...call),
    };
  }

  /** What a machine that starts again would find. */
  get platter(): Platter {
    return this.#platter;
  }

  /** Callers of a ledger without power are never answered, as those of a dead process. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const never = new Promise<T>(() => {});
    if (!this.#powered) return never;
    return this.#commits.transact(work).catch((reason: unknown) => {
      if (reason instanceof PowerCut) return never;
      throw reason;
    });
  }

  openView(): Sql & Disposable {
    return { ...this.committed, [Symbol.dispose]: () => {} };
  }

  onEvents(wake: () => void): Disposable {
    this.#listeners.add(wake);
    return { [Symbol.dispose]: () => void this.#listeners.delete(wake) };
  }

  async copyTo(): Promise<void> {
    throw new Error('a simulated ledger has no file to copy');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#powered) await this.#commits.close();
    this.#view?.[Symbol.dispose]();
    this.#memory.close();
  }

  #commit(flush: () => void): void {
    const fate = this.fate;
    this.fate = 'works';
    if (fate === 'fails') throw new Error('the simulated commit failed');
    if (fate !== 'power-cut-before-flush') {
      flush();
      this.#platter = this.#memory.serialize();
      this.#view?.[Symbol.dispose]();
      this.#view = undefined;
    }
    if (fate === 'works') return;
    this.#powered = false;
    throw new PowerCut();
  }

  #flushed(): SqliteDatabase {
    if (this.#view === undefined) {
      const memory = new DatabaseSync(':memory:');
      memory.deserialize(this.#platter);
      memory.exec('pragma query_only = on');
      this.#view = new SqliteDatabase(memory, ':memory:');
    }
    return this.#view;
  }
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
