/** The floor of the ledger's benches: the same rows by the barest loop that node:sqlite allows. */
import { DatabaseSync } from 'node:sqlite';
import { realDisk } from '../src/engines/disk/disk.ts';
import { type ChainHead, chainStart, dataDigest, nextHead } from '../src/ledger/events.ts';
import { readMigrations } from '../src/ledger/sqlite/migrate.ts';

export interface RawLedger extends Disposable {
  /** One row and one chained event for each number, in one commit; how long that took. */
  commitBatch(size: number): BatchTimes;
}

export interface BatchTimes {
  readonly totalMs: number;
  /** The commit statement alone, which holds the flush. */
  readonly commitMs: number;
}

/** What each transaction of these benches writes, on either side, by the same statement. */
export const insertBenchRow =
  'insert into pending_operations (operation_type, payload, created_at) values ($1, $2, $3)';
export const benchRow = { type: 'bench', payload: { agent: 'jean', step: 'written' } } as const;
export const benchEvent = {
  actor: 'agent:jean',
  kind: 'bench.written',
  subject: 'agent:jean',
  data: { step: 'written', size: 1024 },
} as const;

export async function createRawLedger(path: string): Promise<RawLedger> {
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 8192;
    pragma journal_size_limit = 67108864; pragma foreign_keys = on; pragma cache_size = -2000`);
  for (const { text } of await readMigrations(realDisk)) database.exec(text);
  const write = writerOf(database, chainStart);
  return {
    commitBatch(size) {
      const startedAt = performance.now();
      database.exec('begin immediate');
      for (let left = size; left > 0; left--) write();
      const workedAt = performance.now();
      database.exec('commit');
      const endedAt = performance.now();
      return { totalMs: endedAt - startedAt, commitMs: endedAt - workedAt };
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/**
 * Adds that many events to a ledger that nobody has open, fast and with nothing flushed
 * until the end: the chain is whole, and goes on from where it was.
 */
export function addManyEvents(path: string, count: number): void {
  using database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -64000');
  const newest = database.prepare('select seq, hash from events order by seq desc limit 1').get();
  // The columns are those of our own schema.
  const head = (newest as ChainHead | undefined) ?? chainStart;
  const write = writerOf(database, head, { eventsOnly: true });
  database.exec('begin');
  for (let left = count; left > 0; left--) write();
  database.exec('commit');
  // So that the disk is not still busy with it when something else is measured.
  database.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)');
}

function writerOf(
  database: DatabaseSync,
  start: ChainHead,
  { eventsOnly = false }: { readonly eventsOnly?: boolean } = {},
): () => void {
  const insertRow = database.prepare(insertBenchRow.replaceAll('$', '?'));
  const insertEvent = database.prepare(
    `insert into events (at, actor, kind, subject, data, data_digest, seq, prev_hash, hash)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const { actor, kind, subject } = benchEvent;
  let head = start;
  return () => {
    const at = Date.now();
    if (!eventsOnly) insertRow.run(benchRow.type, JSON.stringify(benchRow.payload), at);
    const data = JSON.stringify(benchEvent.data);
    const digest = dataDigest(data);
    const before = head;
    head = nextHead(before, { at, actor, kind, subject, dataDigest: digest });
    insertEvent.run(at, actor, kind, subject, data, digest, head.seq, before.hash, head.hash);
  };
}
