/** Handles: secrets by which an agent is known. renewHandle() in register.ts gives a new one. */
import { hash } from 'node:crypto';
import type { Instant, Random } from '../kernel/ports.ts';

const shape = /^aos_[A-Za-z0-9_-]{43}$/;

/** A new secret of 256 bits. It is shown once; the ledger keeps its hash only. */
export function mintHandle(random: Random): string {
  return `aos_${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

/** What the ledger knows a handle by. The bits are too many to guess, so no salt is needed. */
export function hashOfHandle(handle: string): string {
  return hash('sha256', handle);
}

/** When a handle that is good for so long ends; null for never. */
export function endOfHandle(now: Instant, handleMs: number | undefined): Instant | null {
  return handleMs === undefined ? null : now + handleMs;
}

/** Whether it could be a handle at all. */
export function looksLikeHandle(text: string): boolean {
  return shape.test(text);
}
