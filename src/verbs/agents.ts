/** Agents: who they are, what they run as, and their lives. */
import * as z from 'zod';
import {
  budget,
  budgetExample,
  budgetTexts,
  goalSummary,
  priority,
  reason,
  summaryExample,
} from './goals.ts';
import { addresses, at, ids } from './sample.ts';
import { agentParams, count, get, post, slowMs, time, type Verb, wholeNumber } from './verb.ts';

const handleMs = z
  .optional(
    z
      .int()
      .min(1000)
      .max(366 * 24 * 3_600_000),
  )
  .describe('How long the handle is good; over TCP one without an end is not');

const capabilities = z.array(z.string().max(2000)).max(100);

const restart = z.enum(['never', 'on-failure', 'always']);

/** What is told of an agent wherever one is told of. */
const agentFields = {
  name: z.string(),
  address: z.string(),
  status: z.enum(['active', 'inactive', 'terminated']),
  state: z.enum(['pending', 'running', 'paused', 'completed', 'failed', 'terminated']),
  body: z.enum(['model', 'command', 'guest']),
  registered_at: time,
  last_seen_at: z.nullable(time),
  parent: z.nullable(z.string()),
  state_at: z.nullable(time),
  reason: z.nullable(z.string()).describe('Why it is in its state'),
  health: z.nullable(z.literal('frozen')),
  pid: z.nullable(z.int()),
  model: z.nullable(z.string()),
  sandbox: z
    .nullable(z.enum(['on', 'off']))
    .describe('Whether the wall is around its program; null for one that is no program here'),
};

const agent = z
  .object({
    ...agentFields,
    tokens: count.describe('Used so far'),
    cost: count.describe('Used so far, in millionths of a dollar'),
  })
  .meta({ id: 'Agent' });

const agentDetails = z
  .object({
    ...agentFields,
    spawned_by: z.nullable(z.string()),
    scripted: z.boolean(),
    argv: z.nullable(z.array(z.string())),
    cwd: z.nullable(z.string()),
    sandbox_rung: z
      .nullable(z.enum(['control groups', 'rlimits']))
      .describe('What holds it to its limits; null where no wall is, or none works'),
    sees: z.array(z.string()).describe('Folders of the host that its program sees'),
    writable: z.boolean().describe('Its program may write to its folder, cwd'),
    uid: z.nullable(z.int()).describe('The user that its programs run as, under a daemon of root'),
    network: z.boolean().describe('It holds a grant for http'),
    restart: z.nullable(restart),
    restarts: z.array(time),
    budget: z.nullable(budget),
    lease: z.nullable(z.object({ owner: z.string(), token: count, renewals: count })),
    children: z.array(z.string()),
    operations: z.array(goalSummary).describe('The open ones, then the latest that are over'),
    log_path: z.nullable(z.string()),
    log_tail: z.nullable(z.string()).describe('The last words of its program; data'),
  })
  .meta({ id: 'AgentDetails' });

const settled = z
  .object({ name: z.string(), state: agentDetails.shape.state })
  .meta({ id: 'SettledAgent' });

const jeanExample = {
  name: 'jean',
  address: addresses.jean,
  status: 'active',
  state: 'running',
  body: 'model',
  registered_at: at('12:00:00'),
  last_seen_at: at('12:01:00'),
  parent: null,
  state_at: at('12:00:01'),
  reason: null,
  health: null,
  pid: null,
  model: 'anthropic:claude-sonnet-4-5',
  sandbox: null,
  tokens: 5210,
  cost: 18_300,
} as const;

const handleExample = 'aos_Qm9va3MgYXJlIGEgdW5pcXVlbHkgcG9ydGFibGUgbWE';

const settledExample = { name: 'jean', state: 'running' } as const;

export const agentVerbs = {
  register: {
    ...post,
    path: '/api/v1/agents',
    summary: 'Register an agent; its handle is shown this once',
    who: 'owner',
    // Which names there may be is said in better words by who checks them.
    input: z.strictObject({ name: z.string(), expires_ms: handleMs }),
    status: 201,
    secretAnswer: true,
    output: z.object({
      name: z.string(),
      address: z.string(),
      handle: z.string(),
      folder: z.string(),
    }),
    examples: {
      input: { name: 'jean', expires_ms: 86_400_000 },
      output: {
        name: 'jean',
        address: addresses.jean,
        handle: handleExample,
        folder: '/home/ada/.agent-relay/agents/jean',
      },
    },
  },
  renewHandle: {
    ...post,
    path: '/api/v1/agents/{name}/handle',
    summary: 'Give an agent a new handle, shown this once; the old one is refused from then on',
    who: 'owner',
    params: agentParams,
    input: z.strictObject({ expires_ms: handleMs }),
    output: z.object({ name: z.string(), handle: z.string() }),
    secretAnswer: true,
    examples: {
      input: { expires_ms: 86_400_000 },
      output: { name: 'jean', handle: handleExample },
    },
  },
  agents: {
    ...get,
    path: '/api/v1/agents',
    summary: 'The agents by name; an agent sees itself',
    who: 'any',
    query: z.strictObject({
      after: z.optional(z.string().max(200).describe('Only names behind this one')),
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    output: z.object({ items: z.array(agent), next: z.nullable(z.string()) }),
    examples: { output: { items: [jeanExample], next: null } },
  },
  agent: {
    ...get,
    path: '/api/v1/agents/{name}',
    summary: 'One agent; an agent finds only itself',
    who: 'any',
    params: agentParams,
    output: agent,
    examples: { output: jeanExample },
  },
  spawn: {
    ...post,
    path: '/api/v1/agents/{name}/spawn',
    timeoutMs: slowMs,
    summary: 'Make an agent that lives here: on a model, or as a program',
    who: 'owner',
    ownKey: true,
    params: agentParams,
    input: z.strictObject({
      model: z.optional(z.string().max(300)).describe('As anthropic:NAME, or scripted:FILE'),
      cli: z
        .optional(z.array(z.string().max(100_000)).min(1).max(1000))
        .describe('A program and its arguments'),
      goal: z.optional(
        z
          .string()
          .min(1)
          .max(256 * 1024),
      ),
      instructions: z.optional(z.string().max(256 * 1024)),
      tools: z.optional(z.array(z.string().max(100)).max(200)),
      cwd: z.optional(z.string().max(4096)),
      env: z.optional(z.record(z.string().max(255), z.string().max(100_000))),
      unsandboxed: z
        .optional(z.literal(true))
        .describe('No wall around its program: it can do all that the daemon can'),
      sees: z
        .optional(z.array(z.string().max(4096)).max(100))
        .describe('Folders of the host that its program sees, read-only'),
      writable: z.optional(z.literal(true)).describe('Its program may write to its folder, cwd'),
      grants: z.optional(capabilities),
      asking_grants: z.optional(capabilities).describe('A human approves every use of these'),
      budget: z.optional(budgetTexts),
      restart: z.optional(restart),
      parent: z.optional(z.string().max(200)),
      standing: z.optional(z.boolean()).describe('It works on messages that come for it'),
      max_output_tokens: z.optional(z.int().min(1).max(1_000_000)),
      priority: z.optional(priority),
    }),
    status: 201,
    output: z.object({
      agent: z.string(),
      operation: z.nullable(z.string()),
      pid: z.nullable(z.int()),
      waiting: z.boolean().describe('As many programs run as may at once; it starts after others'),
    }),
    examples: {
      input: {
        model: 'anthropic:claude-sonnet-4-5',
        goal: 'Count the orders of July',
        grants: ['file:/srv/reports/*:read'],
        budget: ['tokens=10000', 'cost=0.50'],
        restart: 'never',
      },
      output: { agent: 'jean', operation: ids.goal, pid: null, waiting: false },
    },
  },
  agentDetails: {
    ...get,
    path: '/api/v1/agents/{name}/details',
    summary: 'All that is known of an agent; an agent finds itself and those it has spawned',
    who: 'any',
    params: agentParams,
    output: agentDetails,
    examples: {
      output: {
        name: 'jean',
        address: addresses.jean,
        status: 'active',
        state: 'completed',
        body: 'model',
        registered_at: at('12:00:00'),
        last_seen_at: at('12:00:09'),
        state_at: at('12:00:09'),
        reason: null,
        health: null,
        parent: null,
        spawned_by: 'owner',
        pid: null,
        model: 'anthropic:claude-sonnet-4-5',
        scripted: false,
        argv: null,
        cwd: null,
        sandbox: null,
        sandbox_rung: null,
        sees: [],
        writable: false,
        uid: null,
        network: false,
        restart: 'never',
        restarts: [],
        budget: budgetExample,
        lease: null,
        children: [],
        operations: [summaryExample],
        log_path: null,
        log_tail: null,
      },
    },
  },
  pauseAgent: {
    ...post,
    path: '/api/v1/agents/{name}/pause',
    timeoutMs: slowMs,
    summary: 'Let it stop: a model agent after its step, a program where it is',
    who: 'owner',
    params: agentParams,
    input: z.strictObject({ reason }),
    output: settled,
    examples: { input: { reason: 'Lunch' }, output: { name: 'jean', state: 'paused' } },
  },
  resumeAgent: {
    ...post,
    path: '/api/v1/agents/{name}/resume',
    timeoutMs: slowMs,
    summary: 'Let it go on',
    who: 'owner',
    params: agentParams,
    input: z.strictObject({}),
    output: settled,
    examples: { output: settledExample },
  },
  killAgent: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/agents/{name}/kill',
    timeoutMs: slowMs,
    summary: 'End it, with all that it does and all agents that it has spawned',
    who: 'owner',
    params: agentParams,
    input: z.strictObject({ reason }),
    output: settled,
    examples: { input: { reason: 'Done' }, output: { name: 'jean', state: 'terminated' } },
  },
  heartbeat: {
    ...post,
    path: '/api/v1/agents/{name}/heartbeat',
    summary: 'A guest says that it is there; from then on its silence means that it is not',
    who: 'any',
    params: agentParams,
    input: z.strictObject({}),
    output: settled,
    examples: { output: settledExample },
  },
} as const satisfies Record<string, Verb>;
