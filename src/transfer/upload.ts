/** The bytes of an upload, as they come over a connection. */
import { AosError } from '../kernel/errors.ts';
import type { Sql } from '../ledger/ledger.ts';
import {
  findUpload,
  setReserved,
  touchUpload,
  type UploadRow,
} from '../ledger/transfers/bodies.ts';
import { checkRoom, reserveStepBytes } from './quota.ts';
import { unknownUpload } from './refusals.ts';
import type { ServingDeps } from './upload-traffic.ts';
import type { Wish } from './wish.ts';

/** The same words whether there is none or it is somebody else's. */
export async function uploadOf(sql: Sql, party: string, id: string): Promise<UploadRow> {
  const upload = await findUpload(sql, id);
  if (upload === undefined || upload.sender !== party) throw unknownUpload();
  return upload;
}

export function wishIn({ wish }: Pick<UploadRow, 'wish'>): Wish {
  // Only beginUpload() writes it.
  return JSON.parse(wish) as Wish;
}

/** The process that writes the bytes itself. */
export interface UploadWriter {
  readonly pid: number;
  readonly started: string;
}

export function writerIn(text: string): UploadWriter {
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
  party: string,
  { id, from, source }: ComingBytes,
): Promise<number> {
  const { uploads, ledger, clock, traffic } = deps;
  const upload = await uploadOf(ledger.committed, party, id);
  return traffic.during(id, async () => {
    await uploads.open(id);
    try {
      return await uploads.append(id, from, withinRoom(deps, upload, { from, source }));
    } finally {
      await ledger.transact((tx) => touchUpload(tx, id, clock.now()));
    }
  });
}

/** Nobody stores more than was reserved; where nobody knew how much, more is reserved. */
async function* withinRoom(
  deps: ServingDeps,
  upload: UploadRow,
  { from, source }: Pick<ComingBytes, 'from' | 'source'>,
): AsyncGenerator<Uint8Array, void, void> {
  const isOpenEnded = wishIn(upload).sizeBytes === null;
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
