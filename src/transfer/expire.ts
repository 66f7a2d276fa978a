/**
 * What is over goes: a transfer that was not fetched in time expires, the body of one that was
 * fetched is let go, uploads that no sender goes on with end, old rows are removed.
 */

import type { Instant } from '../kernel/ports.ts';
import { oneLine } from '../kernel/text/quote.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { deleteUnusedBodies, holdersOf } from '../ledger/transfers/bodies.ts';
import { deleteLinksBefore } from '../ledger/transfers/links.ts';
import {
  deleteTransfersBefore,
  endedTransfers,
  markExpired,
  type TransferRow,
} from '../ledger/transfers/transfers.ts';
import { tellAll, tellLater } from '../relay/tell.ts';
import { removeManifest } from './announce.ts';
import { transferNotes } from './deps.ts';
import { letGo } from './settle.ts';
import { endLeftUploads, type ServingDeps } from './upload.ts';

export interface Cleanup {
  /** Of whom; of all where nothing is said. */
  readonly principal?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface CleanedUp {
  readonly expired: number;
  readonly freed_bytes: number;
}

// One transaction must not hold up those who send.
const batchRows = 200;

export async function cleanUp(
  deps: ServingDeps,
  { principal, dryRun = false }: Cleanup = {},
): Promise<CleanedUp> {
  if (dryRun) return wouldCleanUp(deps, principal);
  const now = deps.clock.now();
  let expired = 0;
  let freedBytes = 0;
  for (;;) {
    const batch = await deps.ledger.transact((tx) => endBatch(deps, tx, { now, principal }));
    for (const row of batch.rows) {
      if (row.status === 'pending') deps.counts.ended('expired');
      await removeQuietly(deps, row);
    }
    expired += batch.rows.length;
    freedBytes += batch.freedBytes;
    if (batch.rows.length < batchRows) break;
  }
  if (principal === undefined) await endLeftUploads(deps);
  await tellAll(deps, transferNotes);
  return { expired, freed_bytes: freedBytes };
}

async function wouldCleanUp(
  { ledger, clock }: ServingDeps,
  principal?: string,
): Promise<CleanedUp> {
  const now = clock.now();
  const limit = 1_000_000;
  const rows = await endedTransfers(ledger.committed, { now, principal, limit });
  const going = new Set(rows.map(({ id }) => id));
  const bodies = new Map(rows.map((row) => [row.body, row]));
  let freed = 0;
  for (const [body, { stored_bytes }] of bodies) {
    const holders = body === null ? [] : await holdersOf(ledger.committed, body);
    if (holders.every((id) => going.has(id))) freed += stored_bytes ?? 0;
  }
  return { expired: rows.length, freed_bytes: freed };
}

interface Ending {
  readonly now: Instant;
  readonly principal: string | undefined;
}

async function endBatch(
  deps: ServingDeps,
  tx: Transaction,
  { now, principal }: Ending,
): Promise<{ readonly rows: readonly TransferRow[]; readonly freedBytes: number }> {
  const rows = await endedTransfers(tx, { now, principal, limit: batchRows });
  let freedBytes = 0;
  for (const row of rows) {
    const isExpired = await markExpired(tx, row.id);
    if (await letGo(deps, tx, row)) freedBytes += row.stored_bytes ?? 0;
    const subject = `transfer:${row.id}`;
    const data = { was: row.status };
    await tx.record({ actor: 'system', kind: 'transfer.expired', subject, data });
    if (!isExpired) continue;
    const body = `${row.recipient} has not fetched ${oneLine(row.filename)} in time: it has expired.\n`;
    const key = `transfer:${row.id}:expired`;
    await tellLater(
      tx,
      { to: row.sender, key, body, transfer: row.id },
      { at: now, queue: transferNotes },
    );
  }
  return { rows, freedBytes };
}

async function removeQuietly(deps: ServingDeps, { s3_key, id }: TransferRow): Promise<void> {
  await removeManifest(deps, s3_key).catch((failure: unknown) => {
    deps.log.warn(
      { err: failure, transfer: id },
      'the manifest of a transfer that is over is left',
    );
  });
}

/** Rows of what was over before that moment. */
export async function pruneTransfers(
  { ledger }: Pick<ServingDeps, 'ledger'>,
  before: Instant,
): Promise<void> {
  for (;;) {
    const pruned = await ledger.transact((tx) => deleteTransfersBefore(tx, before, batchRows));
    if (pruned < batchRows) break;
  }
  await ledger.transact(async (tx) => {
    await deleteUnusedBodies(tx);
    await deleteLinksBefore(tx, before);
  });
}
