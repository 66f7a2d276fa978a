/** Sending what is stored already to others: new rows and new wraps, the same body. */
import { unwrapKey } from '../blobs/seal/keys.ts';
import { AosError } from '../kernel/errors.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { blobRow } from '../ledger/transfers/blobs.ts';
import { type BodyRow, findBody } from '../ledger/transfers/bodies.ts';
import { findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';
import { principalOf } from '../relay/posting.ts';
import { announceBatch, type SentBatch } from './announce.ts';
import type { TransferDeps } from './deps.ts';
import { transferOf } from './find.ts';
import { bodyOf } from './open.ts';
import { refuseSending } from './permit.ts';
import { transferOver } from './refusals.ts';
import { writeTransfers } from './rows.ts';
import { metadataOf } from './told.ts';
import { checkRecipients, type Wish } from './wish.ts';

export interface Share {
  readonly id: string;
  readonly to: readonly string[];
  readonly expiresMs?: number | undefined;
}

export async function shareTransfer(
  deps: TransferDeps,
  party: string,
  share: Share,
): Promise<SentBatch> {
  const sql = deps.ledger.committed;
  const row = await transferOf(sql, party, { id: share.id, side: 'sender' });
  const { id } = bodyOf(row, deps.clock.now());
  const body = await findBody(sql, id);
  if (body === undefined) throw transferOver(row.id, 'is over');
  const dek = await senderDek(deps, body);
  const wish = wishOf(row, share);
  const written = await deps.ledger.transact((tx) => write(deps, tx, { body, dek, wish, row }));
  if (written instanceof AosError) throw written;
  return announceBatch(deps, written);
}

/** Undefined where nothing is sealed. */
export async function senderDek(
  { keys }: Pick<TransferDeps, 'keys'>,
  { sender, sender_key, id }: Pick<BodyRow, 'sender' | 'sender_key' | 'id'>,
): Promise<Uint8Array | undefined> {
  if (sender_key === null) return undefined;
  const { secretKey, address } = await keys.of(principalOf(sender));
  return unwrapKey(sender_key, { secretKey, address, object: id });
}

function wishOf(row: TransferRow, { to, expiresMs = undefined }: Share): Wish {
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
  readonly wish: Wish;
}

/** The batch, or what is against it. */
async function write(
  deps: TransferDeps,
  tx: Transaction,
  { row, body, dek, wish }: Sharing,
): Promise<string | AosError> {
  await checkRecipients(tx, wish.to);
  const { to, sizeBytes } = wish;
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
  return writeTransfers(deps, tx, { body, dek, wish, savedBytes, kind: 'transfer.shared' });
}
