/**
 * Many callers, one flush. What callers bring in one turn of the event loop runs in one
 * transaction and is answered after its commit.
 *
 * G1. Closures run one after another, each to its end, in the order in which they came.
 * G2. From the begin to the commit nothing from outside gets a turn: only continuations
 *     of promises run. A closure that has not settled when those are used up waits for
 *     something else than the ledger. It is refused, and its transaction handle is dead,
 *     so that whatever it does later changes nothing.
 * G3. On the good path there are no savepoints. When a closure throws, all is rolled back
 *     and run again with a savepoint each, so that only the one that throws is undone.
 * G4. No caller is answered before the commit. A commit that fails rejects every caller.
 * G5. A batch works for no longer than a flush takes on this disk, or for a millisecond where
 *     a flush takes less: what is left over goes into the next one. So the process is not
 *     held up for much more than two flushes, however many callers there are.
 */
import { AosError } from '../../kernel/errors.ts';
import type { Clock, EventLoop } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

/** The one connection that writes. Everything it does, it does on the spot. */
export interface WritingConnection extends Transaction {
  /** Throws when this process may no longer write. */
  begin(): void;
  commit(): void;
  /** Back to before the begin; also where SQLite has given up by itself. */
  rollback(): void;
  savepoint(): void;
  releaseSavepoint(): void;
  /** Back to the savepoint. False where the whole transaction is gone. */
  rollbackToSavepoint(): boolean;
}

export interface GroupCommitDeps {
  readonly connection: WritingConnection;
  readonly eventLoop: EventLoop;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface Task {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type TaskOutcome =
  | { readonly task: Task; readonly kind: 'done'; readonly value: unknown }
  | { readonly task: Task; readonly kind: 'threw'; readonly reason: unknown };

/** One try to get a batch through. Only the latest one may touch the connection. */
interface Attempt {
  readonly tasks: readonly Task[];
  readonly careful: boolean;
  readonly outcomes: TaskOutcome[];
  current: Handle | undefined;
}

// G5: a wait below a millisecond is not noticed, and more flushes would only cost; one beyond
//     twenty is, however slow the disk is.
const workMs = { least: 1, most: 20 };

export class GroupCommit {
  readonly #deps: GroupCommitDeps;
  #waiting: Task[] = [];
  #state: 'idle' | 'scheduled' | 'running' = 'idle';
  #attempt: Attempt | undefined;
  #idle = Promise.withResolvers<void>();
  #closed = false;
  /** G5: the mean of what the latest flushes took. */
  #workMs = 1;

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      // The value that comes back is the one that this very closure returned.
      this.#waiting.push({ work, resolve: resolve as Task['resolve'], reject });
      if (this.#state === 'idle') this.#schedule();
    });
  }

  /** Takes no more, and resolves when all that was taken is answered. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#state !== 'idle') await this.#idle.promise;
  }

  #schedule(): void {
    this.#state = 'scheduled';
    this.#deps.eventLoop.atEndOfTurn(() => {
      this.#state = 'running';
      const tasks = this.#waiting;
      this.#waiting = [];
      void this.#run({ tasks, careful: false, outcomes: [], current: undefined });
    });
  }

  async #run(attempt: Attempt): Promise<void> {
    this.#attempt = attempt;
    try {
      this.#deps.connection.begin();
    } catch (reason) {
      return this.#end(attempt, reason);
    }
    // G2 needs a continuation to count from.
    await undefined;
    this.#deps.eventLoop.whenSettled(() => {
      if (this.#attempt === attempt) this.#refuseCurrent(attempt);
    });
    const startedAt = this.#deps.clock.monotonicMs();
    for (const [place, task] of attempt.tasks.entries()) {
      if (place > 0 && this.#deps.clock.monotonicMs() - startedAt > this.#workMs) {
        // G5
        this.#waiting.unshift(...attempt.tasks.slice(place));
        break;
      }
      if (attempt.careful) this.#deps.connection.savepoint();
      const outcome = await this.#runOne(attempt, task);
      // G2: another attempt is under way, and this closure belongs to none any more.
      if (this.#attempt !== attempt) return;
      if (outcome.kind === 'threw' && !attempt.careful) return this.#tryAgain(attempt.tasks);
      const ended = attempt.careful ? this.#closeSavepoint(outcome) : undefined;
      if (ended !== undefined) return this.#end(attempt, ended.reason);
      attempt.outcomes.push(outcome);
    }
    this.#commit(attempt);
  }

  async #runOne(attempt: Attempt, task: Task): Promise<TaskOutcome> {
    const handle = new Handle(this.#deps.connection);
    attempt.current = handle;
    try {
      return { task, kind: 'done', value: await task.work(handle) };
    } catch (reason) {
      return { task, kind: 'threw', reason };
    } finally {
      handle.close();
    }
  }

  /** Why there is none any more: something has ended the whole transaction, as a full disk may. */
  #closeSavepoint(outcome: TaskOutcome): { readonly reason: unknown } | undefined {
    const { connection } = this.#deps;
    if (outcome.kind === 'threw') {
      return connection.rollbackToSavepoint() ? undefined : { reason: outcome.reason };
    }
    try {
      connection.releaseSavepoint();
      return undefined;
    } catch (reason) {
      // The closure has not heard of it, or has gone on in spite of it.
      return { reason };
    }
  }

  #refuseCurrent(attempt: Attempt): void {
    attempt.current?.close();
    const offender = attempt.tasks[attempt.outcomes.length];
    offender?.reject(foreignAwait());
    this.#tryAgain(attempt.tasks.filter((task) => task !== offender));
  }

  #tryAgain(tasks: readonly Task[]): void {
    this.#deps.connection.rollback();
    void this.#run({ tasks, careful: true, outcomes: [], current: undefined });
  }

  #commit(attempt: Attempt): void {
    const { connection, clock } = this.#deps;
    const startedAt = clock.monotonicMs();
    try {
      connection.commit();
    } catch (reason) {
      this.#end(attempt, reason);
      return;
    }
    this.#attempt = undefined;
    const mean = 0.9 * this.#workMs + 0.1 * (clock.monotonicMs() - startedAt);
    this.#workMs = Math.min(Math.max(mean, workMs.least), workMs.most);
    for (const outcome of attempt.outcomes) {
      if (outcome.kind === 'done') outcome.task.resolve(outcome.value);
      else outcome.task.reject(outcome.reason);
    }
    this.#next();
  }

  // G4
  #end(attempt: Attempt, reason: unknown): void {
    this.#deps.connection.rollback();
    this.#attempt = undefined;
    const overtaken = new Set(this.#waiting);
    for (const task of attempt.tasks) {
      if (!overtaken.has(task)) task.reject(reason);
    }
    this.#next();
  }

  #next(): void {
    if (this.#waiting.length > 0) {
      this.#schedule();
      return;
    }
    this.#state = 'idle';
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}

/** What a closure is handed: the connection, until the closure has ended. */
class Handle implements Transaction {
  #connection: WritingConnection | undefined;

  constructor(connection: WritingConnection) {
    this.#connection = connection;
  }

  all<Row>(...call: Parameters<Sql['all']>): Promise<Row[]> {
    return this.#open().all(...call);
  }

  get<Row>(...call: Parameters<Sql['get']>): Promise<Row | undefined> {
    return this.#open().get(...call);
  }

  run(...call: Parameters<Sql['run']>): Promise<number> {
    return this.#open().run(...call);
  }

  record(...call: Parameters<Transaction['record']>): Promise<void> {
    return this.#open().record(...call);
  }

  close(): void {
    this.#connection = undefined;
  }

  #open(): WritingConnection {
    if (this.#connection === undefined) throw foreignAwait();
    return this.#connection;
  }
}

function foreignAwait(): AosError {
  return new AosError('ledger.foreign-await', {
    message: 'A transaction waited for something else than the ledger, and was undone',
    fix: 'Report it: await what comes from outside before the transaction, or after it',
  });
}

function closed(): AosError {
  return new AosError('ledger.closed', {
    message: 'The ledger is closed: the daemon is stopping',
    fix: 'aos up --detach',
  });
}
