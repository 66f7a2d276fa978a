/** The bytes of an upload, as they come over a connection. */

import type { Uploads } from '../blobs/blobs.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk, Instant } from '../kernel/ports.ts';
import type { Sql } from '../ledger/ledger.ts';
import {
  deleteUpload,
  findUpload,
  setReserved,
  touchUpload,
  type UploadRow,
  uploadsOf,
  uploadsPerhapsLeft,
} from '../ledger/transfers/bodies.ts';
import type { TransferDeps } from './deps.ts';
import { checkRoom, reserveStepBytes } from './quota.ts';
import { unknownUpload } from './refusals.ts';
import type { SendRequest } from './rows.ts';

/** Refused in the same words whether there is none or it is another principal's. */
export async function uploadOf(sql: Sql, principal: string, id: string): Promise<UploadRow> {
  const upload = await findUpload(sql, id);
  if (upload === undefined || upload.sender !== principal) throw unknownUpload();
  return upload;
}

export function requestIn({ wish }: Pick<UploadRow, 'wish'>): SendRequest {
  // Only beginUpload() writes it.
  return JSON.parse(wish) as SendRequest;
}

/** The process that writes the bytes itself. */
export interface UploadWriter {
  readonly pid: number;
  readonly started: string;
}

function writerIn(text: string): UploadWriter {
  // Only beginUpload() writes it.
  return JSON.parse(text) as UploadWriter;
}

export interface ComingBytes {
  readonly id: string;
  /** What of the stored bytes stays; the rest is dropped. */
  readonly from: number;
  readonly source: AsyncIterable<Uint8Array>;
}

/** How many bytes there are then. When the source breaks off, what came before stays. */
export async function addBytes(
  deps: ServingDeps,
  principal: string,
  { id, from, source }: ComingBytes,
): Promise<number> {
  const { uploads, ledger, clock, traffic } = deps;
  const upload = await uploadOf(ledger.committed, principal, id);
  return traffic.during(id, async () => {
    await uploads.open(id);
    try {
      return await uploads.append(id, from, withinRoom(deps, upload, { from, source }));
    } finally {
      await ledger.transact((tx) => touchUpload(tx, id, clock.now()));
    }
  });
}

/** No sender stores more than was reserved; where the size was not known, more is reserved. */
async function* withinRoom(
  deps: ServingDeps,
  upload: UploadRow,
  { from, source }: Pick<ComingBytes, 'from' | 'source'>,
): AsyncGenerator<Uint8Array, void, void> {
  const isOpenEnded = requestIn(upload).sizeBytes === null;
  let reserved = upload.reserved_bytes;
  let total = from;
  for await (const bytes of source) {
    total += bytes.length;
    if (total > reserved && !isOpenEnded) throw tooMany(reserved);
    while (total > reserved) reserved = await reserveMore(deps, upload, reserved);
    yield bytes;
  }
}

async function reserveMore(
  deps: ServingDeps,
  { id, sender }: UploadRow,
  reserved: number,
): Promise<number> {
  const next = reserved + reserveStepBytes;
  await deps.ledger.transact(async (tx) => {
    await checkRoom(deps, tx, { sender, neededBytes: reserveStepBytes });
    if (!(await setReserved(tx, id, next))) throw unknownUpload();
  });
  return next;
}

function tooMany(announcedBytes: number): AosError {
  return new AosError('transfer.wrong-state', {
    message: `More than the ${announcedBytes} bytes came that were announced`,
    fix: 'Begin it again with the right size',
  });
}

// Which uploads are worked on at this moment.

interface TrafficDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly disk: Pick<Disk, 'stat'>;
  readonly uploads: Pick<Uploads, 'open'>;
}

/** What the server of transfers works with. */
export interface ServingDeps extends TransferDeps {
  readonly traffic: UploadTraffic;
}

/** Who has not been heard of for so long has given up, or comes back and is told. */
const patienceMs = 5000;

export class UploadTraffic {
  readonly #deps: TrafficDeps;
  readonly #busy = new Set<string>();

  constructor(deps: TrafficDeps) {
    this.#deps = deps;
  }

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** Refused where another request works on it. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id)) throw busy();
    this.#busy.add(id);
    try {
      return await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  /** Neither its row nor its bytes were touched lately; a clock that went back proves nothing. */
  async isIdle({ id, touched_at }: Pick<UploadRow, 'id' | 'touched_at'>): Promise<boolean> {
    const { clock, disk, uploads } = this.#deps;
    const { path } = await uploads.open(id);
    const entry = path === undefined ? undefined : await disk.stat(path);
    const latest = Math.max(touched_at, entry?.modifiedAt ?? 0);
    return Math.abs(clock.now() - latest) >= patienceMs;
  }
}

function busy(): AosError {
  return new AosError('transfer.busy', {
    message: 'Somebody is sending the same just now',
    fix: 'Try again in a moment',
  });
}

// Uploads that no sender will go on with give back their room, and their bytes.

const batchRows = 200;
const uploadDays = 7;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Untouched for so long that no sender will go on; with a stream none can. */
export async function endLeftUploads(deps: ServingDeps): Promise<void> {
  const { ledger, clock } = deps;
  const now = clock.now();
  const before = now - uploadDays * dayMs;
  for (const upload of await uploadsPerhapsLeft(ledger.committed, before, batchRows)) {
    if (isOld(upload, now) || isBrokenStream(deps, upload, now)) await end(deps, upload);
  }
}

function isOld({ touched_at }: UploadRow, now: Instant): boolean {
  return touched_at < now - uploadDays * dayMs;
}

/** What was piped in and cut off cannot be gone on with. */
function isBrokenStream(deps: ServingDeps, upload: UploadRow, now: Instant): boolean {
  if (upload.content !== null) return false;
  const isAlive = isWriterAlive(deps, upload);
  return isAlive === undefined ? upload.touched_at < now - hourMs : !isAlive;
}

/** Undefined where that cannot be seen. */
export function isWriterAlive(
  { processes }: Pick<ServingDeps, 'processes'>,
  { writer, boot }: Pick<UploadRow, 'writer' | 'boot'>,
): boolean | undefined {
  if (writer === null) return undefined;
  // Whatever was alive has ended with the machine.
  if (boot === null || boot !== processes.bootId()) return false;
  const { pid, started } = writerIn(writer);
  return processes.startTimeOf(pid) === started;
}

interface Superseding {
  readonly sender: string;
  readonly filename: string;
  readonly content: string;
}

/** The same name with other bytes: what it was before, cut off, is not wanted any more. */
export async function endSuperseded(
  deps: ServingDeps,
  { sender, filename, content }: Superseding,
): Promise<void> {
  for (const upload of await uploadsOf(deps.ledger.committed, sender, batchRows)) {
    if (upload.content === null || upload.content === content) continue;
    if (requestIn(upload).filename !== filename || isWriterAlive(deps, upload) !== false) continue;
    await end(deps, upload);
  }
}

async function end(deps: ServingDeps, upload: UploadRow): Promise<void> {
  const { ledger, uploads, traffic } = deps;
  const { id, touched_at } = upload;
  if (traffic.isBusy(id)) return;
  // Who is dead writes no more, however lately it did.
  const isDead = isWriterAlive(deps, upload) === false;
  if (!isDead && !(await traffic.isIdle({ id, touched_at: 0 }))) return;
  const isEnded = await ledger.transact((tx) => deleteUpload(tx, id, touched_at));
  if (isEnded) await uploads.discard(id);
}
