/** The attachments of a home: where they lie, and who may have them. */
import { join } from 'node:path';
import type { Blobs } from '../../blobs/blobs.ts';
import { FileBlobs, type FileBlobsDeps } from '../../blobs/fs.ts';
import type { Attachments } from '../../gateway/server/deps.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { addBlobReference, partyRefersTo, refersTo } from '../../ledger/transfers/blobs.ts';

export function attachmentsOf(deps: FileBlobsDeps, home: string): Blobs {
  return new FileBlobs(deps, { root: join(home, 'attachments'), temporary: join(home, 'tmp') });
}

export function attachmentDoor(
  { clock, ledger }: { readonly clock: Pick<Clock, 'now'>; readonly ledger: Ledger },
  blobs: Pick<Blobs, 'put' | 'get'>,
): Attachments {
  return {
    put: async (principal, source) => {
      const stored = await blobs.put(source);
      // Whoever has put bytes may send them; to know their hash is not enough.
      const reference = { hash: stored.hash, referrer: principal, at: clock.now() };
      await ledger.transact((tx) => addBlobReference(tx, reference));
      return stored;
    },
    open: (hash, part) => blobs.get(hash, part),
    mayRead: async (principal, hash) =>
      (await refersTo(ledger.committed, principal, hash)) ||
      (await partyRefersTo(ledger.committed, principal.replace(/^agent:/, ''), hash)),
  };
}
