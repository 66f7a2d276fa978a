/**
 * What may be spent. A budget is hard: what is about to be spent is held first, and where it
 * is not covered nothing starts. A child's allowance is taken out of its parent's.
 */
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';
import { didYouMean } from '../text/suggest.ts';

export const resources = ['tokens', 'cost', 'wall', 'tool_calls', 'children'] as const;

/** `cost` in millionths of a dollar, `wall` in milliseconds, the others counted. */
export type BudgetResource = (typeof resources)[number];

export type Amounts = Readonly<Partial<Record<BudgetResource, number>>>;

/** Only what is limited is in it. */
export type Limits = Amounts;

/** Of one resource. */
export interface Account {
  /** Undefined where nothing limits it. */
  readonly limit: number | undefined;
  readonly used: number;
  /** Not spent yet, and kept for what is under way. */
  readonly held: number;
}

export type Budget = Readonly<Record<BudgetResource, Account>>;

export function leftOf({ limit, used, held }: Account): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - used - held);
}

/** The first that is not covered; undefined when all are. */
export function uncovered(budget: Budget, amounts: Amounts): BudgetResource | undefined {
  return resources.find((resource) => (amounts[resource] ?? 0) > leftOf(budget[resource]));
}

/** `tokens=1000`, `cost=0.50`, `wall=10m`, `tool_calls=20`, `children=2`; each at most once. */
export function parseLimits(texts: readonly string[]): Limits {
  const limits: Partial<Record<BudgetResource, number>> = {};
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const resource = resources.find((one) => one === name);
    if (resource === undefined) throw unknownResource(text, name);
    if (limits[resource] !== undefined) throw badBudget(`${resource} is limited twice`);
    limits[resource] = parseAmount(resource, value);
  }
  return limits;
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function parseAmount(resource: BudgetResource, text: string): number {
  if (resource === 'wall') {
    const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
    const unitMs = unitsMs[unit];
    if (unitMs === undefined)
      throw badBudget(`wall is ${quote(text.slice(0, 40))}, and is written as 90s, 10m or 2h`);
    return Number(digits) * unitMs;
  }
  const pattern = resource === 'cost' ? /^\$?(\d{1,9}(?:\.\d{1,6})?)$/ : /^(\d{1,15})$/;
  const [, digits] = pattern.exec(text) ?? [];
  if (digits === undefined) {
    const example =
      resource === 'cost' ? 'dollars, as 0.50' : 'a whole number of at most 15 digits';
    throw badBudget(`${resource} is ${quote(text.slice(0, 40))}, and has to be ${example}`);
  }
  return resource === 'cost' ? Math.round(Number(digits) * 1_000_000) : Number(digits);
}

function unknownResource(text: string, name: string): AosError {
  return badBudget(
    `${quote(text.slice(0, 80))} limits nothing that a budget has.${didYouMean(name, [...resources])}`,
  );
}

function badBudget(message: string): AosError {
  return new AosError('budget.malformed', {
    message: `A budget cannot be so: ${message}`,
    fix: 'Write it as tokens=50000, cost=0.50, wall=10m, tool_calls=20 or children=2',
  });
}

/** For people: `$0.50`, `1h 30m`, `1000`. */
export function printAmount(resource: BudgetResource, amount: number): string {
  if (resource === 'cost') return `$${dollars(amount)}`;
  return resource === 'wall' ? duration(amount) : String(amount);
}

function dollars(micros: number): string {
  const text = (micros / 1_000_000).toFixed(6);
  return text.replace(/0{1,4}$/, '');
}

function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [
    ...(hours > 0 ? [`${hours}h`] : []),
    ...(minutes > 0 ? [`${minutes}m`] : []),
    ...(seconds > 0 ? [`${seconds}s`] : []),
  ];
  return parts.join(' ') || '0s';
}

/** For people, with what it is of: `$0.50`, `10m`, `1 token`, `20 tool calls`. */
function printWithNoun(resource: BudgetResource, amount: number): string {
  const noun = nouns[resource];
  const text = printAmount(resource, amount);
  return noun === undefined ? text : `${text} ${amount === 1 ? noun.one : noun.many}`;
}

const nouns: Readonly<
  Partial<Record<BudgetResource, { readonly one: string; readonly many: string }>>
> = {
  tokens: { one: 'token', many: 'tokens' },
  tool_calls: { one: 'tool call', many: 'tool calls' },
  children: { one: 'child', many: 'children' },
};

/** `whose` stands in a sentence, so it is quoted already. */
export function spent(
  whose: string,
  resource: BudgetResource,
  { account, wanted }: { readonly account: Account; readonly wanted: number },
): AosError {
  const limit = account.limit ?? 0;
  const left = `${printAmount(resource, leftOf(account))} of ${printWithNoun(resource, limit)}`;
  return new AosError('budget.spent', {
    message: `The budget of ${whose} does not cover ${printWithNoun(resource, wanted)}: ${left} left`,
    fix: 'Give it a larger budget, or ask for less',
    details: { resource, wanted, limit, used: account.used, held: account.held },
  });
}
