import { addresses, at, type Examples, ids } from './example.ts';

const summary = {
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

const budget = {
  tokens: { limit: 10_000, used: 5210, held: 0 },
  cost: { limit: 500_000, used: 18_300, held: 0 },
  wall: { limit: null, used: 8000, held: 0 },
  tool_calls: { limit: 20, used: 2, held: 0 },
  children: { limit: 0, used: 0, held: 0 },
};

const settled = { name: 'jean', state: 'running' } as const;

export const goalExamples = {
  spawn: {
    body: {
      model: 'anthropic:claude-sonnet-4-5',
      goal: 'Count the orders of July',
      grants: ['file:/srv/reports/*:read'],
      budget: ['tokens=10000', 'cost=0.50'],
      restart: 'never',
    },
    answer: { agent: 'jean', operation: ids.goal, pid: null, waiting: false },
  },
  agentDetails: {
    answer: {
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
      budget,
      lease: null,
      children: [],
      operations: [summary],
      log_path: null,
      log_tail: null,
    },
  },
  pauseAgent: { body: { reason: 'Lunch' }, answer: { name: 'jean', state: 'paused' } },
  resumeAgent: { answer: settled },
  killAgent: { body: { reason: 'Done' }, answer: { name: 'jean', state: 'terminated' } },
  heartbeat: { answer: settled },
  submitGoal: {
    body: { goal: 'Count the orders of July', agent: 'jean', priority: 5, budget: ['cost=0.50'] },
    answer: { agent: 'jean', operation: ids.goal, because: 'it was named' },
  },
  goals: { answer: { items: [summary], next: null } },
  goal: {
    answer: {
      ...summary,
      result: '42',
      trust: 'data',
      model: 'anthropic:claude-sonnet-4-5',
      scripted: false,
      budget,
      children: [],
    },
  },
  steps: {
    answer: {
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
  prioritizeGoal: {
    body: { priority: 1 },
    answer: {
      ...summary,
      state: 'queued',
      priority: 1,
      started_at: null,
      ended_at: null,
      steps: 0,
    },
  },
  cancelGoal: { body: { reason: 'Not needed' }, answer: { ...summary, state: 'cancelled' } },
  retryGoal: { body: { from: 2 }, answer: { agent: 'jean', operation: ids.part, from: 2 } },
} satisfies Examples;
