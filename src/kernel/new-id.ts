import type { Instant, Random } from './ports.ts';

// Twelve hex digits hold the milliseconds until the year 10889.
const lastStamp = 0xffff_ffff_ffff;

/** 32 hex digits: the first 12 are the milliseconds, so that ids sort by age; the others chance. */
export function newId(now: Instant, random: Random): string {
  const stamp = Math.min(Math.max(0, Math.floor(now)), lastStamp);
  return stamp.toString(16).padStart(12, '0') + Buffer.from(random.bytes(10)).toString('hex');
}

/** Whether it could be such an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
