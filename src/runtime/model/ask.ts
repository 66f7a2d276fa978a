/**
 * One question to the model.
 *
 * A1. What the call may cost at most is held before it is made, in the transaction that
 *     writes `asked`; no call is made that is not covered.
 * A2. What it cost is settled in the transaction that writes `answered`. An answer that was
 *     lost counts as spent, because the vendor may count it.
 */
import {
  type Amounts,
  type Budget,
  type BudgetResource,
  leftOf,
  spent,
} from '../../kernel/agent/budget.ts';
import type { ModelAnswer, OfferedTool } from '../../kernel/agent/model.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import { pack } from '../../kernel/journal/compact.ts';
import type { Hold, JournalStep, Step } from '../../kernel/journal/step.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { charge, readBudget } from '../../ledger/operations/leases.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';
import type { Tool } from '../../tools/tool.ts';
import { costOf, holdAll, settleAll } from '../budgets.ts';
import { keepSummary } from '../conclude.ts';
import type { ModelRun, ModelRunDeps } from './deps.ts';

export function budgetsOf({ operation, agent }: Pick<ModelRun, 'operation' | 'agent'>): string[] {
  return [`operation:${operation.id}`, `agent:${agent}`];
}

/**
 * `before` is written with it. Throws what ends the operation: the budget, or the model's last
 * word on why it cannot.
 */
export async function askModel(
  deps: ModelRunDeps,
  run: ModelRun,
  turn: number,
  before: readonly Step[],
): Promise<void> {
  const asked = await writeAsked(deps, run, turn, before);
  let answer: ModelAnswer;
  try {
    answer = await run.model.answer(
      { messages: asked.messages, tools: asked.tools, maxOutputTokens: asked.maxOutputTokens },
      {
        signal: run.signal,
        onDelta: (delta) => deps.followers.show(run.operation.id, { kind: 'delta', delta }),
      },
    );
  } catch (failure) {
    run.signal.throwIfAborted();
    if (!(failure instanceof AosError)) throw failure;
    await writeLost(deps, run, { turn, hold: asked.hold, failure });
    return;
  }
  await writeAnswered(deps, run, { turn, hold: asked.hold, answer });
}

interface Asked {
  readonly messages: ReturnType<typeof pack>['messages'];
  readonly tools: readonly OfferedTool[];
  readonly maxOutputTokens: number;
  readonly hold: Hold;
}

// A1
async function writeAsked(
  deps: ModelRunDeps,
  run: ModelRun,
  turn: number,
  before: readonly Step[],
): Promise<Asked> {
  const { spec, model, journal } = run;
  const choice = { agent: run.agent, chosen: spec.tools };
  const tools = await offeredTools(deps.ledger.committed, deps.tools(), choice);
  const { contextTokens } = model;
  const packed = pack(followedBy(journal.steps, before), {
    contextTokens,
    maxOutputTokens: spec.max_output_tokens,
    // A script is not sent to a provider, and neither are the tools.
    tools: model.isScripted ? [] : tools,
  });
  const { messages } = packed;
  const most = { messages, tools, maxOutputTokens: spec.max_output_tokens };
  const promptTokens = model.countPrompt?.(most) ?? packed.promptTokens;
  let asked: Asked | undefined;
  await journal.write(async (tx) => {
    const budgets = await readBudgets(tx, run);
    await chargeRunTime(deps, tx, run);
    const maxOutputTokens = clampOutput(deps, run, { budgets, promptTokens });
    const hold = holdFor(deps, run, { promptTokens, maxOutputTokens });
    const refused = await holdAll(tx, budgetsOf(run), amountsOf(hold));
    if (refused !== undefined) throw spent(refused.whose, refused.resource, refused);
    if (packed.summary !== undefined) await keepSummary(tx, run, packed.summary, deps.clock.now());
    asked = { messages, tools, maxOutputTokens, hold };
    const steps: Step[] = packed.summary === undefined ? [] : [packed.summary];
    return [...before, ...steps, { kind: 'asked', turn, model: model.id, hold }];
  });
  keepRunTime(run);
  if (asked === undefined) throw new Error('the question was written and not kept');
  return asked;
}

function followedBy(steps: readonly JournalStep[], more: readonly Step[]): readonly JournalStep[] {
  return [...steps, ...more.map((step, place) => ({ seq: steps.length + place + 1, at: 0, step }))];
}

async function readBudgets(tx: Transaction, run: ModelRun): Promise<readonly Budget[]> {
  const budgets: Budget[] = [];
  for (const id of budgetsOf(run)) {
    const budget = await readBudget(tx, id);
    if (budget !== undefined) budgets.push(budget);
  }
  return budgets;
}

interface Prompt {
  readonly budgets: readonly Budget[];
  readonly promptTokens: number;
}

/** Not more than is left after the prompt; at least one token, which is then not covered. */
function clampOutput(
  { prices }: ModelRunDeps,
  run: ModelRun,
  { budgets, promptTokens }: Prompt,
): number {
  const price = prices.of(run.spec.model);
  const least = (resource: BudgetResource) =>
    Math.min(...budgets.map((budget) => leftOf(budget[resource])), Number.POSITIVE_INFINITY);
  const byTokens = least('tokens') - promptTokens;
  const money = least('cost');
  if (price === undefined && money !== Number.POSITIVE_INFINITY) throw unpriced(run.spec.model);
  const byCost =
    price === undefined || price.output === 0
      ? Number.POSITIVE_INFINITY
      : (money - promptTokens * price.input) / price.output;
  const room = Math.floor(Math.min(run.spec.max_output_tokens, byTokens, byCost));
  return Math.max(1, room);
}

/** There is a budget for the cost, and no price. */
export function unpriced(model: string): AosError {
  return new AosError('budget.spent', {
    message: `Nobody knows what ${model} costs, and there is a budget for the cost`,
    fix: `Say what a million tokens in and out cost, in dollars: add ${model}=3/15 to "modelPrices" in config.json`,
  });
}

function holdFor(
  { prices }: ModelRunDeps,
  run: ModelRun,
  {
    promptTokens,
    maxOutputTokens,
  }: { readonly promptTokens: number; readonly maxOutputTokens: number },
): Hold {
  const usage = { inputTokens: promptTokens, outputTokens: maxOutputTokens };
  return {
    tokens: promptTokens + maxOutputTokens,
    cost: costOf(prices.of(run.spec.model), usage) ?? 0,
  };
}

function amountsOf({ tokens, cost }: Hold): Amounts {
  return { tokens, cost };
}

interface AnsweredTurn {
  readonly turn: number;
  readonly hold: Hold;
  readonly answer: ModelAnswer;
}

// A2
async function writeAnswered(
  deps: ModelRunDeps,
  run: ModelRun,
  { turn, hold, answer }: AnsweredTurn,
): Promise<void> {
  const { parts, finish, usage } = answer;
  const counted = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  const cost = costOf(deps.prices.of(run.spec.model), usage);
  const calls = parts.filter(({ kind }) => kind === 'tool-call').length;
  await run.journal.write(async (tx) => {
    const used = { tokens: usage.inputTokens + usage.outputTokens, cost: cost ?? 0 };
    await settleAll(tx, budgetsOf(run), { held: amountsOf(hold), used });
    await chargeRunTime(deps, tx, run);
    const refused = await holdAll(tx, budgetsOf(run), { tool_calls: calls });
    if (refused === undefined) {
      const made = { tool_calls: calls };
      await settleAll(tx, budgetsOf(run), { held: made, used: made });
    }
    await tx.record({
      actor: `agent:${run.agent}`,
      kind: 'model.answered',
      subject: `operation:${run.operation.id}`,
      data: { turn, model: run.model.id, ...counted, cost: cost ?? null, calls },
    });
    const error = refused && toReport(spent(refused.whose, refused.resource, refused));
    const why = error === undefined ? {} : { spent: error };
    return [{ kind: 'answered', turn, parts, finish, usage: counted, cost: cost ?? null, ...why }];
  });
  keepRunTime(run);
}

interface LostTurn {
  readonly turn: number;
  readonly hold: Hold;
  readonly failure: AosError;
}

/** A cut-off answer is asked for again; any other failure was one before there was an answer. */
async function writeLost(deps: ModelRunDeps, run: ModelRun, lost: LostTurn): Promise<void> {
  const { turn, hold, failure } = lost;
  const isCutOff = failure.code === 'model.cut-off';
  await run.journal.write(async (tx) => {
    const held = amountsOf(hold);
    await settleAll(tx, budgetsOf(run), { held, used: isCutOff ? held : {} });
    await chargeRunTime(deps, tx, run);
    const why = `${failure.code}: ${failure.message}`;
    return [{ kind: 'lost', turn, cause: 'model', why }];
  });
  keepRunTime(run);
  if (!isCutOff) throw failure;
}

/** What a process that died had asked. */
export async function writeForgotten(
  run: ModelRun,
  { turn, hold }: { readonly turn: number; readonly hold: Hold },
): Promise<void> {
  await run.journal.write(async (tx) => {
    const held = amountsOf(hold);
    // A script costs nothing.
    const used = run.model.isScripted ? {} : held;
    await settleAll(tx, budgetsOf(run), { held, used });
    const why = 'the daemon ended while the model was asked';
    return [{ kind: 'lost', turn, cause: 'daemon', why }];
  });
}

// How long a run has worked, which its budget may limit. Waiting for others does not count.

const since = new WeakMap<ModelRun, number>();
/** Counted in a transaction that may yet be run again, or come to nothing. */
const proposed = new WeakMap<ModelRun, number>();

export function startRunTime(run: ModelRun, clock: Pick<Clock, 'monotonicMs'>): void {
  since.set(run, clock.monotonicMs());
}

/** Counts the time since it was counted last; `keepRunTime` once that is on disk. */
export async function chargeRunTime(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  tx: Transaction,
  run: ModelRun,
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
function keepRunTime(run: ModelRun): void {
  const at = proposed.get(run);
  if (at !== undefined) since.set(run, at);
}

/** How long it may still work, and what it is told when that is over; undefined without a limit. */
export async function runTimeLeft(
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

// The same objects for every turn, because what they weigh is remembered by them.
const known = new WeakMap<Tool, OfferedTool>();

/** Tools of these areas do nothing for an agent that holds nothing of the same name. */
const byGrant: ReadonlySet<string> = new Set([
  ...['file', 'http', 'shell', 'agent', 'memory', 'message', 'transfer'],
]);

/** toolsFor() what the agent holds now. */
async function offeredTools(
  sql: Sql,
  tools: readonly Tool[],
  { agent, chosen }: { readonly agent: string; readonly chosen: readonly string[] | undefined },
): Promise<readonly OfferedTool[]> {
  const held = chosen === undefined ? await grantsHeldBy(sql, `agent:${agent}`) : [];
  return toolsFor(tools, { chosen, capabilities: held.map(({ capability }) => capability) });
}

interface ToolChoice {
  readonly chosen: readonly string[] | undefined;
  /** What the agent holds. */
  readonly capabilities: readonly string[];
}

/**
 * Those of the names, or of the areas as in `file.*`; where nothing is said, all that the
 * agent could be allowed to call. What it may do is asked at the door, whatever is offered:
 * this only spares a model what is of no use to it, and the tokens.
 */
export function toolsFor(
  tools: readonly Tool[],
  { chosen, capabilities }: ToolChoice,
): readonly OfferedTool[] {
  if (chosen !== undefined)
    return tools.filter(({ name }) => isChosen(chosen, name)).map(offeredOf);
  const held = new Set<string>(capabilities.map((text) => parseCapability(text).resource));
  return tools
    .filter(({ name }) => {
      const area = name.slice(0, name.indexOf('.'));
      return !byGrant.has(area) || held.has(area);
    })
    .map(offeredOf);
}

function isChosen(chosen: readonly string[], name: string): boolean {
  return chosen.some((one) =>
    one.endsWith('.*') ? name.startsWith(one.slice(0, -1)) : name === one,
  );
}

function offeredOf(tool: Tool): OfferedTool {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const offered = { name: tool.name, summary: tool.summary, inputSchema: tool.inputSchema };
  known.set(tool, offered);
  return offered;
}
