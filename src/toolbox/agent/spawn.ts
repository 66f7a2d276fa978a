import * as z from 'zod';
import { type AgentSpec, readSpec } from '../../kernel/agent/agent.ts';
import { parseLimits } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import { operationOfKey } from '../../kernel/journal/step.ts';
import { agentInnards } from '../../ledger/agents.ts';
import { readBudget } from '../../ledger/operations/budgets.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { fileDeed } from '../file/file-deed.ts';
import type { AgentToolDeps, AgentToolRuntime } from './deps.ts';

const schema = z.strictObject({
  name: z.string().max(100).describe('Of the new agent; nobody else has it'),
  goal: z
    .string()
    .min(1)
    .max(64 * 1024)
    .describe('What it is to do'),
  instructions: z.optional(z.string().max(64 * 1024)).describe('What it is, and how it works'),
  model: z.optional(z.string().max(300)).describe('Yours where nothing is said'),
  tools: z
    .optional(z.array(z.string().max(100)).max(100))
    .describe('Names of tools, or areas as file.*; all where nothing is said'),
  grants: z
    .optional(z.array(z.string().max(2000)).max(100))
    .describe('Capabilities, each no wider than one of yours; none where nothing is said'),
  budget: z
    .optional(z.array(z.string().max(100)).max(5))
    .describe('Taken out of yours, as tokens=50000, cost=0.10, wall=5m, tool_calls=20, children=0'),
  max_output_tokens: z.optional(z.int().min(1).max(1_000_000)),
  priority: z.optional(z.int().min(0).max(9)),
});

/** `agent.spawn` */
export function agentSpawn(deps: AgentToolDeps): Tool {
  return defineTool({
    name: 'agent.spawn',
    summary: 'Make a child agent with a goal; its result comes to you as a message',
    schema,
    effect: 'write',
    // The same call is the same agent.
    repeatable: true,
    deeds: ({ name }) => [{ resource: 'agent', action: 'spawn', name }],
    run: (args, call) => spawnChild(deps, args, call),
  });
}

async function spawnChild(
  deps: AgentToolDeps,
  args: z.infer<typeof schema>,
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

/** A script is a file: whoever has another one followed learns what is in it. */
async function permitScript({ home }: AgentToolDeps, model: string, call: ToolCall): Promise<void> {
  const path = /^scripted:(\/.*)$/s.exec(model)?.[1];
  if (path !== undefined) await call.permit(fileDeed(home, path, 'read'));
}

export function runtimeOf(deps: AgentToolDeps): AgentToolRuntime {
  const runtime = deps.runtime();
  if (runtime !== undefined) return runtime;
  throw new AosError('agent.not-there', {
    message: 'The daemon does not run, and without it no agent does',
    fix: 'aos up --detach',
  });
}

async function specFor(
  deps: AgentToolDeps,
  args: z.infer<typeof schema>,
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
