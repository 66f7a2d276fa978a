/** Which agent takes a goal: the one that is named, else one made from the template that fits. */

import { join } from 'node:path';
import * as z from 'zod';
import { parseLimits } from '../../kernel/agent/budget.ts';
import type { ModelCatalog } from '../../kernel/agent/model.ts';
import { type AgentTemplate, chooseTemplate, isGrantee } from '../../kernel/agent/operation.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Disk, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent, uidOf } from '../../ledger/agents.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import type { Goal, Placement } from '../../runtime/submit.ts';
import { makeFolders, workspaceOf } from '../../security/agent-folders.ts';
import type { Settings } from '../config/settings.ts';
import type { OpenHome } from './open-home.ts';

export interface GoalsDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly open: OpenHome;
  readonly settings: Settings;
  readonly runtime: AgentRuntime;
  readonly models: ModelCatalog;
}

export async function placeGoal(deps: GoalsDeps, goal: Goal): Promise<Placement> {
  if (goal.agent !== undefined) {
    const agent = await findAgent(deps.open.ledger.committed, goal.agent);
    if (agent !== undefined) {
      if (agent.body !== 'model') throw takesNoGoals(agent.name, agent.body);
      if (agent.state === 'terminated') throw isTerminated(agent.name);
      await deps.runtime.checkGoalBudget(agent.name, goal);
      return { agent: agent.name, because: `agent ${quote(agent.name)} was named` };
    }
  }
  const { template, because } = await templateFor(deps, goal);
  return { agent: await makeFrom(deps, template, goal), because };
}

async function templateFor(
  { disk, open }: Pick<GoalsDeps, 'disk' | 'open'>,
  goal: Goal,
): Promise<{ readonly template: AgentTemplate; readonly because: string }> {
  const templates = await readTemplates(disk, open.home);
  const name = goal.template ?? goal.agent;
  if (name !== undefined) {
    const template = [...templates, usualTemplate].find((one) => one.name === name);
    if (template === undefined) throw unknownName(name, templates);
    return { template, because: `template ${quote(name)} was named` };
  }
  const chosen = chooseTemplate(goal.text, templates);
  if (chosen !== undefined) return chosen;
  return { template: usualTemplate, because: 'no template fits better than the default agent' };
}

const usualTemplate: AgentTemplate = {
  name: 'default',
  handles: [],
  instructions:
    'You are an agent of Agent OS. Reach the goal that you are given with the tools that you have. Your own folder is {workspace}; files that are a result go into its folder artifacts. Say plainly what you did and what you could not do.',
  grants: ['file:{workspace}/**:read,write', 'message:*:send'],
  budget: [],
};

/** An agent of its own for the goal. */
async function makeFrom(deps: GoalsDeps, template: AgentTemplate, goal: Goal): Promise<string> {
  const model = goal.model ?? template.model ?? deps.settings.defaultModel;
  if (model === 'none') throw noModel();
  // What is wrong with it is told to the submitter, and not to the queue.
  await deps.models.open(model);
  const name = `${template.name}-${Buffer.from(deps.random.bytes(4)).toString('hex')}`;
  const workspace = workspaceOf(deps.open.realHome, name);
  const filled = (text: string): string => text.replaceAll('{workspace}', workspace);
  // First the agent: a folder without one would be taken for a guest's.
  await deps.runtime.spawn({
    name,
    by: goal.madeBy ?? goal.owner,
    grants: grantsFor(template, goal).map(filled),
    budget: parseLimits(template.budget),
    madeFor: goal,
    spec: {
      body: 'model',
      model,
      instructions: filled(template.instructions),
      ...(template.tools === undefined ? {} : { tools: template.tools }),
      max_output_tokens: template.max_output_tokens ?? 4096,
      restart: 'on-failure',
      is_standing: false,
    },
  });
  const uid = await uidOf(deps.open.ledger.committed, name);
  await makeFolders(deps.disk, deps.open.home, name, { open: 'refused', uid });
  await deps.disk.makeFolder(join(workspace, 'artifacts'));
  return name;
}

/** Which template an agent would be made from. */
export async function templateName(
  deps: Pick<GoalsDeps, 'disk' | 'open'>,
  goal: Goal,
): Promise<string> {
  return (await templateFor(deps, goal)).template.name;
}

/** An agent that works for an outsider speaks to no one here, unless a template says so. */
function grantsFor(template: AgentTemplate, { owner }: Goal): readonly string[] {
  const isPlain = template === usualTemplate && isGrantee(owner);
  return isPlain
    ? template.grants.filter((grant) => !grant.startsWith('message:'))
    : template.grants;
}

const templateFile = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/),
  handles: z.array(z.string().max(200)).max(100).default([]),
  model: z.optional(z.string().max(300)),
  instructions: z.string().max(64 * 1024),
  tools: z.optional(z.array(z.string().max(100)).max(200)),
  grants: z.array(z.string().max(2000)).max(100).default([]),
  budget: z.array(z.string().max(100)).max(5).default([]),
  max_output_tokens: z.optional(z.int().min(1).max(1_000_000)),
});

const largestTemplateBytes = 256 * 1024;

/** Those of `templates/*.json`. One that is broken is told of, and stops the goal, not the daemon. */
async function readTemplates(disk: Disk, home: string): Promise<readonly AgentTemplate[]> {
  const folder = join(home, 'templates');
  if ((await disk.stat(folder))?.kind !== 'folder') return [];
  const names = (await disk.list(folder)).filter((name) => name.endsWith('.json'));
  return Promise.all(names.map((name) => readTemplate(disk, join(folder, name))));
}

async function readTemplate(disk: Disk, path: string): Promise<AgentTemplate> {
  const text = Buffer.from(await readWholeFile(disk, path, largestTemplateBytes)).toString();
  const parsed = templateFile.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const issue = must(parsed.error.issues[0], 'what a schema refused');
  throw new AosError('agent.bad-spec', {
    message: `The template ${quote(path)} cannot be used: ${issue.path.join('.')} ${issue.message}`,
    fix: 'Correct it, or move it out of the folder',
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema.
    return undefined;
  }
}

function noModel(): AosError {
  return new AosError('model.unknown', {
    message: 'No model was named, and none is set',
    fix: 'aos secret set model.anthropic, then aos run "…" --model anthropic:claude-sonnet-4-5 (or set defaultModel in config.json). Without a key: aos run "…" --model scripted:hello, or aos demo',
  });
}

function takesNoGoals(name: string, body: string): AosError {
  return new AosError('operation.bad-goal', {
    message: `Agent ${quote(name)} is a ${body} agent, which takes messages and no goals`,
    fix: `aos send ${name} "…"`,
  });
}

function isTerminated(name: string): AosError {
  return new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)} was terminated`,
    fix: `aos spawn ${name} makes it anew`,
  });
}

function unknownName(name: string, templates: readonly AgentTemplate[]): AosError {
  const known = [...templates.map((one) => one.name), usualTemplate.name];
  return new AosError('operation.no-agent', {
    message: `There is no agent and no template ${quote(name)}`,
    fix: `aos ps lists the agents; the templates are ${known.join(', ')}`,
  });
}
