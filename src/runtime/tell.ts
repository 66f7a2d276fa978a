/**
 * Telling people and agents by messages what became of something. That somebody is to be told
 * is a row of the transaction in which it happened, so that a crash in between forgets nobody;
 * and the message has a key, so that it is sent once.
 */
import { AosError } from '../kernel/errors.ts';
import type { Clock, Instant } from '../kernel/ports.ts';
import type { Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import { keepPurgeDebt } from '../ledger/memory/uses.ts';
import { messageOfNote } from '../ledger/operations/finish.ts';
import {
  addPendingOperation,
  completePendingOperation,
  openPendingOperations,
  payloadOf,
} from '../ledger/operations/pending-operations.ts';
import type { Note } from '../tools/deps.ts';

export interface TellerDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { warn(facts: object, words: string): void };
  notify(note: Note): Promise<void>;
  /** Whoever was to be told has been, or cannot be. */
  told?(to: string): void;
}

const type = 'tell';

export async function tellLater(tx: Transaction, note: Note, at: Instant): Promise<void> {
  await addPendingOperation(tx, { type, payload: note, at });
}

/** Whether there is something that this one is still to be told. */
export async function isToBeTold(sql: Sql, to: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 as told from pending_operations
     where completed_at is null and operation_type = $1 and json_extract(payload, '$.to') = $2`,
    [type, to],
  );
  return row !== undefined;
}

const pageNotes = 100;
const longestBody = 64 * 1024;

/** What a model, a program or another agent said goes into a message; not all of it. */
export function shortEnough(text: string): string {
  const left = text.length - longestBody;
  return left <= 0 ? text : `${text.slice(0, longestBody)}\n[${left} more characters]`;
}

/** Sends what is to be told; what fails for now is left for the next time. */
export async function tellAll(deps: TellerDeps): Promise<void> {
  for (;;) {
    const page = await openPendingOperations(deps.ledger.committed, pageNotes, type);
    for (const { id } of page) {
      // Not as it was when the page was read: what it says may have been purged.
      const payload = await payloadOf(deps.ledger.committed, id);
      if (payload === undefined) continue;
      // Only tellLater() writes it.
      const note = JSON.parse(payload) as Note;
      await tellOne(deps, note);
      await deps.ledger.transact((tx) => wasTold(tx, { id, payload, note, at: deps.clock.now() }));
      deps.told?.(note.to);
    }
    if (page.length < pageNotes) return;
  }
}

interface Told {
  readonly id: number;
  readonly payload: string;
  readonly note: Note;
  readonly at: Instant;
}

async function wasTold(tx: Transaction, { id, payload, note, at }: Told): Promise<void> {
  const present = await payloadOf(tx, id);
  if (!(await completePendingOperation(tx, id, at)) || present === payload) return;
  // It was purged while it was sent: the message follows.
  const message = await messageOfNote(tx, note.key);
  if (message !== undefined) await keepPurgeDebt(tx, `message:${message}`);
}

async function tellOne({ notify, log }: TellerDeps, note: Note): Promise<void> {
  try {
    await notify(note);
  } catch (failure) {
    // Whoever is not there, or whose mailbox is full, cannot be told; it is in the events.
    if (!(failure instanceof AosError) || failure.code.startsWith('ledger.')) throw failure;
    log.warn({ err: failure, to: note.to, key: note.key }, 'somebody could not be told');
  }
}
