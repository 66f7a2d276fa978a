/** Goals: submitted, looked at, followed, put first, taken back, forked. */

import { parseLimits } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent } from '../../ledger/agents.ts';
import {
  findOperation,
  listOperations,
  type OperationRow,
  openStates,
  queueInOrder,
} from '../../ledger/operations/operations.ts';
import { readSteps } from '../../ledger/operations/steps.ts';
import { forkOperation } from '../../runtime/fork.ts';
import { mustFindOperation } from '../../runtime/submit.ts';
import type { Answer, WireGoalSummary } from '../contract/contract.ts';
import { untilHangUp } from '../server/connections.ts';
import { idempotencyKey } from '../server/idempotency.ts';
import { badRequest } from '../server/problem.ts';
import { pageLimit, queryNumber } from '../streams/event-query.ts';
import { answerWithGoal } from '../streams/goal-stream.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { findGoal, wireGoal, wireStep, wireSummary } from './views/goal-wire.ts';
import { nextPlace } from './views/rows.ts';
import { goalAsItIs, noDaemon, runtimeOf } from './views/runtime-of.ts';

type GoalRoutes = 'submitGoal' | 'goals' | 'goal' | 'steps' | 'followGoal';

export function goalRoutes(
  deps: RouteDeps,
): Handles<GoalRoutes | 'prioritizeGoal' | 'cancelGoal' | 'retryGoal'> {
  const sql = deps.ledger.committed;
  return {
    submitGoal: (call) => submit(deps, call),
    goals: ({ query }) => (query.state === 'queued' ? queued(deps, query) : list(deps, query)),
    goal: async ({ params }) => wireGoal(sql, goalAsItIs(deps, await findGoal(sql, params.id))),
    steps: (call) => steps(deps, call),
    followGoal: (call) => follow(deps, call),
    prioritizeGoal: async ({ caller, params, body }) => {
      const { scheduler } = runtimeOf(deps);
      const { id } = await findGoal(sql, params.id);
      await scheduler.prioritize(id, body.priority, caller.id);
      return wireSummary(await mustFindOperation(sql, id));
    },
    cancelGoal: (call) => cancel(deps, call),
    retryGoal: async ({ caller, params, body }) => {
      const { scheduler } = runtimeOf(deps);
      const { id } = await findGoal(sql, params.id);
      const forked = await forkOperation(deps, id, { from: body.from, by: caller.id });
      scheduler.wake();
      return forked;
    },
  };
}

async function submit(
  deps: RouteDeps,
  { caller, body, request }: Call<'submitGoal'>,
): Promise<Answer<'submitGoal'>> {
  const sql = deps.ledger.committed;
  const { scheduler } = runtimeOf(deps);
  const { goal: text, agent, model, priority } = body;
  const named = agent === undefined ? undefined : await findAgent(sql, agent);
  if (named !== undefined && model !== undefined) throw hasModel(named.name);
  const { agentId, operationId } = await scheduler.submit({
    ...{ text, owner: caller.id, agent, model, priority },
    ...{ delayMs: body.delay_ms, deadlineMs: body.deadline_ms },
    budget: parseLimits(body.budget ?? []),
    key: idempotencyKey(request.headers),
  });
  const { because } = await mustFindOperation(sql, operationId);
  return { agent: agentId, operation: operationId, because };
}

function hasModel(name: string): AosError {
  return new AosError('operation.bad-goal', {
    message: `Agent ${quote(name)} is there already and has its model, so the goal cannot name one`,
    fix: 'Leave the model out, or the agent',
  });
}

type GoalsQuery = Call<'goals'>['query'];

async function list(deps: RouteDeps, query: GoalsQuery): Promise<Answer<'goals'>> {
  const { state, open, agent, before } = query;
  const limit = pageLimit(query.limit);
  const states = state !== undefined ? [state] : open === 'true' ? openStates : undefined;
  const page = { states, agent, before, limit: limit + 1 };
  return pageOf(deps, await listOperations(deps.ledger.committed, page), limit);
}

/** In the order in which they come; behind `before` in that order, if it is queued still. */
async function queued(deps: RouteDeps, query: GoalsQuery): Promise<Answer<'goals'>> {
  const { agent, before } = query;
  const rows = await queueOf(deps);
  const place = rows.findIndex(({ id }) => id === before);
  if (before !== undefined && place < 0) {
    throw badRequest(`"before" in the query is ${quote(before)}, which is queued no more`);
  }
  const left = rows.slice(place + 1).filter((row) => agent === undefined || row.agent === agent);
  return pageOf(deps, left, pageLimit(query.limit));
}

const mostQueued = 1000;

function queueOf({ runtime, ledger, clock }: RouteDeps): Promise<OperationRow[]> {
  if (runtime !== undefined) return runtime.scheduler.getQueue();
  // Without a daemon nothing comes to be first by waiting.
  const page = { now: clock.now(), ageingMs: Number.MAX_SAFE_INTEGER, limit: mostQueued };
  return queueInOrder(ledger.committed, page);
}

function pageOf(deps: RouteDeps, rows: readonly OperationRow[], limit: number): Answer<'goals'> {
  const items = rows.slice(0, limit).map((row) => wireSummary(goalAsItIs(deps, row)));
  return { items, next: nextPlace(items, { hasMore: rows.length > limit }, (item) => item.id) };
}

async function steps(
  { ledger }: RouteDeps,
  { params, query }: Call<'steps'>,
): Promise<Answer<'steps'>> {
  const sql = ledger.committed;
  const row = await findGoal(sql, params.id);
  const after = queryNumber(query.after) ?? 0;
  const upTo = after + pageLimit(query.limit);
  const items = (await readSteps(sql, row.id, { after, upTo })).map(wireStep);
  return { items, next: upTo < row.steps ? upTo : null };
}

async function follow(
  deps: RouteDeps,
  call: Call<'followGoal'>,
): Promise<Call<'followGoal'>['reply']> {
  const { caller, params, request, reply } = call;
  const sql = deps.ledger.committed;
  const { after = 0, stillAdmitted } = deps.readerOf({ caller, query: {}, request });
  const { id, steps, ended_at } = await findGoal(sql, params.id);
  if (deps.runtime === undefined && ended_at === null) throw noDaemon();
  if (after > steps) throw badRequest(`"Last-Event-ID" is ${after}, and there are ${steps} steps`);
  // What cannot be read is found here, while it can still be answered.
  await readSteps(sql, id, { after, upTo: after + 1 });
  reply.hijack();
  const headers = { ...deps.commonHeaders, 'x-request-id': request.id };
  const reader = { id, after, stillAdmitted };
  deps.track(answerWithGoal(deps, reader, { response: reply.raw, headers }));
  return reply;
}

const cancelling = { longestMs: 5000, lookMs: 50 };

/** What runs is ended by its agent, mostly at once: that is waited for a little. */
async function cancel(
  deps: RouteDeps,
  { caller, params, body, reply }: Call<'cancelGoal'>,
): Promise<WireGoalSummary> {
  const { clock, ledger, feeds } = deps;
  const sql = ledger.committed;
  const { scheduler } = runtimeOf(deps);
  const { id } = await findGoal(sql, params.id);
  await scheduler.cancel(id, { by: caller.id, reason: body.reason });
  const signal = untilHangUp(reply, feeds.closing);
  const deadline = clock.monotonicMs() + cancelling.longestMs;
  while ((await findOperation(sql, id))?.ended_at === null && clock.monotonicMs() < deadline) {
    await clock.sleep(cancelling.lookMs, signal);
  }
  return wireSummary(await mustFindOperation(sql, id));
}
