/** The rows of a sending, all in one transaction: a transfer a recipient, and what each needs. */
import { manifestKey } from '../blobs/blobs.ts';
import { type Content, sealedSize, wrapKey } from '../blobs/seal/aosb1.ts';
import { AosError } from '../kernel/errors.ts';
import { checkFileName } from '../kernel/files/names.ts';
import { newId } from '../kernel/new-id.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import {
  defaultBucket,
  depthOf,
  type Metadata,
  type TransferKind,
} from '../kernel/transfer/transfer.ts';
import { everyAgent, presenceOf } from '../ledger/agents.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import { addBlobReference, needBlob } from '../ledger/transfers/blobs.ts';
import { type BodyRow, holdBody } from '../ledger/transfers/bodies.ts';
import { insertTransfer, type NewTransfer } from '../ledger/transfers/transfers.ts';
import { ownerName } from '../relay/envelope.ts';
import { principalIdOf } from '../relay/posting.ts';
import type { TransferDeps } from './deps.ts';
import { watchQuota } from './quota.ts';

export interface NewSending {
  readonly body: BodyRow;
  /** Undefined where nothing is sealed. */
  readonly dek: Uint8Array | undefined;
  readonly request: SendRequest;
  readonly savedBytes: number;
  /** Who has it in the events. */
  readonly kind?: 'transfer.sent' | 'transfer.shared' | undefined;
}

type RowDeps = Pick<TransferDeps, 'clock' | 'random' | 'limits'>;

/** The body is in the ledger, and its bytes are on the disk. The batch that they are. */
export async function writeTransfers(
  deps: RowDeps,
  tx: Transaction,
  { body, dek, request, savedBytes, kind = 'transfer.sent' }: NewSending,
): Promise<string> {
  const now = deps.clock.now();
  const batch = newId(now, deps.random);
  await needBlob(tx, { hash: body.hash, sizeBytes: body.stored_bytes, at: now });
  for (const recipient of request.to) {
    const recipient_key =
      dek === undefined ? null : await wrapFor(deps, tx, { dek, body, recipient });
    const row = {
      ...newTransfer(deps, { sender: body.sender, recipient, request, batch }),
      file_size_bytes: body.file_size_bytes,
      ...{ body: body.id, recipient_key, saved_bytes: savedBytes },
    };
    await insertTransfer(tx, row);
    const reference = { hash: body.hash, referrer: `transfer:${row.id}`, at: now };
    await addBlobReference(tx, { ...reference, expiresAt: row.expires_at });
    await holdBody(tx, body.id);
    await tx.record({
      ...{ actor: principalIdOf(body.sender), kind, subject: `transfer:${row.id}` },
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
  readonly request: SendRequest;
  readonly batch: string;
}

/** As one that is stored; what its body says is added by who knows it. */
export function newTransfer(
  { clock, random, limits }: RowDeps,
  { sender, recipient, request, batch }: Named,
): NewTransfer {
  const now = clock.now();
  const id = newId(now, random);
  const { filename, kind, entries } = request;
  return {
    ...{ id, sender, recipient, filename, kind, entries, batch },
    file_size_bytes: request.sizeBytes ?? 0,
    mime_type: request.mimeType,
    s3_key: manifestKey({ sender, recipient, createdAt: now, id, filename }),
    s3_bucket: defaultBucket,
    metadata: JSON.stringify(request.metadata),
    status: 'pending',
    created_at: now,
    expires_at: now + (request.expiresMs ?? limits.ttlMs),
    body: null,
    recipient_key: null,
    ack: 'stored',
    ack_at: now,
    reason: null,
    attempts: 0,
    saved_bytes: 0,
  };
}

export interface KeyWrapping {
  readonly dek: Uint8Array;
  /** The body that it opens. */
  readonly body: Pick<BodyRow, 'id'>;
  readonly recipient: string;
}

export async function wrapFor(
  { random }: Pick<TransferDeps, 'random'>,
  sql: Sql,
  { dek, body, recipient }: KeyWrapping,
): Promise<string> {
  const principal = await findPrincipal(sql, principalIdOf(recipient));
  if (principal === undefined) throw new Error('a recipient has no key');
  const { public_key: publicKey, address } = principal;
  return wrapKey(random, dek, { publicKey, address, object: body.id });
}

// What a sender wants to send, checked once when it comes in.

/** As it stands in the row of an upload. */
export interface SendRequest {
  readonly filename: string;
  readonly kind: TransferKind;
  readonly to: readonly string[];
  /** Null where it is not known before the end. */
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly entries: number | null;
  readonly mimeType: string | null;
  readonly metadata: Metadata;
  /** As usual where it is null. */
  readonly expiresMs: number | null;
}

const mostMetadataBytes = 16 * 1024;
const mostMetadataDepth = 8;

export function checkSendRequest(request: SendRequest): SendRequest {
  checkFileName(request.filename);
  checkMetadata(request.metadata);
  return { ...request, to: [...new Set(request.to)] };
}

function checkMetadata(metadata: Metadata): void {
  const isDeep = depthOf(metadata, mostMetadataDepth) > mostMetadataDepth;
  const sizeBytes = isDeep ? 0 : Buffer.byteLength(JSON.stringify(metadata));
  if (!isDeep && sizeBytes <= mostMetadataBytes) return;
  throw new AosError('usage.bad-value', {
    message: isDeep
      ? `The metadata lies in itself more than ${mostMetadataDepth} times`
      : `The metadata has ${sizeBytes} bytes as JSON, and may have ${mostMetadataBytes}`,
    fix: 'Send a file with it instead',
  });
}

/** What its bytes are when they are stored; undefined where that is not known yet. */
export function storedSizeOf(sizeBytes: number | null, sealed: boolean): number | undefined {
  if (sizeBytes === null) return undefined;
  return sealed ? sealedSize(sizeBytes) : sizeBytes;
}

/** By which the same is found again. */
export function contentText({ sha256 }: Content): string {
  return sha256;
}

/** Throws unless each of them is here to receive something. */
export async function checkRecipients(sql: Sql, to: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const name of to) {
    const status = name === ownerName ? 'active' : await presenceOf(sql, name);
    if (status === undefined || status === 'terminated') missing.push(name);
  }
  if (missing.length === 0) return;
  const names: string[] = [ownerName];
  for await (const agent of everyAgent(sql)) {
    if (agent.status !== 'terminated') names.push(agent.name);
  }
  const guess = missing.map((name) => didYouMean(name, names)).find((text) => text !== '') ?? '';
  throw new AosError('transfer.no-recipient', {
    message: `Nobody is registered as ${missing.map((name) => quote(name.slice(0, 100))).join(', ')}.${guess}`,
    fix: 'aos ps lists who is',
    details: { missing },
  });
}
