/** How much is sent: by the day, in all, and what it takes. */
import type { Instant } from '../kernel/ports.ts';
import { allHeldBytes, heldBytes } from '../ledger/transfers/bodies.ts';
import { type TransferDay, transferDays } from '../ledger/transfers/transfers.ts';
import type { TransferDeps } from './deps.ts';

export interface TransferMetrics {
  readonly days: { day: string; count: number; bytes: number; failed: number }[];
  readonly count: number;
  readonly bytes: number;
  readonly average_bytes: number;
  readonly failed: number;
  readonly saved_bytes: number;
  readonly storage_bytes: number;
  readonly quota_bytes: number;
}

const dayMs = 86_400_000;

/** Of one sender, or of all. */
export async function transferMetrics(
  { ledger, clock, limits }: Pick<TransferDeps, 'ledger' | 'clock' | 'limits'>,
  { party, days: lastDays }: { readonly party: string | undefined; readonly days: number },
): Promise<TransferMetrics> {
  const sql = ledger.committed;
  const since = (Math.floor(clock.now() / dayMs) - lastDays + 1) * dayMs;
  const rows = await transferDays(sql, { sender: party, since });
  const sum = (what: (day: TransferDay) => number) =>
    rows.reduce((total, day) => total + what(day), 0);
  const [count, bytes] = [sum((day) => day.count), sum((day) => day.bytes)];
  return {
    days: rows.map(({ day, count, bytes, failed }) => ({
      ...{ day: dateText(day * dayMs), count, bytes, failed },
    })),
    ...{ count, bytes, failed: sum((day) => day.failed), saved_bytes: sum((day) => day.saved) },
    average_bytes: count === 0 ? 0 : Math.round(bytes / count),
    storage_bytes: party === undefined ? await allHeldBytes(sql) : await heldBytes(sql, party),
    quota_bytes: limits.quotaBytes,
  };
}

function dateText(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}
