/** Transfers: the states that one goes through, and the numbers that both ends agree on. */

export const transferStatuses = ['pending', 'downloaded', 'expired', 'failed'] as const;
export type TransferStatus = (typeof transferStatuses)[number];

/** How far a transfer has come; the last four are ends. */
export const transferAcks = [
  ...(['stored', 'announced', 'fetched', 'verified'] as const),
  ...(['accepted', 'rejected', 'revoked', 'failed'] as const),
] as const;
export type TransferAck = (typeof transferAcks)[number];

export type TransferKind = 'file' | 'folder' | 'stream';

const order: Readonly<Record<TransferAck, number>> = {
  ...{ failed: 9, stored: 0, announced: 1, fetched: 2, verified: 3 },
  ...{ accepted: 4, rejected: 4, revoked: 9 },
};

/** Whether one that is at `now` has come as far as `wanted`; undefined when it never will. */
export function hasReached(now: TransferAck, wanted: TransferAck): boolean | undefined {
  if (now === wanted) return true;
  if (order[now] >= order.accepted) {
    // What was accepted or rejected had been verified before.
    return order[now] === order.accepted && order[wanted] < order.accepted ? true : undefined;
  }
  return order[now] > order[wanted] && order[wanted] <= order.verified;
}

/** What is read, hashed and sealed at a time: 16 chunks. */
export const stretchBytes = 1024 * 1024;
/** What goes in one request, and what is done again at most after a crash. */
export const partBytes = 8 * stretchBytes;
/** Tries after the first one. */
export const transferRetries = 3;
export const defaultBucket = 'os1-agent-transfers';
