/** What agents are asked to accomplish, and what that may cost. */
import * as z from 'zod';
import { at, ids } from './sample.ts';
import {
  count,
  errorReport,
  get,
  idParams,
  post,
  slowMs,
  time,
  type Verb,
  wholeNumber,
} from './verb.ts';

export const budgetTexts = z
  .array(z.string().max(100))
  .max(5)
  .describe('As tokens=50000, cost=0.50, wall=10m, tool_calls=20, children=2');

export const reason = z.optional(z.string().max(1000));

export const priority = z.int().min(0).max(9).describe('0 comes first');

const operationState = z
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

export const goalSummary = z
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

export const summaryExample = {
  id: ids.goal,
  agent: 'jean',
  owner: 'owner',
  parent: null,
  goal: 'Count the orders of July',
  because: 'it was named',
  state: 'completed',
  waits_for: null,
  priority: 5,
  due_at: at('12:00:00'),
  deadline_at: null,
  created_at: at('12:00:00'),
  started_at: at('12:00:01'),
  ended_at: at('12:00:09'),
  steps: 4,
  error: null,
} as const;

export const budgetExample = {
  tokens: { limit: 10_000, used: 5210, held: 0 },
  cost: { limit: 500_000, used: 18_300, held: 0 },
  wall: { limit: null, used: 8000, held: 0 },
  tool_calls: { limit: 20, used: 2, held: 0 },
  children: { limit: 0, used: 0, held: 0 },
};

export const goalVerbs = {
  submitGoal: {
    ...post,
    path: '/api/v1/goals',
    timeoutMs: slowMs,
    summary: 'Submit a goal; it is queued, and taken by an agent',
    mayBeMissing: true,
    who: 'owner',
    ownKey: true,
    input: z.strictObject({
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
    output: z.object({ agent: z.string(), operation: z.string(), because: z.string() }),
    examples: {
      input: {
        goal: 'Count the orders of July',
        agent: 'jean',
        priority: 5,
        budget: ['cost=0.50'],
      },
      output: { agent: 'jean', operation: ids.goal, because: 'it was named' },
    },
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
    output: z.object({ items: z.array(goalSummary), next: z.nullable(z.string()) }),
    examples: { output: { items: [summaryExample], next: null } },
  },
  goal: {
    ...get,
    path: '/api/v1/goals/{id}',
    summary: 'One goal, whole; its id may be cut short where that is clear',
    mayBeGone: true,
    who: 'owner',
    params: idParams,
    output: goal,
    examples: {
      output: {
        ...summaryExample,
        result: '42',
        trust: 'data',
        model: 'anthropic:claude-sonnet-4-5',
        scripted: false,
        budget: budgetExample,
        children: [],
      },
    },
  },
  steps: {
    ...get,
    path: '/api/v1/goals/{id}/steps',
    summary: 'The journal of a goal',
    mayBeGone: true,
    who: 'owner',
    params: idParams,
    query: z.strictObject({ after: z.optional(wholeNumber), limit: z.optional(wholeNumber) }),
    output: z.object({ items: z.array(step), next: z.nullable(count) }),
    examples: {
      output: {
        items: [
          {
            seq: 1,
            at: at('12:00:01'),
            kind: 'goal',
            step: { kind: 'goal', text: 'Count the orders of July' },
          },
        ],
        next: null,
      },
    },
  },
  followGoal: {
    ...get,
    path: '/api/v1/goals/{id}/follow',
    summary:
      'Server-sent events while it is worked on: "step" (with its number as the id, resumable by Last-Event-ID), "delta" (words as they come), "output" (what a tool shows while it runs), "dropped" (from here on, not all of that) and "state"; ends when the goal is over',
    who: 'owner',
    params: idParams,
    output: z.string(),
    contentType: 'text/event-stream',
  },
  prioritizeGoal: {
    ...post,
    path: '/api/v1/goals/{id}/priority',
    summary: 'Change what comes first',
    who: 'owner',
    params: idParams,
    input: z.strictObject({ priority }),
    output: goalSummary,
    examples: {
      input: { priority: 1 },
      output: {
        ...summaryExample,
        state: 'queued',
        priority: 1,
        started_at: null,
        ended_at: null,
        steps: 0,
      },
    },
  },
  cancelGoal: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/goals/{id}/cancel',
    timeoutMs: slowMs,
    summary: 'Take a goal back, with all that was submitted for it',
    who: 'owner',
    params: idParams,
    input: z.strictObject({ reason }),
    output: goalSummary,
    examples: {
      input: { reason: 'Not needed' },
      output: { ...summaryExample, state: 'cancelled' },
    },
  },
  retryGoal: {
    ...post,
    path: '/api/v1/goals/{id}/retry',
    summary: 'Fork a goal at a step of its journal: a new one that goes on from there',
    who: 'owner',
    params: idParams,
    input: z.strictObject({ from: z.optional(count).describe('The last step that is kept') }),
    status: 201,
    output: z.object({ agent: z.string(), operation: z.string(), from: count }),
    examples: { input: { from: 2 }, output: { agent: 'jean', operation: ids.part, from: 2 } },
  },
} as const satisfies Record<string, Verb>;
