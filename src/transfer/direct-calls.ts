/** The calls of the ends, where ends and home are in one process: for tools. */
import type { UploadRequest } from './begin.ts';
import type { Actor } from './deps.ts';
import type { ReceiveCalls, SendCalls, UploadWish } from './ends/calls.ts';
import type { Transfers } from './transfers.ts';

export function directCalls(transfers: Transfers, actor: Actor): SendCalls & ReceiveCalls {
  const { party } = actor;
  return {
    beginUpload: (wish) => transfers.begin(actor, requestOf(wish)),
    uploadBytes: async (id, source, { from }) => ({
      stored_bytes: await transfers.addBytes(party, { id, from, source }),
    }),
    finishUpload: (id, { stored_bytes, size_bytes, sha256, hash }) =>
      transfers.finish(actor, {
        ...{ id, storedBytes: stored_bytes, sizeBytes: size_bytes, sha256, hash },
      }),
    failUpload: (id, { reason, attempts }) => transfers.giveUp(party, { id, reason, attempts }),
    openTransfer: (id) => transfers.open(actor, id),
    transferBytes: (id, range) => transfers.bytes(party, { id, range }),
    verifyTransfer: (id) => transfers.settle(party, { id, step: 'verified' }),
    failTransfer: (id, { reason }) => transfers.settle(party, { id, step: 'failed', reason }),
  };
}

/** The wire's form of what somebody wants to send. */
export function requestOf(wish: UploadWish): UploadRequest {
  const { as: _, size_bytes, mime_type, expires_ms, entries, metadata, ...rest } = wish;
  return {
    ...rest,
    sizeBytes: size_bytes,
    entries: entries ?? null,
    mimeType: mime_type ?? null,
    metadata: metadata ?? {},
    expiresMs: expires_ms ?? null,
  };
}
