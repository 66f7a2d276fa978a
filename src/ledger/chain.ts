/**
 * How events hang together. Each hash covers the hash before it and everything about
 * its own event but the data, of which it covers the digest: data can be erased and
 * the chain still holds.
 */
import { hash } from 'node:crypto';

/** The place in the chain after which the next event goes. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** What stands before the first event. */
export const chainStart: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** What the hash of an event covers, besides its place. */
export interface ChainedEvent {
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly subject: string;
  readonly dataDigest: string | null;
}

export function dataDigest(data: string): string {
  return hash('sha256', data);
}

/** The head after this event. */
export function nextHead(before: ChainHead, event: ChainedEvent): ChainHead {
  const seq = before.seq + 1;
  const { at, actor, kind, subject, dataDigest } = event;
  // A JSON list, because no two different lists have the same text.
  const covered = JSON.stringify([before.hash, seq, at, actor, kind, subject, dataDigest]);
  return { seq, hash: hash('sha256', covered) };
}
