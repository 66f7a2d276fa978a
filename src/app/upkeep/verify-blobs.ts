/** `aos blobs verify`: all bytes that a home has stored, against what its ledger says. */
import type { Blobs } from '../../blobs/blobs.ts';
import { type DamagedBlob, type VerifiedStore, verifyBlobs } from '../../blobs/verify.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import type { Clock, EventLoop } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { blobRowsAfter, hashesInMessages, referrersOf } from '../../ledger/transfers/blobs.ts';
import { forgetContentOf } from '../../ledger/transfers/bodies.ts';

export interface VerifyBlobsDeps {
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
        after = rows.at(-1)?.hash ?? '';
        if (rows.length < pageRows) return;
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
        after = hashes.at(-1) ?? '';
        if (hashes.length < pageRows) return;
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
