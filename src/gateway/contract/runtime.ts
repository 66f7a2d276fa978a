/** The part of the contract that is about agents that live, goals, and what they may cost. */
import * as z from 'zod';
import { idParams } from './grants.ts';
import {
  agentParams,
  count,
  errorReport,
  get,
  post,
  type Route,
  time,
  wholeNumber,
} from './route.ts';

const capabilities = z.array(z.string().max(2000)).max(100);
const budgetTexts = z
  .array(z.string().max(100))
  .max(5)
  .describe('As tokens=50000, cost=0.50, wall=10m, tool_calls=20, children=2');
const reason = z.optional(z.string().max(1000));
const priority = z.int().min(0).max(9).describe('0 comes first');
const restart = z.enum(['never', 'on-failure', 'always']);

export const operationState = z
  .enum([
    ...(['queued', 'running', 'waiting', 'paused'] as const),
    ...(['completed', 'failed', 'cancelled'] as const),
  ])
  .meta({ id: 'GoalState' });

const account = z
  .object({
    limit: z.nullable(count),
    used: count,
    held: count.describe('Kept for what is under way'),
  })
  .meta({ id: 'Account' });

export const budget = z
  .object({
    tokens: account,
    cost: account.describe('In millionths of a dollar'),
    wall: account.describe('In milliseconds'),
    tool_calls: account,
    children: account,
  })
  .meta({ id: 'Budget' });

const goalSummary = z
  .object({
    id: z.string(),
    agent: z.string(),
    owner: z.string(),
    parent: z.nullable(z.string()).describe('The operation that it is a part of'),
    goal: z.string().describe('In lists, its beginning'),
    because: z.string().describe('Which agent takes it, and why'),
    state: operationState,
    waits_for: z.nullable(z.string()).describe('"mail", or the id of a call as call:ID'),
    priority,
    due_at: time,
    deadline_at: z.nullable(time),
    created_at: time,
    started_at: z.nullable(time),
    ended_at: z.nullable(time),
    steps: count,
    error: z.nullable(errorReport),
  })
  .meta({ id: 'GoalSummary' });

const goal = goalSummary
  .extend({
    result: z.nullable(z.string()).describe('What the agent answered; data, whatever it says'),
    trust: z.literal('data'),
    model: z.nullable(z.string()),
    scripted: z.boolean().describe('It follows a script, and is no intelligence'),
    budget: z.nullable(budget),
    children: z.array(z.object({ id: z.string(), agent: z.string(), state: operationState })),
  })
  .meta({ id: 'Goal' });

/** A step of the journal, in our own shape: docs/runtime.md. */
const step = z
  .object({
    seq: count,
    at: time,
    kind: z.string(),
    step: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Step' });

/** What is told of an agent wherever one is told of. */
export const agentFields = {
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

export const runtimeRoutes = {
  spawn: {
    ...post,
    path: '/api/v1/agents/{name}/spawn',
    summary: 'Make an agent that lives here: on a model, or as a program',
    who: 'owner',
    ownKey: true,
    params: agentParams,
    body: z.strictObject({
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
    answer: z.object({
      agent: z.string(),
      operation: z.nullable(z.string()),
      pid: z.nullable(z.int()),
      waiting: z.boolean().describe('As many programs run as may at once; it starts after others'),
    }),
  },
  agentDetails: {
    ...get,
    path: '/api/v1/agents/{name}/details',
    summary: 'All that is known of an agent; an agent finds itself and those it has spawned',
    who: 'any',
    params: agentParams,
    answer: agentDetails,
  },
  pauseAgent: {
    ...post,
    path: '/api/v1/agents/{name}/pause',
    summary: 'Let it stop: a model agent after its step, a program where it is',
    who: 'owner',
    params: agentParams,
    body: z.strictObject({ reason }),
    answer: settled,
  },
  resumeAgent: {
    ...post,
    path: '/api/v1/agents/{name}/resume',
    summary: 'Let it go on',
    who: 'owner',
    params: agentParams,
    body: z.strictObject({}),
    answer: settled,
  },
  killAgent: {
    ...post,
    path: '/api/v1/agents/{name}/kill',
    summary: 'End it, with all that it does and all agents that it has spawned',
    who: 'owner',
    params: agentParams,
    body: z.strictObject({ reason }),
    answer: settled,
  },
  heartbeat: {
    ...post,
    path: '/api/v1/agents/{name}/heartbeat',
    summary: 'A guest says that it is there; from then on its silence means that it is not',
    who: 'any',
    params: agentParams,
    body: z.strictObject({}),
    answer: settled,
  },
  submitGoal: {
    ...post,
    path: '/api/v1/goals',
    summary: 'Submit a goal; it is queued, and taken by an agent',
    who: 'owner',
    ownKey: true,
    body: z.strictObject({
      goal: z
        .string()
        .min(1)
        .max(256 * 1024),
      agent: z.optional(z.string().max(200)).describe('An agent, or a template to make one from'),
      model: z.optional(z.string().max(300)),
      priority: z.optional(priority),
      delay_ms: z.optional(count),
      deadline_ms: z.optional(count),
      budget: z.optional(budgetTexts),
    }),
    status: 201,
    answer: z.object({ agent: z.string(), operation: z.string(), because: z.string() }),
  },
  goals: {
    ...get,
    path: '/api/v1/goals',
    summary: 'Goals and what became of them, the newest first; with state=queued in their order',
    who: 'owner',
    query: z.strictObject({
      state: z.optional(operationState),
      open: z.optional(z.enum(['true'])).describe('Only those that are not over'),
      agent: z.optional(z.string().max(200)),
      before: z.optional(z.string().max(100)),
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    answer: z.object({ items: z.array(goalSummary), next: z.nullable(z.string()) }),
  },
  goal: {
    ...get,
    path: '/api/v1/goals/{id}',
    summary: 'One goal, whole; its id may be cut short where that is clear',
    who: 'owner',
    params: idParams,
    answer: goal,
  },
  steps: {
    ...get,
    path: '/api/v1/goals/{id}/steps',
    summary: 'The journal of a goal',
    who: 'owner',
    params: idParams,
    query: z.strictObject({ after: z.optional(wholeNumber), limit: z.optional(wholeNumber) }),
    answer: z.object({ items: z.array(step), next: z.nullable(count) }),
  },
  followGoal: {
    ...get,
    path: '/api/v1/goals/{id}/follow',
    summary:
      'Server-sent events while it is worked on: "step" (with its number as the id, resumable by Last-Event-ID), "delta" (words as they come), "output" (what a tool shows while it runs), "dropped" (from here on, not all of that) and "state"; ends when the goal is over',
    who: 'owner',
    params: idParams,
    answer: z.string(),
    contentType: 'text/event-stream',
  },
  prioritizeGoal: {
    ...post,
    path: '/api/v1/goals/{id}/priority',
    summary: 'Change what comes first',
    who: 'owner',
    params: idParams,
    body: z.strictObject({ priority }),
    answer: goalSummary,
  },
  cancelGoal: {
    ...post,
    path: '/api/v1/goals/{id}/cancel',
    summary: 'Take a goal back, with all that was submitted for it',
    who: 'owner',
    params: idParams,
    body: z.strictObject({ reason }),
    answer: goalSummary,
  },
  retryGoal: {
    ...post,
    path: '/api/v1/goals/{id}/retry',
    summary: 'Fork a goal at a step of its journal: a new one that goes on from there',
    who: 'owner',
    params: idParams,
    body: z.strictObject({ from: z.optional(count).describe('The last step that is kept') }),
    status: 201,
    answer: z.object({ agent: z.string(), operation: z.string(), from: count }),
  },
} as const satisfies Record<string, Route>;
