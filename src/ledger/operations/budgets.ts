/**
 * Budgets as rows, of `agent:NAME` and of `operation:ID`. Amounts are whole numbers; what is
 * used or held never grows beyond what a number holds exactly.
 *
 * B1. What is about to be spent is held by one guarded update over all resources, so that of
 *     two who want the last of something only one gets it.
 * B2. What was taken out of other budgets is remembered in the row, and forgotten by the
 *     statement that closes it, so that it is given back once.
 */
import {
  type Account,
  type Amounts,
  type Budget,
  type Limits,
  resources,
} from '../../kernel/agent/budget.ts';
import { must } from '../../kernel/must.ts';
import type { Sql, SqlValue, Transaction } from '../ledger.ts';

/** Taken out of the budget of that id. */
export interface TakenAmounts {
  readonly budget: string;
  readonly amounts: Amounts;
}

/** False when there is one of that id. */
export async function insertBudget(
  tx: Transaction,
  id: string,
  limits: Limits,
  taken?: readonly TakenAmounts[],
): Promise<boolean> {
  const inserted = await tx.run(
    `insert into budgets (id, taken, ${resources.map((one) => `${one}_limit`).join(', ')})
     values ($1, $2, ${resources.map((_, place) => `$${place + 3}`).join(', ')})
     on conflict (id) do nothing`,
    [
      id,
      taken === undefined ? null : JSON.stringify(taken),
      ...resources.map((one) => (limits[one] === undefined ? null : whole(limits[one]))),
    ],
  );
  return inserted === 1;
}

type BudgetRow = Readonly<Record<string, number | null>>;

const accountColumns = resources
  .flatMap((one) => [`${one}_limit`, `${one}_used`, `${one}_held`])
  .join(', ');

export async function readBudget(sql: Sql, id: string): Promise<Budget | undefined> {
  const row = await sql.get<BudgetRow>(`select ${accountColumns} from budgets where id = $1`, [id]);
  if (row === undefined) return undefined;
  const account = (name: string): Account => ({
    limit: row[`${name}_limit`] ?? undefined,
    used: must(row[`${name}_used`], `what is used of ${name}`),
    held: must(row[`${name}_held`], `what is held of ${name}`),
  });
  return {
    tokens: account('tokens'),
    cost: account('cost'),
    wall: account('wall'),
    tool_calls: account('tool_calls'),
    children: account('children'),
  };
}

const most = String(Number.MAX_SAFE_INTEGER);

const heldMore = resources
  .map((one, place) => `${one}_held = min(${one}_held + $${place + 2}, ${most})`)
  .join(', ');

const covered = resources
  .map((one, place) => {
    const amount = `$${place + 2}`;
    return `(${amount} = 0 or ${one}_limit is null or ${one}_limit - ${one}_used - ${one}_held >= ${amount})`;
  })
  .join(' and ');

/** B1: false when one of them is not covered, or there is no such budget; then nothing is held. */
export async function hold(tx: Transaction, id: string, amounts: Amounts): Promise<boolean> {
  const held = await tx.run(`update budgets set ${heldMore} where id = $1 and ${covered}`, [
    id,
    ...inOrder(amounts),
  ]);
  return held === 1;
}

export interface BudgetSettlement {
  /** What was held for it, and is no longer. */
  readonly held: Amounts;
  /** What it came to, which may be more. */
  readonly used: Amounts;
}

const settled = resources
  .map((one, place) => {
    const [held, used] = [place + 2, place + 2 + resources.length];
    return `${one}_held = max(0, ${one}_held - $${held}), ${one}_used = min(${one}_used + $${used}, ${most})`;
  })
  .join(', ');

/** False when there is no such budget. */
export async function settle(
  tx: Transaction,
  id: string,
  { held, used }: BudgetSettlement,
): Promise<boolean> {
  const changed = await tx.run(`update budgets set ${settled} where id = $1`, [
    id,
    ...inOrder(held),
    ...inOrder(used),
  ]);
  return changed === 1;
}

/** Used, whether it is covered or not. */
export function charge(tx: Transaction, id: string, amounts: Amounts): Promise<boolean> {
  return settle(tx, id, { held: {}, used: amounts });
}

/** Held no longer, and not used. */
export function release(tx: Transaction, id: string, amounts: Amounts): Promise<boolean> {
  return settle(tx, id, { held: amounts, used: {} });
}

const usedLess = resources
  .map((one, place) => `${one}_used = max(0, ${one}_used - $${place + 2})`)
  .join(', ');

/** Counted as used, and not used after all. */
export async function refund(tx: Transaction, id: string, amounts: Amounts): Promise<boolean> {
  const changed = await tx.run(`update budgets set ${usedLess} where id = $1`, [
    id,
    ...inOrder(amounts),
  ]);
  return changed === 1;
}

// What has no limit keeps none: the smaller of null and anything is null.
const nothingLeft = resources
  .map((one) => `${one}_limit = min(${one}_limit, ${one}_used + ${one}_held)`)
  .join(', ');

/**
 * B2: what was taken for it; undefined when nothing was, or it was asked before. From then on
 * it covers nothing more, because what is left of it belongs to others again.
 */
export async function closeAllowance(
  tx: Transaction,
  id: string,
): Promise<readonly TakenAmounts[] | undefined> {
  const row = await tx.get<{ taken: string | null }>('select taken from budgets where id = $1', [
    id,
  ]);
  if (row === undefined || row.taken === null) return undefined;
  const closed = await tx.run(
    `update budgets set taken = null, ${nothingLeft} where id = $1 and taken is not null`,
    [id],
  );
  // Only insertBudget() writes it.
  return closed === 1 ? (JSON.parse(row.taken) as readonly TakenAmounts[]) : undefined;
}

export async function deleteBudget(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run('delete from budgets where id = $1', [id])) === 1;
}

function inOrder(amounts: Amounts): SqlValue[] {
  return resources.map((one) => whole(amounts[one] ?? 0));
}

function whole(amount: number): number {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw new Error(`an amount of a budget is ${amount}, which is no whole number from 0 on`);
}
