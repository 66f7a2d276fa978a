/**
 * Spending out of several budgets at once: an operation's and its agent's.
 *
 * A1. All or nothing: where one budget does not cover it, the others hold nothing for it.
 * A2. A child's allowance counts as used in its parent's budgets from the moment it is given,
 *     so the two together never spend more than the parent alone could.
 * A3. When the child ends, what it used stays used, and the rest goes back, once. Whatever is
 *     still held then counts as used, because it is not known how it ended.
 */
import {
  type Account,
  type Amounts,
  type Budget,
  type BudgetResource,
  type Limits,
  resources,
  spent,
  uncovered,
} from '../kernel/agent/budget.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Transaction } from '../ledger/ledger.ts';
import {
  type BudgetSettlement,
  charge,
  closeAllowance,
  hold,
  insertBudget,
  readBudget,
  refund,
  release,
  settle,
} from '../ledger/operations/leases.ts';

export interface Shortfall {
  /** In words: `agent "jean"`. */
  readonly whose: string;
  readonly resource: BudgetResource;
  readonly account: Account;
  readonly wanted: number;
}

export function shortfallError({ whose, resource, account, wanted }: Shortfall): AosError {
  return spent(whose, resource, { account, wanted });
}

/** A1. Undefined when all of them cover it, and hold it from now on. */
export async function holdAll(
  tx: Transaction,
  ids: readonly string[],
  amounts: Amounts,
): Promise<Shortfall | undefined> {
  const holding: string[] = [];
  for (const id of new Set(ids)) {
    if (await hold(tx, id, amounts)) {
      holding.push(id);
      continue;
    }
    for (const other of holding) await release(tx, other, amounts);
    return shortfallOf(id, await mustRead(tx, id), amounts);
  }
  return undefined;
}

export async function settleAll(
  tx: Transaction,
  ids: readonly string[],
  settlement: BudgetSettlement,
): Promise<void> {
  for (const id of new Set(ids)) await settle(tx, id, settlement);
}

// A budget that is not there covers nothing: a limit must not be lifted by a row's loss.
async function mustRead(tx: Transaction, id: string): Promise<Budget> {
  const budget = await readBudget(tx, id);
  if (budget === undefined) throw new Error(`the budget of ${id} is not there`);
  return budget;
}

function shortfallOf(id: string, budget: Budget, amounts: Amounts): Shortfall {
  const resource = uncovered(budget, amounts);
  if (resource === undefined) throw new Error(`the budget of ${id} covers what it refused`);
  return {
    whose: inWords(id),
    resource,
    account: budget[resource],
    wanted: amounts[resource] ?? 0,
  };
}

/** `agent "jean"` of `agent:jean`. */
function inWords(id: string): string {
  const [, kind = '', name = ''] = /^([^:]*):(.*)$/s.exec(id) ?? [];
  return kind === '' ? quote(id) : `${kind} ${quote(name)}`;
}

export interface Allowance {
  /** The parent's budgets. */
  readonly from: readonly string[];
  /** The child's, which is made here. */
  readonly to: string;
  readonly limits: Limits;
}

/**
 * A2. Throws `budget.malformed` when the child is not limited in something that its parent
 * is, and `budget.spent` when the parent cannot give it; the transaction is to be given up.
 */
export async function takeAllowance(
  tx: Transaction,
  { from, to, limits }: Allowance,
): Promise<void> {
  const ids = [...new Set(from)];
  const given = await withinParents(tx, ids, limits);
  const amounts = { ...given, children: 1 + (given.children ?? 0) };
  const short = await holdAll(tx, ids, amounts);
  if (short !== undefined) throw shortfallError(short);
  await settleAll(tx, ids, { held: amounts, used: amounts });
  // The child itself is not in it: it has been, whatever it leaves.
  const taken = ids.map((budget) => ({ budget, amounts: given }));
  if (!(await insertBudget(tx, to, given, taken))) {
    throw new Error(`the budget of ${to} is there before it was given`);
  }
}

async function withinParents(
  tx: Transaction,
  ids: readonly string[],
  limits: Limits,
): Promise<Limits> {
  const limited = new Set<BudgetResource>();
  for (const id of ids) {
    const budget = await mustRead(tx, id);
    for (const one of resources) if (budget[one].limit !== undefined) limited.add(one);
  }
  // Who says nothing of children gives none.
  const given: Limits = limited.has('children') ? { children: 0, ...limits } : limits;
  const unsaid = [...limited].filter((one) => given[one] === undefined);
  if (unsaid.length > 0) throw unsaidLimits(unsaid);
  return given;
}

function unsaidLimits(unsaid: readonly BudgetResource[]): AosError {
  return new AosError('budget.malformed', {
    message: `A child gets a part of your budget: say how much of your ${unsaid.join(', ')} it gets`,
    fix: `Name each of them in its budget, such as ${unsaid.map((one) => examples[one]).join(', ')}`,
    details: { unsaid },
  });
}

const examples: Readonly<Record<BudgetResource, string>> = {
  tokens: 'tokens=50000',
  cost: 'cost=0.50',
  wall: 'wall=10m',
  tool_calls: 'tool_calls=20',
  children: 'children=2',
};

/** A3. Does nothing when nothing was taken, or all was given back before. */
export async function giveBack(tx: Transaction, id: string): Promise<void> {
  const budget = await readBudget(tx, id);
  const taken = await closeAllowance(tx, id);
  if (budget === undefined || taken === undefined) return;
  for (const { budget: parent, amounts } of taken) {
    const left: Partial<Record<BudgetResource, number>> = {};
    const beyond: Partial<Record<BudgetResource, number>> = {};
    for (const one of resources) {
      const rest = (amounts[one] ?? 0) - budget[one].used - budget[one].held;
      if (amounts[one] === undefined || rest === 0) continue;
      // An answer may cost more than was thought, and it was paid for.
      if (rest > 0) left[one] = rest;
      else beyond[one] = -rest;
    }
    await refund(tx, parent, left);
    await charge(tx, parent, beyond);
  }
}

/** What models cost, as the settings say. */

/** Millionths of a dollar for a token, which is dollars for a million of them. */
interface Price {
  readonly input: number;
  readonly output: number;
}

export interface Prices {
  /** Undefined where that is not known. */
  of(model: string): Price | undefined;
}

/** From `anthropic:claude-…=3/15 ollama:*=0/0`: dollars for a million tokens in, and out. */
export function pricesFrom(text: string): Prices {
  const prices = new Map<string, Price>();
  for (const pair of text.split(' ')) {
    const [, model, input, output] = /^(.+)=([\d.]+)\/([\d.]+)$/.exec(pair) ?? [];
    if (model !== undefined) prices.set(model, { input: Number(input), output: Number(output) });
  }
  return {
    of: (model) =>
      model.startsWith('scripted:') ? free : (prices.get(model) ?? byProvider(prices, model)),
  };
}

const free: Price = { input: 0, output: 0 };

/** `ollama:*` is for all of that provider. */
function byProvider(prices: ReadonlyMap<string, Price>, model: string): Price | undefined {
  return prices.get(`${model.slice(0, model.indexOf(':'))}:*`);
}

/** In millionths of a dollar, rounded up: a budget is never underestimated. */
export function costOf(
  price: Price | undefined,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined {
  if (price === undefined) return undefined;
  return Math.ceil(inputTokens * price.input + outputTokens * price.output);
}
