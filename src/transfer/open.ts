/** What its recipient needs to fetch a transfer, and the bytes. */
import type { ByteRange, OpenBlob } from '../blobs/blobs.ts';
import { unwrapKey } from '../blobs/seal/aosb1.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { blobRow } from '../ledger/transfers/blobs.ts';
import { type BodyRow, findBody } from '../ledger/transfers/bodies.ts';
import { advanceTransfer, findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import { announceBatch, metadataOf, statusOf, transferView } from './announce.ts';
import type { OpenedTransfer, SentAnswer } from './calls.ts';
import type { TransferActor, TransferDeps } from './deps.ts';
import { refuseSending, transferOf, transferOver } from './refusals.ts';
import { checkRecipients, type SendRequest, writeTransfers } from './rows.ts';

export async function openTransfer(
  deps: TransferDeps,
  { principal, isLocal }: TransferActor,
  id: string,
): Promise<OpenedTransfer> {
  const row = await transferOf(deps.ledger.committed, principal, { id, side: 'recipient' });
  const { hash, stored_bytes } = bodyOf(row, deps.clock.now());
  const dek = await recipientDek(deps, row);
  const place = isLocal ? await placeOf(deps, hash) : undefined;
  const fetched = await noteFetched(deps, row);
  return {
    transfer: transferView(fetched, deps.clock.now()),
    dek: dek === undefined ? null : Buffer.from(dek).toString('hex'),
    ...{ hash, stored_bytes },
    local: place?.kind === 'file' ? place.path : null,
  };
}

/** Where the bytes are gone, the local recipient hears of it as any other does. */
async function placeOf({ blobs }: Pick<TransferDeps, 'blobs'>, hash: string) {
  try {
    return await blobs.presign(hash);
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'blob.missing') return undefined;
    throw failure;
  }
}

export interface OpenBytes extends OpenBlob {
  readonly hash: string;
}

export async function transferBytes(
  { ledger, blobs, clock }: TransferDeps,
  principal: string,
  { id, range }: { readonly id: string; readonly range?: ByteRange | undefined },
): Promise<OpenBytes> {
  const row = await transferOf(ledger.committed, principal, { id, side: 'recipient' });
  const { hash } = bodyOf(row, clock.now());
  return { hash, ...(await blobs.get(hash, range)) };
}

export interface TransferBody {
  readonly id: string;
  readonly hash: string;
  readonly stored_bytes: number;
}

/** Throws where it is over. */
export function bodyOf(row: TransferRow, now: Instant): TransferBody {
  const { id, body, hash, stored_bytes, held, expires_at } = row;
  const status = statusOf(row, now);
  if (row.ack === 'revoked') throw transferOver(id, 'was revoked');
  if (status === 'failed')
    throw transferOver(id, row.ack === 'rejected' ? 'was rejected' : 'has failed');
  const isLate = expires_at !== null && expires_at <= now;
  if (status === 'expired' || isLate) throw transferOver(id, 'has expired');
  if (body === null || hash === null || stored_bytes === null || held === 0) {
    throw transferOver(id, 'is over');
  }
  return { id: body, hash, stored_bytes };
}

/** Undefined where nothing is sealed. */
export async function recipientDek(
  { keys }: Pick<TransferDeps, 'keys'>,
  { recipient, recipient_key, body }: TransferRow,
): Promise<Uint8Array | undefined> {
  if (recipient_key === null || body === null) return undefined;
  const { secretKey, address } = await keys.of(principalIdOf(recipient));
  return unwrapKey(recipient_key, { secretKey, address, object: body });
}

async function noteFetched(
  { ledger, clock }: TransferDeps,
  row: TransferRow,
): Promise<TransferRow> {
  const { id } = row;
  if (row.ack !== 'stored' && row.ack !== 'announced') return row;
  return ledger.transact(async (tx) => {
    const change = { from: ['stored', 'announced'], to: 'fetched', at: clock.now() } as const;
    if (await advanceTransfer(tx, id, change)) {
      const actor = principalIdOf(row.recipient);
      await tx.record({ actor, kind: 'transfer.fetched', subject: `transfer:${id}` });
    }
    return (await findTransfer(tx, id)) ?? row;
  });
}

// Sending what is stored already to others: new rows and new wraps, the same body.

export interface TransferShare {
  readonly id: string;
  readonly to: readonly string[];
  readonly expiresMs?: number | undefined;
}

export async function shareTransfer(
  deps: TransferDeps,
  principal: string,
  share: TransferShare,
): Promise<SentAnswer> {
  const sql = deps.ledger.committed;
  const row = await transferOf(sql, principal, { id: share.id, side: 'sender' });
  const { id } = bodyOf(row, deps.clock.now());
  const body = await findBody(sql, id);
  if (body === undefined) throw transferOver(row.id, 'is over');
  const dek = await senderDek(deps, body);
  const request = requestFor(row, share);
  const written = await deps.ledger.transact((tx) => write(deps, tx, { body, dek, request, row }));
  if (written instanceof AosError) throw written;
  return announceBatch(deps, written);
}

/** Undefined where nothing is sealed. */
export async function senderDek(
  { keys }: Pick<TransferDeps, 'keys'>,
  { sender, sender_key, id }: Pick<BodyRow, 'sender' | 'sender_key' | 'id'>,
): Promise<Uint8Array | undefined> {
  if (sender_key === null) return undefined;
  const { secretKey, address } = await keys.of(principalIdOf(sender));
  return unwrapKey(sender_key, { secretKey, address, object: id });
}

function requestFor(row: TransferRow, { to, expiresMs = undefined }: TransferShare): SendRequest {
  return {
    ...{ filename: row.filename, kind: row.kind, entries: row.entries, mimeType: row.mime_type },
    ...{ to: [...new Set(to)], sizeBytes: row.file_size_bytes, sha256: row.sha256 },
    metadata: metadataOf(row),
    expiresMs: expiresMs ?? null,
  };
}

interface Sharing {
  readonly row: TransferRow;
  readonly body: BodyRow;
  readonly dek: Uint8Array | undefined;
  readonly request: SendRequest;
}

/** The batch, or what is against it. */
async function write(
  deps: TransferDeps,
  tx: Transaction,
  { row, body, dek, request }: Sharing,
): Promise<string | AosError> {
  await checkRecipients(tx, request.to);
  const { to, sizeBytes } = request;
  const refused = await refuseSending(deps, tx, {
    sender: body.sender,
    to,
    sizeBytes,
    counts: true,
  });
  if (refused !== undefined) return refused;
  const now = await findTransfer(tx, row.id);
  const isHeld = now?.held === 1 && (await blobRow(tx, body.hash)) !== undefined;
  if (!isHeld) throw transferOver(row.id, 'is over');
  const savedBytes = body.stored_bytes;
  return writeTransfers(deps, tx, { body, dek, request, savedBytes, kind: 'transfer.shared' });
}
