/**
 * Telling people and agents what became of a transfer. That somebody is to be told is a row of
 * the transaction in which it happened, so that a crash in between forgets nobody; and the
 * message has a key, so that it arrives once.
 */
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import {
  addPendingOperation,
  completePendingOperation,
  openPendingOperations,
} from '../ledger/operations/pending-operations.ts';
import type { TransferDeps, TransferNote } from './deps.ts';

const type = 'transfer.tell';
const pageNotes = 100;

export async function tellLater(tx: Transaction, note: TransferNote, at: Instant): Promise<void> {
  await addPendingOperation(tx, { type, payload: note, at });
}

export type TellerDeps = Pick<TransferDeps, 'ledger' | 'clock' | 'log' | 'tell'>;

/** Sends what is to be told. Whoever cannot be told is in the log, and not asked again. */
export async function tellAll(deps: TellerDeps): Promise<void> {
  const { ledger, clock } = deps;
  for (;;) {
    const page = await openPendingOperations(ledger.committed, pageNotes, type);
    for (const { id, payload } of page) {
      // Only tellLater() writes it.
      await tellOne(deps, JSON.parse(payload) as TransferNote);
      await ledger.transact((tx) => completePendingOperation(tx, id, clock.now()));
    }
    if (page.length < pageNotes) return;
  }
}

async function tellOne({ tell, log }: TellerDeps, note: TransferNote): Promise<void> {
  try {
    await tell(note);
  } catch (failure) {
    // Whoever is not there, or whose mailbox is full, cannot be told; it is in the events.
    if (!(failure instanceof AosError) || failure.code.startsWith('ledger.')) throw failure;
    log.warn({ err: failure, to: note.to, key: note.key }, 'somebody could not be told');
  }
}
