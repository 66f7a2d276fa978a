/**
 * What is unusual of a sender, by what it has sent in the thirty days before:
 *
 * - `burst`: in this hour more than three times as many transfers as in its busiest hour, and
 *   at least ten; or more than three times as many bytes, and at least 100 MiB.
 * - `new-recipient`: it has sent at least ten transfers, and none to this recipient.
 * - `odd-hour`: it has sent at least twenty transfers, and none within an hour of this time of
 *   the day.
 *
 * Hours and days are those of UTC. Whoever has sent on fewer than seven days before today does
 * nothing unusual: nobody knows yet what is usual.
 */
import type { Instant } from '../ports.ts';

export const unusualKinds = ['burst', 'new-recipient', 'odd-hour'] as const;
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

/** `now` are the transfers of one sending, `past` those before it, in any order. */
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
