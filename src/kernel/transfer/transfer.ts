/** Transfers: their states, sizes and metadata, and what is unusual of a sender. */
import type { Instant } from '../ports.ts';
import { canonicalJson } from '../text/quote.ts';

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

/** How transfers are put into words. */

const units = ['kB', 'MB', 'GB', 'TB'] as const;

/** As files are measured: `2.3 MB` is 2,300,000 bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let amount = bytes / 1000;
  let unit = 0;
  // Rounded first: 999,990 bytes are 1.0 MB and not 1000.0 kB.
  while (Number(amount.toFixed(1)) >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount.toFixed(1)} ${units[unit]}`;
}

/** `*` stands for any characters, and everything else for itself. In a time that grows evenly. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  if (!text.endsWith(last)) return false;
  const end = text.length - last.length;
  let place = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, place);
    if (found === -1 || found + part.length > end) return false;
    place = found + part.length;
  }
  return true;
}

export type Metadata = Readonly<Record<string, unknown>>;

/** Whether everything that is wanted is there, with these very values. */
export function hasMetadata(metadata: Metadata, wanted: Metadata): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && isSame(metadata[key], value),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  // Deep values were refused when they came in.
  return canonicalJson(one) === canonicalJson(other);
}

/** How deep lists and objects lie in each other; not counted further than `most`. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most <= 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part, most - 1)));
}

const unusualKinds = ['burst', 'new-recipient', 'odd-hour'] as const;
export type UnusualKind = (typeof unusualKinds)[number];

/** A transfer, or all that went to one recipient within one hour. */
export interface PastTransfer {
  /** The first of them. */
  readonly at: Instant;
  /** The last, where they are several. */
  readonly last?: Instant | undefined;
  readonly recipient: string;
  /** 1 where nothing is said. */
  readonly count?: number | undefined;
  readonly bytes: number;
}

export const lookBackMs = 30 * 86_400_000;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const fewestDays = 7;
const times = 3;
const burst = { count: 10, bytes: 100 * 1024 * 1024 } as const;
const fewestForRecipient = 10;
const fewestForHour = 20;

/**
 * What is unusual of a sender, by what it has sent in the thirty days before:
 *
 * - `burst`: in this hour more than three times as many transfers as in its busiest hour, and
 *   at least ten; or more than three times as many bytes, and at least 100 MiB.
 * - `new-recipient`: it has sent at least ten transfers, and none to this recipient.
 * - `odd-hour`: it has sent at least twenty transfers, and none within an hour of this time of
 *   the day.
 *
 * Hours and days are those of UTC. A sender that has sent on fewer than seven days before today
 * does nothing unusual: what is usual is not known yet.
 *
 * `now` are the transfers of one sending, `past` those before it, in any order.
 */
export function unusual(
  past: readonly PastTransfer[],
  now: readonly PastTransfer[],
): readonly UnusualKind[] {
  const at = now[0]?.at;
  if (at === undefined) return [];
  const before = past.filter((each) => each.at > at - lookBackMs && each.at <= at);
  const today = Math.floor(at / dayMs);
  const days = new Set(before.map((each) => Math.floor(each.at / dayMs)));
  days.delete(today);
  if (days.size < fewestDays) return [];
  const found: Readonly<Record<UnusualKind, boolean>> = {
    burst: isBurst([...before, ...now], at),
    'new-recipient': isNewRecipient(before, now),
    'odd-hour': isOddHour(before, at),
  };
  return unusualKinds.filter((kind) => found[kind]);
}

function isBurst(all: readonly PastTransfer[], at: Instant): boolean {
  const hours = new Map<number, { count: number; bytes: number }>();
  for (const each of all) {
    const hour = Math.floor(each.at / hourMs);
    const sum = hours.get(hour) ?? { count: 0, bytes: 0 };
    const { count = 1, bytes } = each;
    hours.set(hour, { count: sum.count + count, bytes: sum.bytes + bytes });
  }
  const thisHour = Math.floor(at / hourMs);
  const here = hours.get(thisHour) ?? { count: 0, bytes: 0 };
  hours.delete(thisHour);
  const busiest = [...hours.values()];
  const most = (what: 'count' | 'bytes') => Math.max(0, ...busiest.map((sum) => sum[what]));
  return (['count', 'bytes'] as const).some(
    (what) => here[what] >= burst[what] && here[what] > times * most(what),
  );
}

function isNewRecipient(before: readonly PastTransfer[], now: readonly PastTransfer[]): boolean {
  if (countOf(before) < fewestForRecipient) return false;
  const known = new Set(before.map(({ recipient }) => recipient));
  return now.some(({ recipient }) => !known.has(recipient));
}

function isOddHour(before: readonly PastTransfer[], at: Instant): boolean {
  if (countOf(before) < fewestForHour) return false;
  // Between the first and the last of an hour nothing is further away than they are.
  return !before.some((each) => isNear(each.at, at) || isNear(each.last ?? each.at, at));
}

function isNear(one: Instant, other: Instant): boolean {
  const apart = Math.abs((one % dayMs) - (other % dayMs));
  return Math.min(apart, dayMs - apart) <= hourMs;
}

function countOf(all: readonly PastTransfer[]): number {
  return all.reduce((sum, { count = 1 }) => sum + count, 0);
}
