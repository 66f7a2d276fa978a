import type { Instant } from '../kernel/ports.ts';

/**
 * The one database, as the rest of the program sees it. SQLite fills this today; the
 * words are chosen so that Postgres can.
 */

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
  /**
   * A view of what stands on disk, for a reader that has to notice what another process has written
   * there.
   */
  openView(): Sql & Disposable;
  /** Calls after each commit that added events. A hint to look, never the truth. */
  onEvents(wake: () => void): Disposable;
  /** A copy of everything that is on disk now, as one new file at `path`. */
  copyTo(path: string): Promise<void>;
  /** What was overwritten or deleted before this is in no file of the ledger afterwards. */
  forget(): Promise<void>;
}

// Statements that change many rows at once, by their ids.

/** How many rows one statement changes at most. */
export const batchRows = 256;

/** A statement with room for so many ids, which come last. */
interface SizedText {
  readonly size: number;
  readonly text: string;
}

/**
 * Few sizes, so that each is prepared once, and a single row is not looked for in a long
 * list.
 */
export function forSizes(textOf: (size: number) => string): readonly SizedText[] {
  return [1, 16, batchRows].map((size) => ({ size, text: textOf(size) }));
}

/** `$2, $3, $4` for three from the second on. */
export function places(count: number, first: number): string {
  return Array.from({ length: count }, (_, place) => `$${first + place}`).join(', ');
}

/** The ids of the rows that were changed; the statement's other parameters come first. */
export async function changeBatch<Id extends SqlValue>(
  tx: Transaction,
  texts: readonly SizedText[],
  { ids, first }: { readonly ids: readonly Id[]; readonly first: readonly SqlValue[] },
): Promise<ReadonlySet<Id>> {
  const [some] = ids;
  if (some === undefined) return new Set();
  const fitting = texts.find(({ size }) => size >= ids.length);
  if (fitting === undefined) throw new Error('a batch of rows is too large');
  // One that is named twice is changed once.
  const rest = Array<Id>(fitting.size - ids.length).fill(some);
  const rows = await tx.all<{ id: Id }>(fitting.text, [...first, ...ids, ...rest]);
  return new Set(rows.map(({ id }) => id));
}

/** Seals and opens what the journal says of operations that have a key of their own. */
export interface Bodies {
  /** As it is where the operation has no key. */
  close(operation: string, text: string): string;
  /** As it is where it is not sealed; `{"erased":…}` where its key is gone, or it was changed. */
  open(text: string): string;
  has(operation: string): boolean;
}

// `orchestrator_state`: single values that the daemon must find again.

export async function readState(sql: Sql, key: string): Promise<string | undefined> {
  const row = await sql.get<{ value: string | null }>(
    'select value from orchestrator_state where key = $1',
    [key],
  );
  return row?.value ?? undefined;
}

export async function writeState(
  sql: Sql,
  key: string,
  value: string,
  now: Instant,
): Promise<void> {
  await sql.run(
    `insert into orchestrator_state (key, value, updated_at) values ($1, $2, $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [key, value, now],
  );
}

/** Changes a value only from what it was seen to be; tells whether it did. */
export async function replaceState(
  sql: Sql,
  key: string,
  change: { readonly from: string; readonly to: string; readonly at: Instant },
): Promise<boolean> {
  const changed = await sql.run(
    'update orchestrator_state set value = $3, updated_at = $4 where key = $1 and value = $2',
    [key, change.from, change.to, change.at],
  );
  return changed === 1;
}

/** Under keys that begin so, in their order. */
export function statesBelow(
  sql: Sql,
  prefix: string,
  limit: number,
): Promise<{ key: string; value: string | null }[]> {
  return sql.all(
    `select key, value from orchestrator_state
     where substr(key, 1, length($1)) = $1 and key > $1 order by key limit $2`,
    [prefix, limit],
  );
}

export async function removeState(sql: Sql, key: string): Promise<void> {
  await sql.run('delete from orchestrator_state where key = $1', [key]);
}
