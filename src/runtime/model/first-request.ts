/**
 * What the first request of a model agent takes at least: its instructions, its goal, and what
 * describes its tools. A budget that does not cover it is refused before there is an agent.
 */
import type { ModelSpec } from '../../kernel/agent/agent.ts';
import { type Limits, printAmount } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import { pack } from '../../kernel/journal/compact.ts';
import { costOf } from '../budgets.ts';
import type { SpawnOrder } from '../spawn.ts';
import type { Goal } from '../submit.ts';
import { toolsFor, unpriced } from './ask.ts';
import type { ModelRunDeps } from './deps.ts';

interface FirstRequest {
  readonly spec: ModelSpec;
  /** Empty for one that waits for messages. */
  readonly goal: string;
  /** In either spelling. */
  readonly grants: readonly string[];
  readonly limits: Limits;
  /** What to do where they do not cover it. */
  readonly fix: string;
}

type FirstDeps = Pick<ModelRunDeps, 'models' | 'prices' | 'tools'>;

const more = 'Give it several times as much';
const moreAtSpawn = `${more}, or offer it fewer tools: --tool 'file.*'`;
const moreInTemplate = 'Raise the budget in its template, or name another template: --agent NAME';

/** Of the agent and of its first goal. Throws `budget.too-small`, and what opening the model throws. */
export async function checkSpawnBudget(
  deps: FirstDeps,
  { goal, madeFor, grants = [], askingGrants = [], budget: limits = {} }: SpawnOrder,
  spec: ModelSpec,
): Promise<void> {
  const agent = { spec, grants: [...grants, ...askingGrants] };
  const first = madeFor ?? goal ?? { text: '' };
  const fix = madeFor === undefined ? moreAtSpawn : moreInTemplate;
  await checkFirstRequest(deps, { ...agent, goal: first.text, limits, fix });
  await checkGoalBudget(deps, agent, first);
}

/** Of a goal alone. Throws as checkSpawnBudget() does. */
export async function checkGoalBudget(
  deps: FirstDeps,
  agent: Pick<FirstRequest, 'spec' | 'grants'>,
  { text, budget = {} }: Pick<Goal, 'text' | 'budget'>,
): Promise<void> {
  await checkFirstRequest(deps, { ...agent, goal: text, limits: budget, fix: more });
}

async function checkFirstRequest(deps: FirstDeps, first: FirstRequest): Promise<void> {
  const { spec, limits } = first;
  if (limits.tokens === undefined && limits.cost === undefined) return;
  const price = deps.prices.of(spec.model);
  if (price === undefined && limits.cost !== undefined) throw unpriced(spec.model);
  const { promptTokens, toolCount } = await promptOf(deps, first);
  const usage = { inputTokens: promptTokens, outputTokens: 1 };
  const least = { tokens: promptTokens + 1, cost: costOf(price, usage) ?? 0 };
  for (const resource of ['tokens', 'cost'] as const) {
    const limit = limits[resource] ?? least[resource];
    if (limit >= least[resource]) continue;
    const [has, needs] = [limit, least[resource]].map((much) => printAmount(resource, much));
    throw new AosError('budget.too-small', {
      message: `A budget of ${resource}=${has?.replace('$', '')} does not cover the first request to the model: it takes ${needs} at least, with ${first.goal === '' ? '' : 'its goal, '}its instructions and ${toolCount} tools`,
      fix: first.fix,
      details: { resource, limit, least: least[resource], tools: toolCount },
    });
  }
}

async function promptOf({ models, tools }: FirstDeps, { spec, goal, grants }: FirstRequest) {
  const model = await models.open(spec.model);
  const { instructions, max_output_tokens: maxOutputTokens } = spec;
  const offered = toolsFor(tools(), { chosen: spec.tools, capabilities: grants });
  const begun = { kind: 'begun', goal, because: '', instructions, model: model.id } as const;
  const step = { ...begun, is_scripted: model.isScripted };
  const { messages, promptTokens } = pack([{ seq: 1, at: 0, step }], {
    ...{ contextTokens: model.contextTokens, maxOutputTokens },
    // As in ask.ts.
    tools: model.isScripted ? [] : offered,
  });
  const counted = model.countPrompt?.({ messages, tools: offered, maxOutputTokens });
  return { promptTokens: counted ?? promptTokens, toolCount: offered.length };
}
