/** Whether every budget says what the journals say was spent. */
import type { Step } from '../../src/kernel/journal/step.ts';
import type { Sql } from '../../src/ledger/ledger.ts';
import type { CheckedOperation } from './runtime-checker.ts';

const resources = ['tokens', 'cost', 'tool_calls', 'children'] as const;
type Spent = Record<(typeof resources)[number], number>;
type BudgetRow = { readonly id: string; readonly taken: string | null } & Readonly<
  Record<string, number | string | null>
>;

export async function budgetFindings(
  sql: Sql,
  operations: readonly CheckedOperation[],
): Promise<string[]> {
  const rows = await sql.all<BudgetRow>('select * from budgets');
  const found = rows.flatMap((row) =>
    resources
      .filter((one) => row[`${one}_held`] !== 0)
      .map((one) => `held: ${row.id} holds ${row[`${one}_held`]} ${one}, and nothing runs`),
  );
  const children = await sql.all<{ name: string; spawn_key: string }>(
    `select name, spawn_key from agents where spawn_key like 'run:%'`,
  );
  for (const row of rows) {
    const own = operations.filter(
      ({ id, agent }) => row.id === `operation:${id}` || row.id === `agent:${agent}`,
    );
    const made = children.filter(({ spawn_key }) => own.some(({ id }) => spawn_key.includes(id)));
    const expected = own.map(spentBy).reduce(sum, nothing);
    const gave = made.map(({ name }) => costOfChild(rows, name, row)).reduce(sum, nothing);
    const all = sum(expected, gave);
    for (const one of resources) {
      if (row[`${one}_used`] === all[one]) continue;
      found.push(`budget: ${row.id} has used ${row[`${one}_used`]} ${one}, not ${all[one]}`);
    }
  }
  return found;
}

const nothing: Spent = { tokens: 0, cost: 0, tool_calls: 0, children: 0 };

function sum(a: Spent, b: Spent): Spent {
  return {
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
    tool_calls: a.tool_calls + b.tool_calls,
    children: a.children + b.children,
  };
}

/** By its own questions and calls. */
function spentBy({ journal }: CheckedOperation): Spent {
  let spent = nothing;
  let held = { tokens: 0, cost: 0 };
  for (const { step } of journal) {
    if (step.kind === 'asked') held = step.hold;
    else if (step.kind === 'answered') {
      spent = sum(spent, { ...nothing, ...answered(step) });
      held = { tokens: 0, cost: 0 };
    } else if (step.kind === 'lost') {
      // Of one that was cut off, and of one that was forgotten, it is not known what it cost.
      const counts = /^(?:model\.cut-off|the daemon ended)/.test(step.why);
      if (counts) spent = sum(spent, { ...nothing, ...held });
      held = { tokens: 0, cost: 0 };
    } else if (step.kind === 'ended') spent = sum(spent, { ...nothing, ...held });
  }
  return spent;
}

function answered(step: Extract<Step, { kind: 'answered' }>) {
  const calls = step.parts.filter(({ kind }) => kind === 'tool-call').length;
  return {
    tokens: step.usage.input_tokens + step.usage.output_tokens,
    cost: step.cost ?? 0,
    tool_calls: step.spent === undefined ? calls : 0,
  };
}

/** What it was given while it lives, what it used when it is over; itself in any case. */
function costOfChild(rows: readonly BudgetRow[], name: string, parent: BudgetRow): Spent {
  const row = rows.find(({ id }) => id === `agent:${name}`);
  if (row === undefined) return nothing;
  const open = JSON.parse(row.taken ?? 'null') as
    | readonly { budget: string; amounts: Partial<Spent> }[]
    | null;
  const given = open?.find(({ budget }) => budget === parent.id)?.amounts;
  const of = (one: keyof Spent): number => {
    if (given !== undefined) return given[one] ?? 0;
    // Where nothing was given, nothing was limited, and nothing is counted above.
    return row[`${one}_limit`] === null ? 0 : Number(row[`${one}_used`]);
  };
  return {
    tokens: of('tokens'),
    cost: of('cost'),
    tool_calls: of('tool_calls'),
    children: 1 + of('children'),
  };
}
