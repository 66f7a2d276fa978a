import { timeText } from '../../kernel/text/time-text.ts';
import { findListedAgent, type ListedAgent, listAgents } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { registerAgent, renewHandle, unknownAgent } from '../../security/register.ts';
import type { WireAgent } from '../contract/contract.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import { pageLimit } from '../streams/event-query.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { agentAsItIs } from './views/agent-as-it-is.ts';
import { timeOrNull } from './views/wire.ts';

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
      return { items, next: rows.length > limit ? (items.at(-1)?.name ?? null) : null };
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
