/**
 * The one database, as the rest of the program sees it. SQLite fills this today; the
 * words are chosen so that Postgres can.
 */
import type { Bodies } from './operations/bodies.ts';

export type SqlValue = string | number | null | Uint8Array;
export type SqlParameters = readonly SqlValue[];

/** Statements with `$1`, `$2`, … for the parameters. */
export interface Sql {
  all<Row>(text: string, parameters?: SqlParameters): Promise<Row[]>;
  get<Row>(text: string, parameters?: SqlParameters): Promise<Row | undefined>;
  /** How many rows were changed: look at it, because it is how a guarded update answers. */
  run(text: string, parameters?: SqlParameters): Promise<number>;
  /** Undefined where no operation has a key of its own. */
  readonly bodies?: Bodies | undefined;
}

/** What a closure of `transact` is handed; it is good only until the closure ends. */
export interface Transaction extends Sql {
  /** Appends one event to the chain, as part of this transaction. */
  record(event: NewEvent): Promise<void>;
}

export interface NewEvent {
  /** Who did it: `owner`, `system`, `agent:NAME` or an address. */
  readonly actor: string;
  /** `area.what-happened`, such as `agent.registered`. */
  readonly kind: string;
  /** What it was done to, such as `agent:jean`. */
  readonly subject: string;
  /** Ids, digests and plain facts; never a body, a secret or a file's content. */
  readonly data?: object | undefined;
}

export interface Ledger extends AsyncDisposable {
  /**
   * Runs `work` in a transaction and resolves once what it wrote is on disk. It may
   * await ledger calls only, and it may be run more than once, so it must not change
   * anything but the ledger.
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * What this ledger has committed, each statement seeing one moment of it. Refuses to
   * write.
   */
  readonly committed: Sql;
  /** The same as it stands on disk, for who doubts that nobody else has written there. */
  openView(): Sql & Disposable;
  /** Calls after each commit that added events. A hint to look, never the truth. */
  onEvents(wake: () => void): Disposable;
  /** A copy of everything that is on disk now, as one new file at `path`. */
  copyTo(path: string): Promise<void>;
  /** What was overwritten or deleted before this is in no file of the ledger afterwards. */
  forget(): Promise<void>;
}
