/** Agents that live: made, stopped for a while, let go on, ended. */

import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import { type AgentRow, findAgent, hasBeats, setBeats } from '../../ledger/agents.ts';
import { unknownAgent } from '../../security/register.ts';
import type { Answer } from '../contract/contract.ts';
import { idempotencyKey } from '../server/idempotency-key.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { agentDetails } from './views/agent-details.ts';
import { runtimeOf } from './views/runtime-of.ts';
import { spawnOrder } from './views/spawn-order.ts';

type LifeRoutes = 'spawn' | 'agentDetails' | 'pauseAgent' | 'resumeAgent' | 'killAgent';

export function lifeRoutes(deps: RouteDeps): Handles<LifeRoutes | 'heartbeat'> {
  return {
    spawn: (call) => spawn(deps, call),
    agentDetails: ({ caller, params }) => agentDetails(deps, caller, params.name),
    pauseAgent: (call) => pause(deps, call),
    resumeAgent: async ({ caller, params: { name } }) => {
      await runtimeOf(deps).resume(name, { by: caller.id });
      return stateOf(deps, name);
    },
    killAgent: async ({ caller, params: { name }, body }) => {
      await runtimeOf(deps).terminate(name, { by: caller.id, reason: body.reason });
      return stateOf(deps, name);
    },
    heartbeat: (call) => heartbeat(deps, call),
  };
}

async function spawn(
  deps: RouteDeps,
  { caller, params: { name }, body, request }: Call<'spawn'>,
): Promise<Answer<'spawn'>> {
  const runtime = runtimeOf(deps);
  const key = idempotencyKey(request.headers);
  const spawnKey = key === undefined ? undefined : `http:${key}`;
  const order = { ...spawnOrder(name, caller.id, body), spawnKey };
  if (order.parent !== undefined) await mustFind(deps, order.parent);
  // What is wrong with it is told to whoever asks, and not to the log of its first turn.
  if (order.spec.body === 'model') await deps.models?.open(order.spec.model);
  const { agentId, operationId, pid, isWaiting = false } = await runtime.spawn(order);
  const operation = operationId ?? null;
  return { agent: agentId, operation, pid: pid ?? null, waiting: isWaiting };
}

const longestPauseMs = 10_000;

/** A model agent may be in a long step: then it stops after that, and this answers before. */
async function pause(
  deps: RouteDeps,
  { caller, params: { name }, body }: Call<'pauseAgent'>,
): Promise<Answer<'pauseAgent'>> {
  const { clock, log } = deps;
  const paused = runtimeOf(deps).pause(name, { by: caller.id, reason: body.reason });
  const inTime = new AbortController();
  const late = clock.sleep(longestPauseMs, inTime.signal).then(
    () => 'late',
    // It was paused in time.
    () => 'in time',
  );
  try {
    if ((await Promise.race([paused, late])) === 'late') {
      paused.catch((failure: unknown) => {
        log.warn({ err: failure, agent: name }, 'an agent that was to be paused was not');
      });
    }
  } finally {
    inTime.abort(early);
  }
  return stateOf(deps, name);
}

/** Of itself, or by the owner for it. */
async function heartbeat(
  deps: RouteDeps,
  { caller, params: { name } }: Call<'heartbeat'>,
): Promise<Answer<'heartbeat'>> {
  runtimeOf(deps);
  if (caller.kind === 'agent' && caller.name !== name) throw unknownAgent(name);
  const agent = await mustFind(deps, name);
  if (agent.body !== 'guest') throw needsNone(agent);
  if (agent.status === 'terminated' || agent.state === 'terminated') throw isTerminated(name);
  const { ledger, relay } = deps;
  if (!(await hasBeats(ledger.committed, name))) {
    await ledger.transact((tx) => setBeats(tx, name));
  }
  relay.heardFrom(name);
  return { name, state: agent.state };
}

function needsNone({ name, body, state }: AgentRow): AosError {
  return new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)} is a ${body} agent, of which it is known whether it is there`,
    fix: 'Send heartbeats only for guests',
    details: { body, state },
  });
}

function isTerminated(name: string): AosError {
  return new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)} was terminated, and is not there any more`,
    fix: `aos register ${name} makes it anew`,
    details: { state: 'terminated' },
  });
}

async function stateOf(deps: RouteDeps, name: string): Promise<Answer<'killAgent'>> {
  return { name, state: (await mustFind(deps, name)).state };
}

async function mustFind({ ledger }: RouteDeps, name: string): Promise<AgentRow> {
  const agent = await findAgent(ledger.committed, name);
  if (agent === undefined) throw unknownAgent(name);
  return agent;
}
