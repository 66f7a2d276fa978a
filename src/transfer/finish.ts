/**
 * The end of sending.
 *
 * F1. Bytes first, rows second: the bytes have their name and are flushed before the transaction
 *     that says who needs them. A client that dies in between does the same again, with nothing to send.
 * F2. Body, transfers, references, event and the end of the upload are one transaction. Of two
 *     who stored the same, the second uses the body of the first.
 * F3. What comes after the transaction (manifest, announcement, the end of the upload's file) is
 *     done again by recover() where it was not done.
 */
import { sealedSize, unwrapKey } from '../blobs/seal/aosb1.ts';
import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import { oneLine } from '../kernel/text/quote.ts';
import { transferRetries } from '../kernel/transfer/transfer.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { blobRow, needBlob } from '../ledger/transfers/blobs.ts';
import {
  type BodyRow,
  deleteUpload,
  findBodyOfContent,
  findUpload,
  forgetContent,
  insertBody,
  setReserved,
  type UploadRow,
} from '../ledger/transfers/bodies.ts';
import { insertTransfer, transfersOfBatch } from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import { tellAll } from '../relay/tell.ts';
import { alert, announceBatch, transferView } from './announce.ts';
import type { SentAnswer } from './calls.ts';
import { type TransferActor, transferNotes } from './deps.ts';
import { checkRoom } from './quota.ts';
import { refuseSending, unknownUpload } from './refusals.ts';
import { checkRecipients, newTransfer, type SendRequest, wrapFor, writeTransfers } from './rows.ts';
import { requestIn, type ServingDeps, uploadOf } from './upload.ts';

export interface UploadFinish {
  readonly id: string;
  readonly storedBytes: number;
  readonly sizeBytes: number;
  /** Of the plain bytes. */
  readonly sha256: string;
  /** Of the stored bytes, from an owner who has written them. */
  readonly hash?: string | undefined;
}

export async function finishUpload(
  deps: ServingDeps,
  { principal, isLocal, isPermitted }: TransferActor,
  finish: UploadFinish,
): Promise<SentAnswer> {
  const { ledger, uploads, traffic } = deps;
  const upload = await uploadOf(ledger.committed, principal, finish.id);
  return traffic.during(finish.id, async () => {
    const { sizeBytes } = await uploads.open(finish.id);
    checkFinish(upload, finish, sizeBytes);
    await reserveRest(deps, upload, sizeBytes);
    const dek = await dekOf(deps, upload);
    // F1
    const { hash } = await uploads.finish(finish.id, { hash: isLocal ? finish.hash : undefined });
    const done = { upload, finish, hash, dek, isPermitted };
    const written = await ledger.transact((tx) => writeSent(deps, tx, done));
    // F3
    await uploads.discard(finish.id).catch((failure: unknown) => {
      deps.log.warn({ err: failure, upload: finish.id }, 'an upload that is over is left');
    });
    if (written instanceof AosError) throw written;
    return announceBatch(deps, written);
  });
}

function checkFinish(upload: UploadRow, finish: UploadFinish, foundBytes: number): void {
  const { storedBytes, sizeBytes, sha256 } = finish;
  const request = requestIn(upload);
  const isChanged =
    (request.sizeBytes !== null && request.sizeBytes !== sizeBytes) ||
    (request.sha256 !== null && request.sha256 !== sha256);
  if (isChanged) {
    throw new AosError('transfer.changed', {
      message: 'What was sent is not what was announced: the source was changed meanwhile',
      fix: 'Send it again when nobody writes to it',
    });
  }
  const expected = upload.sealed === 1 ? sealedSize(sizeBytes) : sizeBytes;
  if (storedBytes === foundBytes && foundBytes === expected) return;
  throw new AosError('transfer.wrong-state', {
    message: `The upload has ${foundBytes} bytes, and ${expected} make a whole`,
    fix: 'Send what is missing, or begin again',
    details: { stored_bytes: foundBytes },
  });
}

/** Of one whose size was not known before, and that its sender has written itself. */
async function reserveRest(
  deps: ServingDeps,
  upload: UploadRow,
  foundBytes: number,
): Promise<void> {
  const missing = foundBytes - upload.reserved_bytes;
  if (missing <= 0) return;
  await deps.ledger.transact(async (tx) => {
    await checkRoom(deps, tx, { sender: upload.sender, neededBytes: missing });
    await setReserved(tx, upload.id, foundBytes);
  });
}

async function dekOf({ keys }: ServingDeps, upload: UploadRow): Promise<Uint8Array | undefined> {
  if (upload.sender_key === null) return undefined;
  const { secretKey, address } = await keys.of(principalIdOf(upload.sender));
  return unwrapKey(upload.sender_key, { secretKey, address, object: upload.id });
}

interface Done {
  readonly upload: UploadRow;
  readonly finish: UploadFinish;
  readonly hash: string;
  readonly dek: Uint8Array | undefined;
  readonly isPermitted: boolean | undefined;
}

/** The batch, or what is against it. F2. */
async function writeSent(
  deps: ServingDeps,
  tx: Transaction,
  done: Done,
): Promise<string | AosError> {
  // Another request may have gone on with it, or ended it, meanwhile.
  const upload = await findUpload(tx, done.upload.id);
  if (upload === undefined) throw unknownUpload();
  const request: SendRequest = { ...requestIn(upload), sizeBytes: done.finish.sizeBytes };
  await checkRecipients(tx, request.to);
  const { sender } = upload;
  const sizeBytes = request.sizeBytes;
  const { isPermitted } = done;
  const sending = { sender, to: request.to, sizeBytes, counts: true, isPermitted };
  await deleteUpload(tx, upload.id);
  const refused = await refuseSending(deps, tx, sending);
  if (refused !== undefined) return refused;
  const { body, isNew } = await bodyFor(deps, tx, { ...done, upload });
  const savedBytes = isNew ? 0 : body.stored_bytes;
  return writeTransfers(deps, tx, { body, dek: done.dek, request, savedBytes });
}

async function bodyFor(
  deps: ServingDeps,
  tx: Transaction,
  { upload, finish, hash, dek }: Done,
): Promise<{ readonly body: BodyRow; readonly isNew: boolean }> {
  const { id, sender, content, sealed } = upload;
  const known =
    content === null ? undefined : await findBodyOfContent(tx, { sender, content, sealed });
  // The same content of the same sender is the same bytes, unless the sender has lied.
  if (known?.hash === hash) {
    const isNew = (await blobRow(tx, hash)) === undefined;
    return { body: known, isNew };
  }
  if (known !== undefined) await forgetContent(tx, known.id);
  const body: BodyRow = {
    ...{ id, sender, content, hash, sealed },
    stored_bytes: finish.storedBytes,
    file_size_bytes: finish.sizeBytes,
    sha256: finish.sha256,
    sender_key:
      dek === undefined ? null : await wrapFor(deps, tx, { dek, body: { id }, recipient: sender }),
    created_at: deps.clock.now(),
  };
  await needBlob(tx, { hash, sizeBytes: finish.storedBytes, at: deps.clock.now() });
  await insertBody(tx, body);
  return { body, isNew: true };
}

// Giving up to send: it is written down as failed, and the room is free again.

export async function failUpload(
  deps: ServingDeps,
  principal: string,
  { id, reason, attempts = 1 }: GivenUp,
): Promise<SentAnswer> {
  const { ledger, uploads, clock, log } = deps;
  await uploadOf(ledger.committed, principal, id);
  const batch = await ledger.transact((tx) => writeFailed(deps, tx, { id, reason, attempts }));
  deps.counts.ended('failed');
  // A file without a row is swept with the rest.
  await uploads.discard(id).catch((failure: unknown) => {
    log.warn({ err: failure, upload: id }, 'an upload that is over is left');
  });
  await tellAll(deps, transferNotes).catch((failure: unknown) => {
    log.error({ err: failure }, 'somebody is told later');
  });
  const rows = await transfersOfBatch(ledger.committed, batch);
  return { transfers: rows.map((row) => transferView(row, clock.now())), saved_bytes: 0 };
}

export interface GivenUp {
  readonly id: string;
  readonly reason: string;
  /** How often it was tried; once where nothing is said. */
  readonly attempts?: number | undefined;
}

async function writeFailed(
  deps: ServingDeps,
  tx: Transaction,
  { id, reason, attempts = 1 }: GivenUp,
): Promise<string> {
  const upload: UploadRow | undefined = await findUpload(tx, id);
  if (upload === undefined) throw unknownUpload();
  await deleteUpload(tx, id);
  const { sender } = upload;
  const request = requestIn(upload);
  const batch = newId(deps.clock.now(), deps.random);
  for (const recipient of request.to) {
    const row = newTransfer(deps, { sender, recipient, request, batch });
    await insertTransfer(tx, { ...row, status: 'failed', ack: 'failed', reason, attempts });
    const subject = `transfer:${row.id}`;
    const data = { sender, recipient, filename: request.filename, reason };
    await tx.record({ actor: principalIdOf(sender), kind: 'transfer.failed', subject, data });
  }
  // A sender that may try again has its answer; the owner is told when it has given up.
  if (attempts <= transferRetries) return batch;
  const words = `${sender} could not send ${oneLine(request.filename)} to ${request.to.join(', ')}: ${oneLine(reason)}`;
  const facts = { to: request.to, reason, batch };
  await alert(deps, tx, { alert: 'failed-after-retries', sender, words, facts });
  return batch;
}
