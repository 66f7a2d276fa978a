/** The tools `agent.*`. */
import { type AgentSpec, readSpec } from '../../kernel/agent/agent.ts';
import { parseLimits } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import { operationOfKey } from '../../kernel/journal/step.ts';
import { agentInnards, childrenOf, findAgent } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readBudget } from '../../ledger/operations/leases.ts';
import type { Spawned, SpawnOrder } from '../../runtime/spawn.ts';
import { type Tool, type ToolArgs, type ToolCall, toolOf } from '../../tools/tool.ts';
import { agentTools as verbs } from '../../verbs/agent-tools.ts';
import { actionOnFile } from '../../verbs/verb.ts';

export interface AgentToolDeps {
  readonly ledger: Ledger;
  /** The home folder without symlinks. */
  readonly home: string;
  /** The runtime, which is put together after the tools; undefined where none runs. */
  runtime(): AgentToolRuntime | undefined;
  /** What an agent without a model of its own gives its children. */
  readonly defaultModel: string;
}

export interface AgentToolRuntime {
  spawn(order: SpawnOrder): Promise<Spawned>;
  terminate(name: string, why: { readonly by: string; readonly reason?: string }): Promise<void>;
}

export function agentSpawn(deps: AgentToolDeps): Tool {
  return toolOf(verbs.spawn, deps, {
    // The same call is the same agent.
    repeatable: true,
    run: (args, call) => spawnChild(deps, args, call),
  });
}

async function spawnChild(
  deps: AgentToolDeps,
  args: ToolArgs<typeof verbs.spawn>,
  call: ToolCall,
): Promise<unknown> {
  const parent = /^agent:(.+)$/.exec(call.principal)?.[1];
  const { agentId, operationId } = await runtimeOf(deps).spawn({
    name: args.name,
    by: call.principal,
    parent,
    grants: args.grants ?? [],
    budget: parseLimits(args.budget ?? []),
    paidBy: await payers(deps, call),
    spawnKey: call.key,
    spec: await specFor(deps, args, call),
    goal: { text: args.goal, priority: args.priority, parent: operationOfKey(call.key) },
  });
  return { agent: agentId, operation: operationId };
}

/** A script is a file: an agent that has another one followed learns what is in it. */
async function permitScript({ home }: AgentToolDeps, model: string, call: ToolCall): Promise<void> {
  const path = /^scripted:(\/.*)$/s.exec(model)?.[1];
  if (path !== undefined) await call.permit(actionOnFile(home, path, 'read'));
}

function runtimeOf(deps: AgentToolDeps): AgentToolRuntime {
  const runtime = deps.runtime();
  if (runtime !== undefined) return runtime;
  throw new AosError('agent.not-there', {
    message: 'The daemon does not run, and without it no agent does',
    fix: 'aos up --detach',
  });
}

async function specFor(
  deps: AgentToolDeps,
  args: ToolArgs<typeof verbs.spawn>,
  call: ToolCall,
): Promise<AgentSpec> {
  const { ledger, defaultModel } = deps;
  const parent = call.principal.replace(/^agent:/, '');
  const spec = readSpec((await agentInnards(ledger.committed, parent))?.spec);
  const ownModel = spec?.body === 'model' ? spec.model : defaultModel;
  const model = args.model ?? ownModel;
  if (model !== ownModel) await permitScript(deps, model, call);
  return {
    body: 'model',
    model,
    instructions: args.instructions ?? 'You are a child agent. Reach the goal that you are given.',
    ...(args.tools === undefined ? {} : { tools: args.tools }),
    max_output_tokens:
      args.max_output_tokens ?? (spec?.body === 'model' ? spec.max_output_tokens : 4096),
    restart: 'never',
    is_standing: false,
  };
}

/** Those of the caller's budgets that there are: a guest has none. */
async function payers({ ledger }: AgentToolDeps, call: ToolCall): Promise<string[] | undefined> {
  const operation = operationOfKey(call.key);
  const ids = [...(operation === undefined ? [] : [`operation:${operation}`]), call.principal];
  const there: string[] = [];
  for (const id of ids) {
    if ((await readBudget(ledger.committed, id)) !== undefined) there.push(id);
  }
  return there.length === 0 ? undefined : there;
}

export function agentList(deps: AgentToolDeps): Tool {
  return toolOf(verbs.list, deps, { run: (_, { principal }) => listChildren(deps, principal) });
}

async function listChildren({ ledger }: AgentToolDeps, principal: string): Promise<unknown> {
  const sql = ledger.committed;
  const agents = [];
  for (const name of await childrenOf(sql, principal.replace(/^agent:/, ''))) {
    const row = await findAgent(sql, name);
    if (row !== undefined) agents.push({ name, state: row.state, reason: row.reason });
  }
  return { agents };
}

export function agentTerminate(deps: AgentToolDeps): Tool {
  return toolOf(verbs.terminate, deps, {
    // One that is over is over.
    repeatable: true,
    run: (args, call) => terminate(deps, args, call),
  });
}

async function terminate(
  deps: AgentToolDeps,
  { name, reason }: ToolArgs<typeof verbs.terminate>,
  { principal }: ToolCall,
): Promise<unknown> {
  const row = await findAgent(deps.ledger.committed, name);
  if (row?.state !== 'terminated') {
    const why = { by: principal, ...(reason === undefined ? {} : { reason }) };
    await runtimeOf(deps).terminate(name, why);
  }
  return { agent: name, state: 'terminated' };
}
