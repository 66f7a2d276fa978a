/**
 * What is not needed any more goes from the byte store (ledger/transfers/blobs.ts has the rules of rows).
 *
 * K1. Bytes are stored before the row that refers to them. So nothing goes that was stored or
 *     condemned within the last hour, which is longer than any sender takes from one to the other.
 * K2. A crash between a row and its file leaves a file without a row. Such a file goes when it
 *     is old enough; so does an upload without a row.
 * K3. A step that fails is told, and keeps no other from running.
 */

import { join } from 'node:path';
import type { Blobs, Uploads } from '../../blobs/blobs.ts';
import { FileUploads } from '../../blobs/file-uploads.ts';
import { FileBlobs, type FileBlobsDeps } from '../../blobs/fs.ts';
import { type DamagedBlob, type VerifiedStore, verifyBlobs } from '../../blobs/verify.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { toReport } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, EventLoop } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  blobRow,
  blobRowsAfter,
  condemnBlobs,
  condemnedBlobs,
  deleteCondemnedBlob,
  hashesInMessages,
  hasUploadRow,
  pardonBlobs,
  referrersOf,
} from '../../ledger/transfers/blobs.ts';
import { forgetContentOf } from '../../ledger/transfers/bodies.ts';

export interface HomeBlobs {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
}

/** The byte store of a home; one for all who use it (blobs/fs.ts, R4). */
export function homeBlobs(
  deps: FileBlobsDeps & { readonly eventLoop: EventLoop },
  home: string,
): HomeBlobs {
  const root = join(home, 'blobs');
  const blobs = new FileBlobs(deps, { root, temporary: join(home, 'tmp') });
  return { blobs, uploads: new FileUploads({ ...deps, blobs }, root) };
}

export interface BlobUpkeepDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: {
    info(facts: object, words: string): void;
    error(facts: object, words: string): void;
  };
  readonly blobs: Pick<Blobs, 'list' | 'delete'>;
  readonly uploads: Pick<Uploads, 'list' | 'discard'>;
}

/** How long nothing goes that may be about to be needed (K1). */
export const blobGraceMs = 3_600_000;
// One transaction must not hold up those who send.
const batchRows = 200;

/** Repeated or interrupted, it does no harm. */
export async function keepBlobs(deps: BlobUpkeepDeps): Promise<void> {
  const { log } = deps;
  await step(log, 'what is stored and needed again', () => pardon(deps));
  await step(log, 'what is stored and not needed', () => condemn(deps));
  const deleted = await step(log, 'what was not needed', () => deleteCondemned(deps));
  const orphans = await step(log, 'stored files without a row', () => sweepFiles(deps));
  const uploads = await step(log, 'uploads without a row', () => sweepUploads(deps));
  if ((deleted ?? 0) + (orphans ?? 0) + (uploads ?? 0) > 0) {
    log.info({ deleted, orphans, uploads }, 'removed stored bytes that nobody needs');
  }
}

// K3
async function step<T>(
  log: BlobUpkeepDeps['log'],
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (failure) {
    log.error({ error: toReport(failure) }, `cannot look after ${what}`);
    return undefined;
  }
}

async function pardon({ ledger, clock }: BlobUpkeepDeps): Promise<void> {
  await ledger.transact((tx) => pardonBlobs(tx, clock.now()));
}

async function condemn({ ledger, clock }: BlobUpkeepDeps): Promise<void> {
  for (;;) {
    const some = await ledger.transact((tx) => condemnBlobs(tx, clock.now(), batchRows));
    if (some < batchRows) return;
  }
}

async function deleteCondemned({ ledger, clock, blobs }: BlobUpkeepDeps): Promise<number> {
  const before = clock.now() - blobGraceMs;
  let deleted = 0;
  for (let after = ''; ; ) {
    const hashes = await condemnedBlobs(ledger.committed, { before, after, limit: batchRows });
    for (const hash of hashes) {
      const moments = { now: clock.now(), before };
      if (!(await ledger.transact((tx) => deleteCondemnedBlob(tx, hash, moments)))) continue;
      // K1: the same bytes may be stored again since then, and be about to get a row.
      await blobs.delete(hash, { putBefore: before });
      deleted++;
    }
    const last = hashes.at(-1);
    if (last === undefined || hashes.length < batchRows) return deleted;
    after = last;
  }
}

// K2
async function sweepFiles({ ledger, clock, blobs }: BlobUpkeepDeps): Promise<number> {
  let swept = 0;
  for await (const { hash, putAt } of blobs.list()) {
    const putBefore = clock.now() - blobGraceMs;
    if (putAt >= putBefore || (await blobRow(ledger.committed, hash)) !== undefined) continue;
    if (await blobs.delete(hash, { putBefore })) swept++;
  }
  return swept;
}

// K2
async function sweepUploads({ ledger, clock, uploads }: BlobUpkeepDeps): Promise<number> {
  let swept = 0;
  for await (const { id, touchedAt } of uploads.list()) {
    if (touchedAt >= clock.now() - blobGraceMs) continue;
    if (await hasUploadRow(ledger.committed, id)) continue;
    await uploads.discard(id);
    swept++;
  }
  return swept;
}

// `aos blobs verify`: all bytes that a home has stored, against what its ledger says.

interface VerifyBlobsDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly eventLoop: EventLoop;
  readonly blobs: Blobs;
  readonly attachments: Blobs;
}

const pageRows = 500;
// Enough to know where to begin.
const referrersTold = 20;

export async function verifyHomeBlobs(
  deps: VerifyBlobsDeps,
  signal?: AbortSignal,
): Promise<Answer<'verifyBlobs'>> {
  const { eventLoop } = deps;
  const stores = [storedBlobs(deps), storedAttachments(deps)];
  const found = await verifyBlobs({ eventLoop, stores }, { signal });
  const damaged = [...found.corrupt, ...found.missing].map(({ hash }) => hash);
  // Who sends the same again stores it again, which mends it.
  if (damaged.length > 0) {
    await deps.ledger.transact(async (tx) => {
      for (const hash of damaged) await forgetContentOf(tx, hash);
    });
  }
  return {
    ...found,
    corrupt: found.corrupt.map(wireDamage),
    missing: found.missing.map(wireDamage),
  };
}

function storedBlobs({ ledger, clock, blobs }: VerifyBlobsDeps): VerifiedStore {
  return {
    ...{ store: 'blobs', blobs },
    async *expected() {
      for (let after = ''; ; ) {
        const rows = await blobRowsAfter(ledger.committed, after, pageRows);
        for (const { hash, size_bytes } of rows) yield { hash, sizeBytes: size_bytes };
        if (rows.length < pageRows) return;
        after = must(rows.at(-1), 'the last row of a full page').hash;
      }
    },
    neededBy: (hash) => referrers(ledger, clock, hash),
  };
}

function storedAttachments({ ledger, clock, attachments }: VerifyBlobsDeps): VerifiedStore {
  return {
    ...{ store: 'attachments', blobs: attachments },
    async *expected() {
      for (let after = ''; ; ) {
        const hashes = await hashesInMessages(ledger.committed, after, pageRows);
        for (const hash of hashes) yield { hash };
        if (hashes.length < pageRows) return;
        after = must(hashes.at(-1), 'the last hash of a full page');
      }
    },
    neededBy: (hash) => referrers(ledger, clock, hash),
  };
}

function referrers(ledger: Ledger, clock: Pick<Clock, 'now'>, hash: string): Promise<string[]> {
  return referrersOf(ledger.committed, hash, { now: clock.now(), limit: referrersTold });
}

function wireDamage({ neededBy, ...damage }: DamagedBlob) {
  return { ...damage, needed_by: [...neededBy] };
}
