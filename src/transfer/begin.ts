/**
 * Beginning to send.
 *
 * B1. One upload at a time for the same content of the same sender: who comes second waits, and
 *     then finds it stored. Who is alive is told by its process, or by how lately bytes came.
 * B2. Bytes that were not flushed are trusted only within one start of the machine.
 * B3. Room is reserved in the transaction that makes the upload.
 * B4. Whether bytes are stored already is asked of the disk before the transaction, and of the
 *     rows in it: what is swept in between is not taken for stored.
 * B5. An upload of which all bytes have come is finished here: its sender was cut off just before.
 * B6. A process that goes on with an upload gives it another id. The one that had it before, and
 *     was only slow, is told that it is over, and neither adds to it nor finishes it.
 */

import { contentKey, dekBytes, sealingSecretOf } from '../blobs/seal/aosb1.ts';
import type { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { blobRow } from '../ledger/transfers/blobs.ts';
import {
  type BodyRow,
  type ContentOf,
  findBodyOfContent,
  findUploadOfContent,
  insertUpload,
  takeUpload,
  type UploadRow,
} from '../ledger/transfers/bodies.ts';
import { principalIdOf } from '../relay/posting.ts';
import { announceBatch } from './announce.ts';
import type { BegunUpload } from './calls.ts';
import type { TransferActor } from './deps.ts';
import { finishUpload } from './finish.ts';
import { checkRoom, reserveStepBytes } from './quota.ts';
import { refuseSending } from './refusals.ts';
import {
  checkRecipients,
  checkSendRequest,
  contentText,
  type SendRequest,
  storedSizeOf,
  wrapFor,
  writeTransfers,
} from './rows.ts';
import { endSuperseded, isWriterAlive, type ServingDeps, type UploadWriter } from './upload.ts';

export interface BeginRequest extends SendRequest {
  readonly sealed: boolean;
  /** The process that will write the bytes itself. */
  readonly writer?: UploadWriter | undefined;
}

export async function beginUpload(
  deps: ServingDeps,
  { principal, isLocal, isPermitted }: TransferActor,
  begin: BeginRequest,
): Promise<BegunUpload> {
  const plan = { ...(await planOf(deps, principal, begin)), isPermitted };
  const { content, request } = plan;
  if (content !== null) {
    await endSuperseded(deps, { sender: principal, filename: request.filename, content });
  }
  for (;;) {
    const seen = await lookAround(deps, plan);
    const decided = await deps.ledger.transact((tx) => decide(deps, tx, plan, seen));
    switch (decided.kind) {
      case 'again':
        continue;
      case 'refused':
        throw decided.error;
      case 'busy':
        return { state: 'busy' };
      case 'stored':
        return { state: 'stored', ...(await announceBatch(deps, decided.batch)) };
      case 'open':
        return openUpload(deps, plan, { ...decided, isLocal });
    }
  }
}

/** Everything that is known before the first look at what is there. */
interface Plan {
  readonly sender: string;
  readonly request: SendRequest;
  readonly sealed: 0 | 1;
  readonly content: string | null;
  readonly dek: Uint8Array | undefined;
  readonly reservedBytes: number;
  readonly writer: string | null;
  readonly boot: string | null;
  readonly isPermitted?: boolean | undefined;
}

async function planOf(deps: ServingDeps, sender: string, begin: BeginRequest): Promise<Plan> {
  const { sealed, writer, ...request } = begin;
  const { sizeBytes, sha256 } = request;
  const content = sizeBytes === null || sha256 === null ? undefined : { sizeBytes, sha256 };
  const secret = async () => sealingSecretOf((await deps.keys.of(principalIdOf(sender))).secretKey);
  const dekOf = async () =>
    content === undefined ? deps.random.bytes(dekBytes) : contentKey(await secret(), content);
  return {
    ...{ sender, request: checkSendRequest(request), sealed: sealed ? 1 : 0 },
    content: content === undefined ? null : contentText(content),
    dek: sealed ? await dekOf() : undefined,
    reservedBytes: storedSizeOf(sizeBytes, sealed) ?? reserveStepBytes,
    writer: writer === undefined ? null : JSON.stringify(writer),
    boot: deps.processes.bootId() ?? null,
  };
}

/** What the disk says of what the rows speak of. */
interface Seen {
  /** Of a body whose bytes are there. */
  readonly hash: string | undefined;
  /** An upload that no process works on, as it was then. */
  readonly idle: UploadRow | undefined;
}

async function lookAround(deps: ServingDeps, plan: Plan): Promise<Seen> {
  const of = contentOf(plan);
  if (of === undefined) return { hash: undefined, idle: undefined };
  const sql = deps.ledger.committed;
  const body = await findBodyOfContent(sql, of);
  const upload = await findUploadOfContent(sql, of);
  const stored = body && (await deps.blobs.stat(body.hash));
  const isStored = stored !== undefined && stored.sizeBytes === body?.stored_bytes;
  const isIdle = upload !== undefined && (await isLeft(deps, plan, upload));
  return { hash: isStored ? body?.hash : undefined, idle: isIdle ? upload : undefined };
}

// B1, B2
async function isLeft(deps: ServingDeps, plan: Plan, upload: UploadRow): Promise<boolean> {
  if (deps.traffic.isBusy(upload.id)) return false;
  // Whatever was alive has ended with the machine.
  if (plan.boot !== null && upload.boot !== plan.boot) return true;
  const isAlive = isWriterAlive(deps, upload);
  // A process sends the same once at a time (client/send.ts): it goes on with its own.
  if (isAlive === true) return upload.writer === plan.writer;
  return isAlive === false || deps.traffic.isIdle(upload);
}

function contentOf({ sender, content, sealed }: Plan): ContentOf | undefined {
  return content === null ? undefined : { sender, content, sealed };
}

type Decided =
  | { readonly kind: 'again' | 'busy' }
  | { readonly kind: 'refused'; readonly error: AosError }
  | { readonly kind: 'stored'; readonly batch: string }
  | { readonly kind: 'open'; readonly id: string; readonly taken: UploadRow | undefined };

async function decide(
  deps: ServingDeps,
  tx: Transaction,
  plan: Plan,
  { hash, idle }: Seen,
): Promise<Decided> {
  const { sender, request } = plan;
  await checkRecipients(tx, request.to);
  const of = contentOf(plan);
  const body = of && (await findBodyOfContent(tx, of));
  const isStored = body !== undefined && (await blobRow(tx, body.hash)) !== undefined;
  const { isPermitted } = plan;
  const facts = { sender, to: request.to, sizeBytes: request.sizeBytes, isPermitted };
  // B4
  if (isStored && body.hash === hash) {
    const error = await refuseSending(deps, tx, { ...facts, counts: true });
    if (error !== undefined) return { kind: 'refused', error };
    return { kind: 'stored', batch: await sendStored(deps, tx, plan, body) };
  }
  const error = await refuseSending(deps, tx, { ...facts, counts: false });
  if (error !== undefined) return { kind: 'refused', error };
  const upload = of && (await findUploadOfContent(tx, of));
  if (upload === undefined) {
    return { kind: 'open', id: await reserve(deps, tx, plan), taken: undefined };
  }
  if (upload.id !== idle?.id) return { kind: 'busy' };
  // B6
  const id = newId(deps.clock.now(), deps.random);
  const isTaken = await takeUpload(tx, idle, {
    ...{ ...takerOf(plan), id, sender_key: await ownKey(deps, tx, plan, id) },
    // Later than before, so that of two who have seen it idle one gets it.
    touched_at: Math.max(deps.clock.now(), idle.touched_at + 1),
  });
  return isTaken ? { kind: 'open', id, taken: idle } : { kind: 'again' };
}

async function sendStored(
  deps: ServingDeps,
  tx: Transaction,
  { dek, request }: Plan,
  body: BodyRow,
): Promise<string> {
  return writeTransfers(deps, tx, { body, dek, request, savedBytes: body.stored_bytes });
}

function takerOf({ request, writer, boot }: Plan) {
  return { wish: JSON.stringify(request), writer, boot };
}

// B3
async function reserve(deps: ServingDeps, tx: Transaction, plan: Plan): Promise<string> {
  const { sender, content, sealed, reservedBytes } = plan;
  const now = deps.clock.now();
  await checkRoom(deps, tx, { sender, neededBytes: reservedBytes });
  const id = newId(now, deps.random);
  const sender_key = await ownKey(deps, tx, plan, id);
  await insertUpload(tx, {
    ...takerOf(plan),
    ...{ id, sender, content, sealed, sender_key, reserved_bytes: reservedBytes },
    ...{ created_at: now, touched_at: now },
  });
  return id;
}

/** The key, for the sender alone; null where nothing is sealed. */
async function ownKey(
  deps: ServingDeps,
  tx: Transaction,
  { sender, dek }: Plan,
  id: string,
): Promise<string | null> {
  return dek === undefined ? null : wrapFor(deps, tx, { dek, body: { id }, recipient: sender });
}

interface Opening {
  readonly id: string;
  /** As it was when another process had it. */
  readonly taken: UploadRow | undefined;
  readonly isLocal: boolean;
}

async function openUpload(
  deps: ServingDeps,
  plan: Plan,
  { id, taken, isLocal }: Opening,
): Promise<BegunUpload> {
  const { sender, dek, reservedBytes, request } = plan;
  const { uploads } = deps;
  if (taken !== undefined) await takeBytes(deps, plan, { id, taken });
  const found = await uploads.open(id);
  const { sizeBytes: plainBytes, sha256 } = request;
  const isWhole = taken !== undefined && found.sizeBytes === reservedBytes;
  if (isWhole && plainBytes !== null && sha256 !== null) {
    // B5
    const whole = { id, storedBytes: reservedBytes, sizeBytes: plainBytes, sha256 };
    const sent = await finishUpload(deps, { principal: sender, isLocal: false }, whole);
    return { state: 'stored', ...sent };
  }
  // More than there can be: two have written at once, and nothing of it is worth anything.
  const isTooLong = plainBytes !== null && found.sizeBytes > reservedBytes;
  if (isTooLong) await uploads.discard(id);
  const { path, sizeBytes } = isTooLong ? await uploads.open(id) : found;
  return {
    state: 'open',
    upload: id,
    dek: dek === undefined ? null : Buffer.from(dek).toString('hex'),
    stored_bytes: sizeBytes,
    local: isLocal ? (path ?? null) : null,
  };
}

/** B2: they go on under the new id, or not at all. */
async function takeBytes(
  { uploads }: ServingDeps,
  { boot }: Plan,
  { id, taken }: { readonly id: string; readonly taken: UploadRow },
): Promise<void> {
  const isTrusted = boot !== null && taken.boot === boot;
  // Who took it over before may have died before its bytes were moved.
  for (const before of [taken.id, ...(taken.former === null ? [] : [taken.former])]) {
    if (isTrusted && (await uploads.move(before, id))) return;
    if (!isTrusted) await uploads.discard(before);
  }
}
