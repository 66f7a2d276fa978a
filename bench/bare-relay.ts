/**
 * The floor of the relay's benches: the rows that a delivered message leaves, and nothing
 * else. Its own row, the row of its delivery as that ends, and both events of the chain, by
 * prepared statements, any number of messages in one flushed commit.
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { realDisk } from '../src/engines/disk/disk.ts';
import { type ChainHead, chainStart, dataDigest, nextHead } from '../src/ledger/events.ts';
import { readMigrations } from '../src/ledger/sqlite/migrate.ts';

export interface BareMessage {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly via: 'inbox' | 'push';
  /** The name of the file that it came in. */
  readonly file?: string;
}

export interface BareRelay extends Disposable {
  /** The ids, once everything is on disk. */
  commit(batch: readonly BareMessage[]): string[];
}

export async function openBareRelay(path: string): Promise<BareRelay> {
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 8192;
    pragma journal_size_limit = 67108864; pragma foreign_keys = on; pragma cache_size = -2000`);
  for (const { text } of await readMigrations(realDisk)) database.exec(text);
  const write = writerOf(database);
  return {
    commit(batch) {
      database.exec('begin immediate');
      const ids = batch.map(write);
      database.exec('commit');
      return ids;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

const weekMs = 7 * 24 * 3_600_000;

function writerOf(database: DatabaseSync): (message: BareMessage) => string {
  const insertMessage = database.prepare(`
    insert into messages (message_id, agent_name, direction, source_name, file_path, file_size,
      status, message_type, target, discovered_at, processed_at, priority, headers, body,
      size_bytes, expires_at)
    values (?, ?, 'outbox', ?, ?, ?, ?, 'message', ?, ?, ?, 5, '{}', ?, ?, ?)`);
  const insertDelivery = database.prepare(`
    insert into deliveries (message, recipient, state, priority, stamp_ns, size_bytes, attempts,
      due_at, expires_at, via, accepted_at, delivered_at)
    values (?, ?, 'delivered', 5, ?, ?, 1, ?, ?, ?, ?, ?)`);
  const record = recorderOf(database);
  let stamps = 0;
  return ({ from, to, body, via, file }) => {
    const at = Date.now();
    const id = at.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
    const bytes = Buffer.byteLength(body);
    const [path, size] = file === undefined ? [null, null] : [file, bytes];
    const status = file === undefined ? 'completed' : 'archived';
    const { lastInsertRowid } = insertMessage.run(
      ...[id, from, path, path, size, status, to, at, at, body, bytes, at + weekMs],
    );
    const accepted = JSON.stringify({ to, kind: 'message', recipients: 1, bytes });
    record(at, `agent:${from}`, 'message.accepted', id, accepted);
    const stamp = `${at}${String(stamps++ % 1_000_000).padStart(6, '0')}`;
    insertDelivery.run(lastInsertRowid, to, stamp, bytes, at, at + weekMs, via, at, at);
    record(at, 'system', 'message.delivered', id, JSON.stringify({ to, via }));
    return id;
  };
}

function recorderOf(database: DatabaseSync) {
  const insertEvent = database.prepare(
    `insert into events (at, actor, kind, subject, data, data_digest, seq, prev_hash, hash)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let head: ChainHead = chainStart;
  return (at: number, actor: string, kind: string, id: string, data: string): void => {
    const subject = `message:${id}`;
    const digest = dataDigest(data);
    const before = head;
    head = nextHead(before, { at, actor, kind, subject, dataDigest: digest });
    insertEvent.run(at, actor, kind, subject, data, digest, head.seq, before.hash, head.hash);
  };
}
