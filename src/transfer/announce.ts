/** What follows once a transfer is stored: its manifest, what is unusual of it, its recipient told. */

import { join } from 'node:path';
import { ensureFolder, writeFileDurably } from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import type { Disk, Instant } from '../kernel/ports.ts';
import { oneLine } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import {
  lookBackMs,
  sizeText,
  type TransferStatus,
  type UnusualKind,
  unusual,
} from '../kernel/transfer/transfer.ts';
import { readState, type Transaction, writeState } from '../ledger/ledger.ts';
import {
  advanceTransfer,
  isKeyHeld,
  sentWithin,
  type TransferRow,
  transfersOfBatch,
  unannouncedTransfers,
} from '../ledger/transfers/transfers.ts';
import { ownerName } from '../relay/envelope.ts';
import { tellAll, tellLater } from '../relay/tell.ts';
import type { SentAnswer, TransferView } from './calls.ts';
import { type TransferDeps, transferNotes } from './deps.ts';

/** What is stored is sent, whatever happens here: what fails is told, and done again later. */
export async function announceBatch(deps: TransferDeps, batch: string): Promise<SentAnswer> {
  const sql = deps.ledger.committed;
  const rows = await transfersOfBatch(sql, batch);
  const first = must(rows[0], 'a transfer of the batch that was just written');
  deps.counts.sent(rows.length, first.file_size_bytes);
  await attempt(deps, 'what is unusual', () => watchForUnusual(deps, rows));
  for (const row of rows) await announce(deps, row);
  await attempt(deps, 'whoever is to be told', () => tellAll(deps, transferNotes));
  const now = deps.clock.now();
  const transfers = (await transfersOfBatch(sql, batch)).map((row) => transferView(row, now));
  return { transfers, saved_bytes: first.saved_bytes };
}

const pageRows = 100;

/** Those that a crash has left unannounced. */
export async function announceLeft(deps: TransferDeps): Promise<void> {
  const rows = await unannouncedTransfers(deps.ledger.committed, pageRows);
  for (const row of rows) await announce(deps, row);
}

/** By a key, so that the recipient hears of it once, however often this is begun. */
async function announce(deps: TransferDeps, row: TransferRow): Promise<void> {
  await attempt(deps, 'the manifest of a transfer', () => writeManifest(deps, row));
  await attempt(deps, 'the recipient of a transfer', async () => {
    const key = `transfer:${row.id}:arrived`;
    await deps.notify({ to: row.recipient, key, body: arrivalText(row), transfer: row.id });
    await deps.ledger.transact(async (tx) => {
      const at = deps.clock.now();
      const isNews = await advanceTransfer(tx, row.id, { from: ['stored'], to: 'announced', at });
      if (!isNews) return;
      const subject = `transfer:${row.id}`;
      await tx.record({ actor: 'system', kind: 'transfer.announced', subject });
    });
  });
}

function arrivalText({ sender, filename, file_size_bytes, id }: TransferRow): string {
  const what = `${oneLine(filename)} (${sizeText(file_size_bytes)})`;
  return `${sender} sent you ${what}. Fetch it: agent-transfer download ${id}\n`;
}

async function attempt(
  { log }: Pick<TransferDeps, 'log'>,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (failure) {
    log.error({ error: toReport(failure) }, `cannot take care of ${what}`);
  }
}

// What a human should look at: an event, and a message to the owner.

interface Alert {
  readonly alert: 'failed-after-retries' | 'quota' | 'burst' | 'new-recipient' | 'odd-hour';
  readonly sender: string;
  /** One sentence. */
  readonly words: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly transfer?: string | undefined;
}

export async function alert(
  { clock }: Pick<TransferDeps, 'clock'>,
  tx: Transaction,
  { alert: kind, sender, words, facts, transfer }: Alert,
): Promise<void> {
  const at = clock.now();
  const subject = transfer === undefined ? `transfers:${sender}` : `transfer:${transfer}`;
  const data = { alert: kind, sender, ...facts };
  await tx.record({ actor: 'system', kind: 'transfer.alert', subject, data });
  const key = `transfer:alert:${kind}:${transfer ?? sender}:${at}`;
  await tellLater(
    tx,
    { to: ownerName, key, body: `${words}\n`, transfer },
    { at, queue: transferNotes },
  );
}

// A transfer as it is told.

export function transferView(row: TransferRow, now: Instant): TransferView {
  return {
    id: row.id,
    sender: row.sender,
    recipient: row.recipient,
    filename: row.filename,
    file_size_bytes: row.file_size_bytes,
    mime_type: row.mime_type,
    s3_key: row.s3_key,
    s3_bucket: row.s3_bucket,
    metadata: metadataOf(row),
    status: statusOf(row, now),
    created_at: timeText(row.created_at),
    downloaded_at: row.downloaded_at === null ? null : timeText(row.downloaded_at),
    expires_at: row.expires_at === null ? null : timeText(row.expires_at),
    batch: row.batch,
    kind: row.kind,
    entries: row.entries,
    sha256: row.sha256,
    sealed: row.recipient_key !== null,
    ack: row.ack,
    ack_at: timeText(row.ack_at),
    reason: row.reason,
    attempts: row.attempts,
    saved_bytes: row.saved_bytes,
  };
}

/** What should have expired has, whether it was looked at or not. */
export function statusOf(
  { status, expires_at }: Pick<TransferRow, 'status' | 'expires_at'>,
  now: Instant,
): TransferStatus {
  return status === 'pending' && expires_at !== null && expires_at <= now ? 'expired' : status;
}

export function metadataOf({ metadata }: Pick<TransferRow, 'metadata'>): Record<string, unknown> {
  const parsed: unknown = JSON.parse(metadata);
  // Only checked objects are ever written there.
  return parsed as Record<string, unknown>;
}

// Tells the owner of what is unusual (kernel/transfer/transfer.ts), of each kind once a day and sender.

type UnusualDeps = Pick<TransferDeps, 'ledger' | 'clock'>;

const dayMs = 86_400_000;

/** `rows` are those of one sending, and are in the ledger. */
async function watchForUnusual(
  { ledger, clock }: UnusualDeps,
  rows: readonly TransferRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { sender, batch, created_at } = first;
  const within = { sender, after: created_at - lookBackMs, until: created_at, but: batch };
  const past = await sentWithin(ledger.committed, within);
  const now = rows.map(({ created_at: at, recipient, file_size_bytes: bytes }) => {
    return { at, recipient, bytes };
  });
  const kinds = unusual(past, now);
  if (kinds.length === 0) return;
  await ledger.transact(async (tx) => {
    for (const kind of kinds) await tellOnce({ clock }, tx, { kind, first });
  });
}

interface Found {
  readonly kind: UnusualKind;
  readonly first: TransferRow;
}

async function tellOnce(
  { clock }: Pick<UnusualDeps, 'clock'>,
  tx: Transaction,
  { kind, first: { sender, recipient, batch, id } }: Found,
): Promise<void> {
  const key = `transfer.unusual.${kind}.${sender}`;
  const now = clock.now();
  const told = Number((await readState(tx, key)) ?? Number.NEGATIVE_INFINITY);
  if (Math.abs(now - told) < dayMs) return;
  await writeState(tx, key, String(now), now);
  const words = {
    burst: `${sender} sends much more than in any hour of the last thirty days.`,
    'new-recipient': `${sender} has sent something to somebody to whom it never sent before.`,
    'odd-hour': `${sender} sends at a time of the day at which it never sent before.`,
  }[kind];
  await alert({ clock }, tx, {
    alert: kind,
    sender,
    words,
    facts: { recipient, batch, transfer: id },
  });
}

// The small file beside the body of a transfer: who sent what to whom. It only informs, holds
// no key, and is there as long as the bytes can be fetched.

type ManifestDeps = Pick<TransferDeps, 'disk' | 'random' | 'home'>;

async function writeManifest(deps: ManifestDeps, row: TransferRow): Promise<void> {
  const [sender = '', recipient = '', moment = ''] = row.s3_key.split('/');
  let folder = join(deps.home, 'transfers');
  for (const name of [sender, recipient, moment]) {
    const parent = folder;
    folder = join(parent, name);
    await ensureFolder(deps.disk, folder);
    await deps.disk.syncFolder(parent);
  }
  const bytes = Buffer.from(`${JSON.stringify(manifestOf(row), null, 2)}\n`);
  await writeFileDurably(deps, join(deps.home, 'transfers', row.s3_key), bytes);
}

function manifestOf(row: TransferRow): object {
  return {
    id: row.id,
    sender: row.sender,
    recipient: row.recipient,
    filename: row.filename,
    file_size_bytes: row.file_size_bytes,
    stored_bytes: row.stored_bytes,
    sha256: row.sha256,
    hash: row.hash,
    sealed: row.recipient_key !== null,
    created_at: timeText(row.created_at),
    expires_at: row.expires_at === null ? null : timeText(row.expires_at),
  };
}

/** Also when there is none. The folders of sender and recipient stay. */
export async function removeManifest(
  { disk, home }: Pick<ManifestDeps, 'disk' | 'home'>,
  key: string,
): Promise<void> {
  const path = join(home, 'transfers', key);
  await disk.remove(path).catch(ignoreMissing);
  await disk.remove(join(path, '..')).catch(ignoreMissing);
}

/** Those that a crash has left of transfers that are over. */
export async function sweepManifests(
  deps: Pick<TransferDeps, 'disk' | 'home' | 'ledger'>,
): Promise<void> {
  const { disk, home, ledger } = deps;
  const root = join(home, 'transfers');
  for (const sender of await disk.list(root)) {
    for (const recipient of await namesIn(disk, join(root, sender))) {
      for (const moment of await namesIn(disk, join(root, sender, recipient))) {
        const key = `${sender}/${recipient}/${moment}`;
        const names = await namesIn(disk, join(root, key));
        if (await isKeyHeld(ledger.committed, key)) continue;
        for (const name of names) await removeManifest(deps, `${key}/${name}`).catch(ignoreFilled);
      }
    }
  }
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

/** Another program has put something there. */
function ignoreFilled(failure: unknown): void {
  if (!(failure instanceof AosError)) throw failure;
}
