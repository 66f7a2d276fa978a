import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { early } from '../../kernel/turns.ts';
import {
  type AgentRow,
  findAgent,
  findListedAgent,
  hasBeats,
  type ListedAgent,
  listAgents,
  setBeats,
} from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { registerAgent, renewHandle, unknownAgent } from '../../security/register.ts';
import type { Answer, WireAgent } from '../contract/contract.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import { idempotencyKey } from '../server/idempotency.ts';
import { pageLimit } from '../streams/event-query.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { agentAsItIs, agentDetails } from './views/agent-details.ts';
import { timeOrNull } from './views/event-wire.ts';
import { nextPlace } from './views/rows.ts';
import { runtimeOf } from './views/runtime-of.ts';
import { spawnOrder } from './views/spawn-order.ts';

export function agentRoutes(
  deps: RouteDeps,
): Handles<'register' | 'renewHandle' | 'agents' | 'agent'> {
  const sql = deps.ledger.committed;
  return {
    register: async ({ caller, body }) => {
      const registered = await registerAgent(deps, deps.home, {
        name: body.name,
        actor: caller.id,
        handleMs: body.expires_ms,
      });
      await openDoor(deps, registered.name);
      return registered;
    },
    renewHandle: async ({ caller, params: { name }, body }) => {
      const handleMs = body?.expires_ms;
      const renewed = await renewHandle(deps, { name, actor: caller.id, handleMs });
      // A guest that made its own folder had no handle until now, and so no socket.
      await openDoor(deps, name);
      return renewed;
    },
    agents: async ({ caller, query }) => {
      const limit = pageLimit(query.limit);
      const rows = await visibleAgents(sql, caller, { after: query.after, limit: limit + 1 });
      const page = rows.slice(0, limit).map((row) => agentAsItIs(deps, row));
      const items = (await Promise.all(page)).map(wireAgent);
      return {
        items,
        next: nextPlace(items, { hasMore: rows.length > limit }, (item) => item.name),
      };
    },
    agent: async ({ caller, params: { name } }) => {
      const isVisible = caller.kind === 'owner' || caller.name === name;
      const row = isVisible ? await findListedAgent(sql, name) : undefined;
      if (row === undefined) throw unknownAgent(name);
      return wireAgent(await agentAsItIs(deps, row));
    },
  };
}

/** The agent is registered and its handle is shown only now: it must be, also without a door. */
async function openDoor(deps: RouteDeps, name: string): Promise<void> {
  const path = deps.agentSocket(name);
  if (path === undefined) return;
  try {
    await deps.openAgentDoor(name, path);
  } catch (error) {
    deps.log.error({ err: error, agent: name }, 'the socket of a new agent cannot be opened');
  }
}

async function visibleAgents(
  sql: Sql,
  caller: HomeCaller,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ListedAgent[]> {
  if (caller.kind === 'owner') return listAgents(sql, page);
  const own = await findListedAgent(sql, caller.name);
  return own === undefined || own.name <= (page.after ?? '') ? [] : [own];
}

function wireAgent(row: ListedAgent): WireAgent {
  const { name, address, status, state, body, parent, reason, health, pid } = row;
  return {
    ...{ name, address: address ?? '', status, state, body },
    registered_at: timeText(row.registered_at),
    last_seen_at: timeOrNull(row.last_seen_at),
    state_at: timeOrNull(row.state_at),
    ...{ parent, reason, health, pid, model: row.model, sandbox: row.sandbox },
    ...{ tokens: row.tokens, cost: row.cost },
  };
}

// Agents that live: made, stopped for a while, let go on, ended.

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
  // What is wrong with it is told to the caller, and not to the log of its first turn.
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
