import { hash } from 'node:crypto';
import type { Random } from '../kernel/ports.ts';

const shape = /^aos_[A-Za-z0-9_-]{43}$/;

/** A new secret of 256 bits. It is shown once; the ledger keeps its hash only. */
export function mintHandle(random: Random): string {
  return `aos_${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

/** What the ledger knows a handle by. The bits are too many to guess, so no salt is needed. */
export function hashOfHandle(handle: string): string {
  return hash('sha256', handle);
}

/** Whether it could be a handle at all. */
export function looksLikeHandle(text: string): boolean {
  return shape.test(text);
}
