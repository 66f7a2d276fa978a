/** How long a run has worked, which its budget may limit. Waiting for others does not count. */

import { leftOf, spent } from '../../kernel/agent/budget.ts';
import type { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { charge, readBudget } from '../../ledger/operations/budgets.ts';
import type { Run } from './deps.ts';

const since = new WeakMap<Run, number>();
/** Counted in a transaction that may yet be run again, or come to nothing. */
const proposed = new WeakMap<Run, number>();

export function startWall(run: Run, clock: Pick<Clock, 'monotonicMs'>): void {
  since.set(run, clock.monotonicMs());
}

/** Counts the time since it was counted last; `keepWall` once that is on disk. */
export async function chargeWall(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  tx: Transaction,
  run: Run,
): Promise<void> {
  const now = clock.monotonicMs();
  const wall = Math.round(now - (since.get(run) ?? now));
  if (wall <= 0) return;
  proposed.set(run, now);
  for (const id of [`operation:${run.operation.id}`, `agent:${run.agent}`]) {
    await charge(tx, id, { wall });
  }
}

/** What was counted is on disk. */
export function keepWall(run: Run): void {
  const at = proposed.get(run);
  if (at !== undefined) since.set(run, at);
}

/** How long it may still work, and what it is told when that is over; undefined without a limit. */
export async function wallLeft(
  sql: Sql,
  ids: readonly string[],
): Promise<{ readonly ms: number; readonly error: AosError } | undefined> {
  let least: { ms: number; error: AosError } | undefined;
  for (const id of ids) {
    const account = (await readBudget(sql, id))?.wall;
    if (account?.limit === undefined) continue;
    const ms = leftOf(account);
    if (least !== undefined && least.ms <= ms) continue;
    const all = { ...account, used: account.limit, held: 0 };
    least = { ms, error: spent(id.replace(':', ' '), 'wall', { account: all, wanted: 1 }) };
  }
  return least;
}
