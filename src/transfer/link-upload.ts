/**
 * A file from a human's browser, by an upload link.
 *
 * L1. The link is used up by the transaction that makes the transfer: what breaks off before
 *     leaves it good.
 * L2. One at a time through a link, and room for the largest is reserved of the sender before the
 *     first byte: strangers cannot fill the disk.
 */

import { headerBytes, openingOf, plainSize, sealedSize, unwrapKey } from '../blobs/seal/aosb1.ts';
import { AosError } from '../kernel/errors.ts';
import { checkFileName } from '../kernel/files/names.ts';
import { must } from '../kernel/must.ts';
import { newId } from '../kernel/new-id.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { needBlob } from '../ledger/transfers/blobs.ts';
import {
  type BodyRow,
  deleteUpload,
  insertBody,
  insertUpload,
} from '../ledger/transfers/bodies.ts';
import { type LinkRow, useLink } from '../ledger/transfers/links.ts';
import { transfersOfBatch } from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import { announceBatch } from './announce.ts';
import { goodLink } from './links.ts';
import { checkRoom } from './quota.ts';
import { unknownLink } from './refusals.ts';
import { checkRecipients, type SendRequest, wrapFor, writeTransfers } from './rows.ts';
import type { ServingDeps } from './upload.ts';

export interface LinkUpload {
  readonly token: string;
  readonly filename: string;
  /** Of the plain bytes, as the browser says. */
  readonly sha256: string;
  readonly source: AsyncIterable<Uint8Array>;
}

export interface CameByLink {
  readonly id: string;
  readonly recipient: string;
  readonly file_size_bytes: number;
}

export async function takeByLink(deps: ServingDeps, upload: LinkUpload): Promise<CameByLink> {
  const link = await goodLink(deps, upload.token);
  const { recipient, most_bytes: mostBytes } = link;
  if (link.kind !== 'upload' || recipient === null || mostBytes === null) throw unknownLink();
  checkFileName(upload.filename);
  // L2
  return deps.traffic.during(link.id, async () => {
    const dek = await dekOf(deps, link, recipient);
    const id = await reserve(deps, link, { mostBytes, upload, recipient });
    try {
      const stored = await deps.traffic.during(id, () =>
        store(deps, { id, dek, mostBytes, upload }),
      );
      const came = { ...stored, link, recipient, id, dek, upload };
      const batch = await deps.ledger.transact((tx) => write(deps, tx, came));
      const { transfers } = await announceBatch(deps, batch);
      const { id: made } = must(transfers[0], 'the transfer of what came by a link');
      return { id: made, recipient, file_size_bytes: stored.sizeBytes };
    } finally {
      // L1: whatever became of it, these bytes are not gone on with.
      await deps.ledger.transact((tx) => deleteUpload(tx, id));
      await deps.uploads.discard(id);
    }
  });
}

async function dekOf({ keys }: ServingDeps, link: LinkRow, recipient: string): Promise<Uint8Array> {
  const { secretKey, address } = await keys.of(principalIdOf(recipient));
  return unwrapKey(must(link.recipient_key, 'the key of a link for uploads'), {
    secretKey,
    address,
    object: link.id,
  });
}

interface Reserving {
  readonly mostBytes: number;
  readonly recipient: string;
  readonly upload: LinkUpload;
}

async function reserve(
  deps: ServingDeps,
  { created_by: sender }: LinkRow,
  { mostBytes, recipient, upload }: Reserving,
): Promise<string> {
  const now = deps.clock.now();
  const id = newId(now, deps.random);
  const reserved_bytes = sealedSize(mostBytes);
  await deps.ledger.transact(async (tx) => {
    await checkRecipients(tx, [recipient]);
    await checkRoom(deps, tx, { sender, neededBytes: reserved_bytes });
    await insertUpload(tx, {
      ...{ id, sender, content: null, sealed: 1, sender_key: null, reserved_bytes },
      wish: JSON.stringify(requestFor(upload, recipient)),
      ...{ writer: null, boot: null, created_at: now, touched_at: now },
    });
  });
  return id;
}

function requestFor({ filename, sha256 }: LinkUpload, recipient: string): SendRequest {
  return {
    ...{ filename, kind: 'file', to: [recipient], sizeBytes: null, sha256 },
    ...{ entries: null, mimeType: null, metadata: {}, expiresMs: null },
  };
}

interface Storing {
  readonly id: string;
  readonly dek: Uint8Array;
  readonly mostBytes: number;
  readonly upload: LinkUpload;
}

interface Stored {
  readonly hash: string;
  readonly storedBytes: number;
  readonly sizeBytes: number;
}

async function store(
  { uploads }: ServingDeps,
  { id, dek, mostBytes, upload }: Storing,
): Promise<Stored> {
  await uploads.open(id);
  const header: Uint8Array[] = [];
  const storedBytes = await uploads.append(id, 0, bounded(upload.source, mostBytes, header));
  // L2: before it is stored, where it would not be counted.
  const sizeBytes = plainSize(storedBytes);
  if (sizeBytes === undefined) throw notSealed();
  checkHeader(dek, Buffer.concat(header));
  const { hash } = await uploads.finish(id);
  return { hash, storedBytes, sizeBytes };
}

/** What was sealed with another key could not be opened. */
function checkHeader(dek: Uint8Array, header: Uint8Array): void {
  try {
    openingOf(dek, header);
  } catch (cause) {
    throw notSealed(cause);
  }
}

/** The first bytes are kept in `header`. */
async function* bounded(
  source: AsyncIterable<Uint8Array>,
  mostBytes: number,
  header: Uint8Array[],
): AsyncGenerator<Uint8Array, void, void> {
  const most = sealedSize(mostBytes);
  let total = 0;
  for await (const bytes of source) {
    if (total < headerBytes) header.push(bytes.slice(0, headerBytes - total));
    total += bytes.length;
    if (total > most) throw tooLarge(mostBytes);
    yield bytes;
  }
}

interface Came extends Stored {
  readonly link: LinkRow;
  readonly recipient: string;
  readonly dek: Uint8Array;
  readonly upload: LinkUpload;
}

async function write(
  deps: ServingDeps,
  tx: Transaction,
  { link, recipient, hash, storedBytes, sizeBytes, dek, upload }: Came,
): Promise<string> {
  const now = deps.clock.now();
  const { id, created_by: sender } = link;
  await checkRecipients(tx, [recipient]);
  await needBlob(tx, { hash, sizeBytes: storedBytes, at: now });
  const body: BodyRow = {
    ...{ id, sender, content: null, hash, stored_bytes: storedBytes, file_size_bytes: sizeBytes },
    ...{ sha256: upload.sha256, sealed: 1, created_at: now },
    sender_key: await wrapFor(deps, tx, { dek, body: { id }, recipient: sender }),
  };
  await insertBody(tx, body);
  const request = { ...requestFor(upload, recipient), sizeBytes };
  const batch = await writeTransfers(deps, tx, { body, dek, request, savedBytes: 0 });
  const [row] = await transfersOfBatch(tx, batch);
  // L1
  if (!(await useLink(tx, id, { now, transfer: row?.id }))) throw unknownLink();
  const data = { transfer: row?.id };
  await tx.record({ actor: 'system', kind: 'transfer.link-used', subject: `link:${id}`, data });
  return batch;
}

function notSealed(cause?: unknown): AosError {
  return new AosError('transfer.bad-source', {
    message: 'What came was not sealed with the key of this link, or was cut off',
    fix: 'Send it from the page of the link',
    cause,
  });
}

function tooLarge(mostBytes: number): AosError {
  return new AosError('gateway.too-large', {
    message: `The file is larger than the ${mostBytes} bytes that this link takes`,
    fix: 'Ask for a link that takes more',
  });
}
