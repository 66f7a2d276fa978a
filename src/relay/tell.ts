/**
 * Messages that the system itself sends, as `__orchestrator__`, three ways:
 * tell() within a transaction of the relay, sendNote() at once, and tellLater() after a commit.
 *
 * T1. What is told later is a row of the transaction in which it happened, so that a crash in
 *     between loses nothing.
 * T2. A note has a key, so that it arrives once, however often it is sent.
 * T3. A recipient that is not there, or whose mailbox is full, is not told again: what happened is
 *     in the events.
 */
import { AosError } from '../kernel/errors.ts';
import {
  type Message,
  type MessageKind,
  type Note,
  priorities,
} from '../kernel/message/message.ts';
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
import {
  type Acceptance,
  type IncomingMessage,
  type PrincipalName,
  relayName,
} from './envelope.ts';
import type { Letter, Posting } from './posting.ts';

/** Of the rows that wait to be told; each part that tells works off its own. */
export type TellQueue = 'tell' | 'transfer.tell';

/** T1. The part that writes it calls tellAll() after the commit, and at its next start. */
export async function tellLater(
  tx: Transaction,
  note: Note,
  { at, queue = 'tell' }: { readonly at: Instant; readonly queue?: TellQueue },
): Promise<void> {
  await addPendingOperation(tx, { type: queue, payload: note, at });
}

/** Whether there is something that this one is still to be told. */
export async function isToBeTold(sql: Sql, to: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 as told from pending_operations
     where completed_at is null and operation_type = $1 and json_extract(payload, '$.to') = $2`,
    ['tell' satisfies TellQueue, to],
  );
  return row !== undefined;
}

export interface TellerDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { warn(facts: object, words: string): void };
  notify(note: Note): Promise<void>;
  /** Called once the recipient was notified, or can no longer be. */
  told?(to: string): void;
}

const pageNotes = 100;

/** Sends what is to be told; what fails for now is left for the next time. */
export async function tellAll(deps: TellerDeps, queue: TellQueue = 'tell'): Promise<void> {
  for (;;) {
    const page = await openPendingOperations(deps.ledger.committed, pageNotes, queue);
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

interface ToldNote {
  readonly id: number;
  readonly payload: string;
  readonly note: Note;
  readonly at: Instant;
}

async function wasTold(tx: Transaction, { id, payload, note, at }: ToldNote): Promise<void> {
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
    // T3
    if (!(failure instanceof AosError) || failure.code.startsWith('ledger.')) throw failure;
    log.warn({ err: failure, to: note.to, key: note.key }, 'somebody could not be told');
  }
}

interface NoteRelay {
  accept(batch: readonly IncomingMessage[]): Promise<readonly Acceptance[]>;
}

/** Sends a note at once, in a transaction of its own (T2). Throws where it is refused. */
export async function sendNote(
  relay: NoteRelay,
  { to, key, body, kind = 'message', re, transfer }: Note,
): Promise<void> {
  const message: Message = {
    to: to.replace(/^agent:/, ''),
    kind,
    re,
    priority: priorities.usual,
    attachments: [],
    // A program that reads its messages finds the transfer by it.
    headers: transfer === undefined ? [] : [{ name: 'TRANSFER', value: transfer }],
    dedupKey: key,
    body,
  };
  const [accepted] = await relay.accept([{ sender: relayName, message }]);
  if (accepted?.kind === 'refused') throw accepted.error;
}

/** What the relay says of a message, in the transaction in which that became of it. */
interface RelayNote {
  readonly to: PrincipalName;
  readonly kind: MessageKind;
  /** The message that it is about. */
  readonly re: string;
  readonly thread?: string | null | undefined;
  readonly body: string;
}

/**
 * Goes into any mailbox, however full: a sender has a right to hear what became of its message.
 * What the relay itself has sent is told to no one. Resolves to the id of the message.
 */
export async function tell(posting: Posting, note: RelayNote): Promise<string | undefined> {
  if (note.to === relayName) return undefined;
  const letter: Letter = {
    id: posting.newId(),
    sender: relayName,
    message: {
      to: note.to,
      kind: note.kind,
      priority: priorities.usual,
      thread: note.thread ?? undefined,
      re: note.re,
      attachments: [],
      headers: [],
      body: note.body,
    },
    sizeBytes: Buffer.byteLength(note.body),
    status: 'completed',
  };
  const row = await posting.insert(letter);
  if (row === undefined) throw new Error('the id of a new message was taken');
  await posting.place(row, letter, [{ name: note.to, subscription: 0 }]);
  return letter.id;
}

/** What a nack says: one sentence a line. */
export function nackBody(message: string, fix?: string): string {
  return fix === undefined ? `${message}\n` : `${message}\n${fix}\n`;
}
