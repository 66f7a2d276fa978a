import type { Instant, Random } from './ports.ts';

// Twelve hex digits hold the milliseconds until the year 10889.
const lastStamp = 0xffff_ffff_ffff;

/** 32 hex digits: the first 12 are the milliseconds, so that ids sort by age; the others chance. */
export function newMessageId(now: Instant, random: Random): string {
  const stamp = Math.min(Math.max(0, Math.floor(now)), lastStamp);
  return hex(stamp, 12) + Array.from(random.bytes(10), (byte) => hex(byte, 2)).join('');
}

export function isMessageId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The name of a message's file: `1706123456789012345-a1b2c3d4.msg`. */
export function fileNameOf(stampNs: string, id: string): string {
  return `${stampNs}-${id.slice(-8)}.msg`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
