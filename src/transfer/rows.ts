/** The rows of a sending, all in one transaction: a transfer a recipient, and what each needs. */
import { manifestKey } from '../blobs/blobs.ts';
import { wrapKey } from '../blobs/seal/keys.ts';
import { newId } from '../kernel/new-id.ts';
import { defaultBucket } from '../kernel/transfer/transfer.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import { addBlobReference, needBlob } from '../ledger/transfers/blobs.ts';
import { type BodyRow, holdBody } from '../ledger/transfers/bodies.ts';
import { insertTransfer, type NewTransfer } from '../ledger/transfers/transfers.ts';
import { principalOf } from '../relay/posting.ts';
import type { TransferDeps } from './deps.ts';
import { watchQuota } from './quota.ts';
import type { Wish } from './wish.ts';

export interface Sending {
  readonly body: BodyRow;
  /** Undefined where nothing is sealed. */
  readonly dek: Uint8Array | undefined;
  readonly wish: Wish;
  readonly savedBytes: number;
  /** Who has it in the events. */
  readonly kind?: 'transfer.sent' | 'transfer.shared' | undefined;
}

type RowDeps = Pick<TransferDeps, 'clock' | 'random' | 'limits'>;

/** The body is in the ledger, and its bytes are on the disk. The batch that they are. */
export async function writeTransfers(
  deps: RowDeps,
  tx: Transaction,
  { body, dek, wish, savedBytes, kind = 'transfer.sent' }: Sending,
): Promise<string> {
  const now = deps.clock.now();
  const batch = newId(now, deps.random);
  await needBlob(tx, { hash: body.hash, sizeBytes: body.stored_bytes, at: now });
  for (const recipient of wish.to) {
    const recipient_key =
      dek === undefined ? null : await wrapFor(deps, tx, { dek, body, recipient });
    const row = {
      ...newTransfer(deps, { sender: body.sender, recipient, wish, batch }),
      file_size_bytes: body.file_size_bytes,
      ...{ body: body.id, recipient_key, saved_bytes: savedBytes },
    };
    await insertTransfer(tx, row);
    const reference = { hash: body.hash, referrer: `transfer:${row.id}`, at: now };
    await addBlobReference(tx, { ...reference, expiresAt: row.expires_at });
    await holdBody(tx, body.id);
    await tx.record({
      ...{ actor: principalOf(body.sender), kind, subject: `transfer:${row.id}` },
      data: sentFacts(row, body),
    });
  }
  await watchQuota(deps, tx, body.sender);
  return batch;
}

function sentFacts(row: NewTransfer, { stored_bytes, sealed, hash }: BodyRow): object {
  const { sender, recipient, filename, file_size_bytes, saved_bytes } = row;
  return {
    ...{ sender, recipient, filename, file_size_bytes, stored_bytes, saved_bytes, hash },
    sealed: sealed === 1,
  };
}

interface Named {
  readonly sender: string;
  readonly recipient: string;
  readonly wish: Wish;
  readonly batch: string;
}

/** As one that is stored; what its body says is added by who knows it. */
export function newTransfer(
  { clock, random, limits }: RowDeps,
  { sender, recipient, wish, batch }: Named,
): NewTransfer {
  const now = clock.now();
  const id = newId(now, random);
  const { filename, kind, entries } = wish;
  return {
    ...{ id, sender, recipient, filename, kind, entries, batch },
    file_size_bytes: wish.sizeBytes ?? 0,
    mime_type: wish.mimeType,
    s3_key: manifestKey({ sender, recipient, createdAt: now, id, filename }),
    s3_bucket: defaultBucket,
    metadata: JSON.stringify(wish.metadata),
    status: 'pending',
    created_at: now,
    expires_at: now + (wish.expiresMs ?? limits.ttlMs),
    body: null,
    recipient_key: null,
    ack: 'stored',
    ack_at: now,
    reason: null,
    attempts: 0,
    saved_bytes: 0,
  };
}

export interface Wrapping {
  readonly dek: Uint8Array;
  /** The body that it opens. */
  readonly body: Pick<BodyRow, 'id'>;
  readonly recipient: string;
}

export async function wrapFor(
  { random }: Pick<TransferDeps, 'random'>,
  sql: Sql,
  { dek, body, recipient }: Wrapping,
): Promise<string> {
  const principal = await findPrincipal(sql, principalOf(recipient));
  if (principal === undefined) throw new Error('a recipient has no key');
  const { public_key: publicKey, address } = principal;
  return wrapKey(random, dek, { publicKey, address, object: body.id });
}
