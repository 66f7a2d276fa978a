import { granteeOf } from '../../kernel/agent/operation.ts';
import { pathAction, printAction } from '../../kernel/capability/action-text.ts';
import type { Action } from '../../kernel/capability/capability.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { Sql } from '../../ledger/ledger.ts';
import {
  findGrant,
  type GrantRow,
  grantIdsFrom,
  listGrants,
} from '../../ledger/security/grants.ts';
import { fetchAction, tunnelAction } from '../../security/egress/fetch-action.ts';
import { holderOf, unknownGrant } from '../../security/grants/capability-manager.ts';
import { checksummed } from '../../security/identity/key-pair.ts';
import { grantCommand } from '../../security/permit.ts';
import type { Answer, WireGrant } from '../contract/contract.ts';
import { type ActingLedger, actingAgent, type HomeCaller, whose } from '../server/authenticate.ts';
import { pageLimit } from '../streams/event-query.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { nameOf, timeOrNull } from './views/event-wire.ts';
import { findRow, nextPlace, pageBehind } from './views/rows.ts';

export function grantRoutes(
  deps: RouteDeps,
): Handles<'grant' | 'delegate' | 'revoke' | 'revokeCapability' | 'grants' | 'checkGrant'> {
  const { capabilities, ledger } = deps;
  const sql = ledger.committed;
  return {
    grant: async ({ caller, body: { agent, capability, ask } }) =>
      wireGrant(await capabilities.grant({ agent, capability, asks: ask }, caller.id)),
    delegate: async ({ caller, body: { to, capability, from, parent } }) => {
      const giver = await actingAgent(ledger, caller, from);
      const wanted = { agent: to, capability, from: giver };
      const above = parent && (await wholeId(sql, caller, parent));
      return wireGrant(await capabilities.delegate({ ...wanted, parent: above }, caller.id));
    },
    revoke: async ({ caller, params }) => {
      const id = await wholeId(sql, caller, params.id);
      const { grant, below } = await capabilities.revoke(id, caller.id);
      return { grant: wireGrant((await findGrant(sql, id)) ?? grant), below };
    },
    revokeCapability: async ({ caller, body }) => {
      const { revoked, below } = await capabilities.revokeCapability(body, caller.id);
      return { revoked: revoked.map(wireGrant), below };
    },
    grants: (call) => list(ledger, call),
    checkGrant: (call) => check(deps, call),
  };
}

/**
 * What the owner typed may be the beginning of an id. An agent, which would learn so of the
 * grants of others, has to know the whole.
 */
async function wholeId(sql: Sql, caller: HomeCaller, typed: string): Promise<string> {
  if (caller.kind === 'agent') return typed;
  const found = await findRow(
    {
      what: 'grants',
      find: (id) => findGrant(sql, id),
      idsFrom: (start, limit) => grantIdsFrom(sql, start, limit),
      idOf: ({ id }) => id,
      isVisible: () => true,
      unknown: unknownGrant,
    },
    typed,
  );
  return found.id;
}

async function list(
  ledger: ActingLedger,
  { caller, query }: Call<'grants'>,
): Promise<Answer<'grants'>> {
  const sql = ledger.committed;
  const limit = pageLimit(query.limit);
  const page = { after: query.after, all: query.all === 'true', limit: limit + 1 };
  const principal = await holding(ledger, caller, query.agent);
  const rows = await listGrants(sql, { ...page, principal });
  const items = rows.slice(0, limit).map(wireGrant);
  return { items, next: nextPlace(items, { hasMore: rows.length > limit }, (item) => item.id) };
}

/** The owner may also ask about an outsider, by the address. */
async function holding(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string | undefined> {
  const isOutsider = caller.kind === 'owner' && checksummed(named ?? '') !== undefined;
  return isOutsider ? holderOf(ledger.committed, named ?? '') : whose(ledger, caller, named);
}

async function check(
  { capabilities, ledger, realHome }: RouteDeps,
  { caller, body: { agent, action: actionName, resource } }: Call<'checkGrant'>,
): Promise<Answer<'checkGrant'>> {
  const sql = ledger.committed;
  const isOutsider = caller.kind === 'owner' && checksummed(agent ?? '') !== undefined;
  const name = isOutsider ? (agent ?? '') : await actingAgent(ledger, caller, agent);
  const action = actionOf(realHome, actionName, resource);
  const decision = await capabilities.explain(name, action);
  const canonical = printAction(action);
  const rowOf = async (id: string): Promise<WireGrant> => {
    const row = await findGrant(sql, id);
    if (row === undefined) throw unknownGrant(id);
    return wireGrant(row);
  };
  if (decision.kind === 'denied') {
    const { nearest } = decision;
    return {
      ...{ allowed: false, resource: canonical, asks: false, chain: [] },
      nearest:
        nearest === undefined ? null : { grant: await rowOf(nearest.grant), why: nearest.why },
      fix: grantCommand(isOutsider ? granteeOf(name) : `agent:${name}`, action) ?? null,
    };
  }
  const chain: WireGrant[] = [];
  for (const { id, principal } of decision.grant?.links ?? []) {
    // What others hold is none of an agent's business, also where its own rests on it.
    if (caller.kind === 'owner' || principal === caller.id) chain.push(await rowOf(id));
  }
  const asks = decision.grant?.asks ?? false;
  return { allowed: true, resource: canonical, asks, chain, nearest: null, fix: null };
}

function wireGrant(row: GrantRow): WireGrant {
  const { id, principal, capability, parent, granted_by, origin, asks, uses } = row;
  return {
    ...{ id, agent: nameOf(principal), capability, parent, granted_by, origin, uses },
    asks: asks === 1,
    created_at: timeText(row.created_at),
    revoked_at: timeOrNull(row.revoked_at),
  };
}

/** Write-only: what goes in comes out of none of them. */
export function secretRoutes({
  secrets,
}: RouteDeps): Handles<'setSecret' | 'secrets' | 'removeSecret'> {
  return {
    setSecret: async ({ caller, body }) => {
      const { replaced } = await secrets.set(body, caller.id);
      return { name: body.name, replaced };
    },
    secrets: async ({ query }) => {
      const items = (await secrets.list()).map(({ created_at, updated_at, ...info }) => ({
        ...info,
        created_at: timeText(created_at),
        updated_at: timeText(updated_at),
      }));
      return pageBehind(items, query, ({ name }) => name);
    },
    removeSecret: async ({ caller, params: { name } }) => {
      await secrets.remove(name, caller.id);
      return { name, removed: true };
    },
  };
}

// What a caller asks about, as an action: `read` and `file:/data/x`, `get` and a URL.

function actionOf(home: string, action: string, resource: string): Action {
  if (/^https?:\/\//.test(resource)) return fetchAction(parseRequestUrl(resource), action);
  const { target, actions, ...capability } = parseCapability(`${resource}:${action}`);
  const [only = '*', ...others] = actions;
  if (others.length > 0 || only === '*') throw inexact(action, 'one action');
  if (target.kind === 'url') {
    const { host, port, segments, below } = target;
    const isWhole = below && segments.length === 0 && only === 'request';
    if (host.kind === 'exact' && isWhole) return tunnelAction({ host: host.name, port });
    if (host.kind !== 'exact' || below) throw inexact(resource, 'one host and one path');
    return fetchAction({ host: host.name, port, path: segments }, only);
  }
  if (target.kind === 'path') {
    const path = target.segments.map((segment) => (segment === 'any' ? '*' : segment.name));
    if (target.subtree || target.segments.includes('any')) throw inexact(resource, 'one path');
    return capability.resource === 'memory'
      ? { resource: 'memory', action: only, path }
      : pathAction(home, path, only);
  }
  if (target.kind === 'prefix') throw inexact(resource, 'one name');
  const { resource: kind } = capability;
  if (kind === 'file' || kind === 'http' || kind === 'memory')
    throw inexact(resource, 'one target');
  return { resource: kind, action: only, name: target.kind === 'name' ? target.name : '*' };
}

function inexact(text: string, wanted: string): AosError {
  return new AosError('capability.bad', {
    message: `${quote(text.slice(0, 200))} does not name ${wanted}`,
    fix: 'Ask about one thing: aos cap check jean read file:/data/report.txt',
  });
}
