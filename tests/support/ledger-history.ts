/**
 * A ledger that was written to, with what its files held and what had been answered at
 * each flush: enough to say what a power cut at any moment may leave.
 */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../../src/kernel/ports.ts';
import { type Ledger, type Sql, writeState } from '../../src/ledger/ledger.ts';
import { addPendingOperation } from '../../src/ledger/operations/pending-operations.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { integerBelow } from '../sim/random.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';

export interface Flush {
  /** How many writes had been answered by then. */
  readonly answered: number;
  /** Where the log ended: all before it was on disk. */
  readonly logEnd: number;
}

export interface LedgerHistory {
  readonly database: Buffer;
  /** What `database` was before the log was moved into it. */
  readonly databaseBefore: Buffer;
  readonly log: Buffer;
  /** What lay in the log's file before it was begun anew. */
  readonly logBefore: Buffer;
  /** The first one is what was safe before `log` was begun. */
  readonly flushes: readonly Flush[];
  /** Everything that was written, one line a write, in order. */
  readonly writes: readonly string[];
}

export interface HistoryChoices {
  readonly random: Random;
  readonly commits: number;
  /** Move the log into the database half way, so that old frames lie behind the new ones. */
  readonly startLogAnew: boolean;
}

// More than a page, so that some writes need pages of their own.
const longNote = 6000;
const shortNote = 300;

export async function writeHistory(choices: HistoryChoices): Promise<LedgerHistory> {
  await using folder = temporaryFolder();
  const path = folder.at('ledger.db');
  // A clock that stands still: what is brought in one turn is one commit, in every run.
  const clock = new SimulatedClock();
  // Its tables are in the log, too.
  await using ledger = await openTestLedger(path, { clock, fromNothing: true });
  const read = () => ({ database: readFileSync(path), log: readFileSync(`${path}-wal`) });
  // Twice as much, so that the new log ends before the old one did.
  const earlier = { ...choices, commits: choices.startLogAnew ? 2 * choices.commits : 0 };
  const past = await writeFlushes(ledger, path, earlier, 0);
  const before = read();
  if (choices.startLogAnew) moveLogIntoDatabase(path);
  const answered = past.at(-1)?.answered ?? 0;
  const safe = { answered, logEnd: choices.startLogAnew ? 0 : logEnd(before.log) };
  const flushes = [safe, ...(await writeFlushes(ledger, path, choices, answered))];
  return {
    ...read(),
    databaseBefore: before.database,
    logBefore: before.log,
    flushes,
    writes: await readWrites(ledger.committed),
  };
}

async function writeFlushes(
  ledger: Ledger,
  path: string,
  { random, commits }: HistoryChoices,
  answeredBefore: number,
): Promise<Flush[]> {
  const flushes: Flush[] = [];
  let answered = answeredBefore;
  for (let commit = 0; commit < commits; commit++) {
    const callers = Array.from({ length: 1 + integerBelow(random, 8) }, () => answered++);
    await Promise.all(callers.map((number) => write(ledger, number, random)));
    flushes.push({ answered, logEnd: logEnd(`${path}-wal`) });
  }
  return flushes;
}

function write(ledger: Ledger, number: number, random: Random): Promise<void> {
  const name = `write-${number}`;
  const longest = integerBelow(random, 8) === 0 ? longNote : shortNote;
  const note = String.fromCodePoint(97 + (number % 26)).repeat(integerBelow(random, longest));
  return ledger.transact(async (tx) => {
    await addPendingOperation(tx, { type: name, payload: { note }, at: number });
    await tx.record({ actor: 'owner', kind: 'test.written', subject: name, data: { number } });
    await writeState(tx, name, note, number);
  });
}

/** Each write as one line: what its three rows hold, of which none may be missing. */
export async function readWrites(sql: Sql): Promise<string[]> {
  const operations = await sql.all(
    'select operation_type, payload, created_at from pending_operations order by id',
  );
  const states = await sql.all(
    `select key, value, updated_at from orchestrator_state where key <> 'epoch' order by updated_at`,
  );
  const events = await sql.all(
    'select subject, data, seq, prev_hash, hash from events order by id',
  );
  const count = Math.max(operations.length, states.length, events.length);
  return Array.from({ length: count }, (_, place) =>
    JSON.stringify([operations[place], states[place], events[place]]),
  );
}

function moveLogIntoDatabase(path: string): void {
  using database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(passive)');
}

const headerBytes = 32;
const frameBytes = 24 + 4096;

/** Where the frames end that belong to the log's newest beginning (sqlite.org/walformat.html). */
export function logEnd(log: string | Buffer): number {
  const bytes = typeof log === 'string' ? readFileSync(log) : log;
  const salt = bytes.subarray(16, 24);
  let end = headerBytes;
  while (bytes.length >= end + frameBytes && salt.equals(bytes.subarray(end + 8, end + 16))) {
    end += frameBytes;
  }
  return end;
}
