import type { Instant, Random } from './ports.ts';

// Twelve hex digits hold the milliseconds until the year 10889.
const lastStamp = 0xffff_ffff_ffff;

/** 32 hex digits: the first 12 are the milliseconds, so that ids sort by age; the others chance. */
export function newId(now: Instant, random: Random): string {
  return stampOf(now) + Buffer.from(random.bytes(10)).toString('hex');
}

/** Ids that were made until then sort before it; those of a clock that was put back since do not. */
export function idAfter(now: Instant): string {
  return stampOf(now + 1);
}

function stampOf(now: Instant): string {
  const stamp = Math.min(Math.max(0, Math.floor(now)), lastStamp);
  return stamp.toString(16).padStart(12, '0');
}

/** When it was made. */
export function madeAt(id: string): Instant {
  return Number.parseInt(id.slice(0, 12), 16);
}

/** Whether it could be such an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
