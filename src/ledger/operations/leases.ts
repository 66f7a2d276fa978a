/**
 * Leases as rows. No clock is in them: a lease is alive while `renewals` goes up, and a watcher
 * that sees it stand still for its whole time (kernel/agent/agent.ts) may steal it.
 *
 * L1. The token of a subject only ever goes up, also over a release: work that was begun
 *     under an older token can be told from work under the present one.
 * L2. Every change names what it was decided on (owner and token, or token and renewals), so
 *     that of two who decide at once only one succeeds.
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

export interface Lease {
  readonly subject: string;
  readonly owner: string;
  readonly token: number;
  readonly renewals: number;
  readonly ttl_ms: number;
}

/** All leases that are held. */
export function readLeases(sql: Sql): Promise<Lease[]> {
  return sql.all(
    `select subject, owner, token, renewals, ttl_ms from leases
     where owner <> '' order by subject`,
  );
}

/** The token when the subject was free, 1 when it never had an owner; else undefined. */
export async function takeLease(
  tx: Transaction,
  subject: string,
  owner: string,
  ttlMs: number,
): Promise<number | undefined> {
  // L1: a released row stays, without an owner.
  const taken = await tx.run(
    `insert into leases (subject, owner, token, renewals, ttl_ms) values ($1, $2, 1, 0, $3)
     on conflict (subject) do update set owner = excluded.owner, token = leases.token + 1,
       renewals = 0, ttl_ms = excluded.ttl_ms
     where leases.owner = ''`,
    [subject, owner, ttlMs],
  );
  if (taken === 0) return undefined;
  const row = await tx.get<Pick<Lease, 'token'>>('select token from leases where subject = $1', [
    subject,
  ]);
  return row?.token;
}

/** False when it is not held any more: whatever was done under it must stop. */
export async function renewLease(
  tx: Transaction,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const renewed = await tx.run(
    `update leases set renewals = renewals + 1
     where subject = $1 and owner = $2 and token = $3`,
    [subject, owner, token],
  );
  return renewed === 1;
}

/** Takes a lease that stood still; undefined when it has moved since it was seen. */
export async function stealLease(
  tx: Transaction,
  subject: string,
  owner: string,
  seen: Pick<Lease, 'token' | 'renewals'>,
): Promise<number | undefined> {
  const stolen = await tx.run(
    `update leases set owner = $2, token = token + 1, renewals = 0
     where subject = $1 and token = $3 and renewals = $4 and owner <> ''`,
    [subject, owner, seen.token, seen.renewals],
  );
  return stolen === 1 ? seen.token + 1 : undefined;
}

/** Gives it back; false when it was held by another already. */
export async function releaseLease(
  tx: Transaction,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const released = await tx.run(
    `update leases set owner = '', renewals = 0
     where subject = $1 and owner = $2 and token = $3`,
    [subject, owner, token],
  );
  return released === 1;
}

/** The lease of a subject, where it is held. */
export function findLease(sql: Sql, subject: string): Promise<Lease | undefined> {
  return sql.get(
    `select subject, owner, token, renewals, ttl_ms from leases
     where subject = $1 and owner <> ''`,
    [subject],
  );
}

/** Whether work under this token may still be written down. */
export async function holdsLease(
  sql: Sql,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const row = await sql.get(
    'select 1 as held from leases where subject = $1 and owner = $2 and token = $3',
    [subject, owner, token],
  );
  return row !== undefined;
}

/** Frees a lease, whichever process held it. */
export async function freeLease(tx: Transaction, subject: string): Promise<void> {
  await tx.run(`update leases set owner = '', renewals = 0 where subject = $1`, [subject]);
}

// Budgets as rows, of `agent:NAME` and of `operation:ID`. Amounts are whole numbers; what is
// used or held never grows beyond what a number holds exactly.
//
// B1. What is about to be spent is held by one guarded update over all resources, so that of
//     two who want the last of something only one gets it.
// B2. What was taken out of other budgets is remembered in the row, and forgotten by the
//     statement that closes it, so that it is given back once.

/** Taken out of the budget of that id. */
interface TakenAmounts {
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
