import type { Clock, Instant } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readState, writeState } from '../../ledger/state.ts';

const dayMs = 24 * 3_600_000;
const longestStepMs = 2 * dayMs;

/**
 * The moment before which what is kept for so many days may go. It moves on by two days at
 * most, each time it is asked for: a clock that is months ahead for an hour must not take
 * everything with it.
 */
export async function nextCutoff(
  { ledger, clock }: { readonly ledger: Ledger; readonly clock: Pick<Clock, 'now'> },
  { key, keepDays }: { readonly key: string; readonly keepDays: number },
): Promise<Instant> {
  const wanted = clock.now() - keepDays * dayMs;
  return ledger.transact(async (tx) => {
    const before = await readState(tx, key);
    const cutoff = before === undefined ? wanted : Math.min(wanted, Number(before) + longestStepMs);
    await writeState(tx, key, String(cutoff), clock.now());
    return cutoff;
  });
}
