/** Files from one agent to another. */

import { presenceOf } from '../../ledger/agents.ts';
import type { TransferRow } from '../../ledger/transfers/transfers.ts';
import { ownerName } from '../../relay/envelope.ts';
import { refuseTerminated } from '../../security/permit.ts';
import type { TransferActor } from '../../transfer/deps.ts';
import { isSenderOrRecipient, unknownTransfer } from '../../transfer/refusals.ts';
import type { StepName } from '../../transfer/settle.ts';
import { requestOf } from '../../transfer/transfers.ts';
import { longestWaitMs } from '../../verbs/limits.ts';
import type { transferVerbs } from '../../verbs/transfers.ts';
import type { Answer } from '../contract/contract.ts';
import { actingName, type HomeCaller } from '../server/authenticate.ts';
import { doorOf, untilHangUp } from '../server/connections.ts';
import { badRequest } from '../server/problem.ts';
import { pageLimit, queryNumber } from '../streams/event-query.ts';
import { sendRange } from '../streams/send-range.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { findRow } from './views/rows.ts';

export function transferRoutes(deps: RouteDeps): Handles<keyof typeof transferVerbs> {
  const { transfers } = deps;
  return {
    ...uploadRoutes(deps),
    transfers: (call) => list(deps, call),
    transfer: (call) => show(deps, call),
    openTransfer: async (call) => {
      const actor = await actorOf(deps, call, call.body.as);
      return toView(await transfers.open(actor, await idOf(deps, actor, call)));
    },
    transferBytes: (call) => bytes(deps, call),
    verifyTransfer: (call) => settle(deps, call, { step: 'verified' }),
    acceptTransfer: (call) => settle(deps, call, { step: 'accepted' }),
    rejectTransfer: (call) => {
      return settle(deps, call, { step: 'rejected', reason: call.body.reason });
    },
    failTransfer: (call) => settle(deps, call, { step: 'failed', reason: call.body.reason }),
    revokeTransfer: (call) => settle(deps, call, { step: 'revoked' }),
    shareTransfer: async (call) => {
      const actor = await actorOf(deps, call, call.body.as);
      const { to, expires_ms: expiresMs } = call.body;
      const id = await idOf(deps, actor, call);
      return toView(await transfers.share(actor.principal, { id, to, expiresMs }));
    },
    cleanupTransfers: async ({ caller, body }) => {
      const principal = await whose(deps, caller, body.as);
      return transfers.cleanUp({ principal, dryRun: body.dry_run });
    },
    transferMetrics: async ({ caller, query }) => {
      const principal = await whose(deps, caller, query.as);
      return transfers.metrics({
        principal,
        days: Math.min(queryNumber(query.days) ?? 30, 36_500),
      });
    },
  };
}

function uploadRoutes(
  deps: RouteDeps,
): Handles<'beginUpload' | 'uploadBytes' | 'finishUpload' | 'failUpload'> {
  const { transfers } = deps;
  return {
    beginUpload: async (call) => {
      const actor = await actorOf(deps, call, call.body.as);
      // Of others the daemon cannot see whether their process is alive.
      const writer = actor.isLocal ? call.body.writer : undefined;
      return toView(await transfers.begin(actor, requestOf({ ...call.body, writer })));
    },
    uploadBytes: async ({ caller, params, query, request }) => {
      const principal = await actingName(deps.ledger, caller, query.as);
      const from = queryNumber(query.from) ?? 0;
      const source = request.raw;
      return { stored_bytes: await transfers.addBytes(principal, { id: params.id, from, source }) };
    },
    finishUpload: async (call) => {
      const { as, stored_bytes: storedBytes, size_bytes: sizeBytes, sha256, hash } = call.body;
      const actor = await actorOf(deps, call, as);
      const { id } = call.params;
      return toView(await transfers.finish(actor, { id, storedBytes, sizeBytes, sha256, hash }));
    },
    failUpload: async ({ caller, params, body: { as, reason, attempts } }) => {
      const principal = await actingName(deps.ledger, caller, as);
      return toView(await transfers.giveUp(principal, { id: params.id, reason, attempts }));
    },
  };
}

/** An answer is only ever read, and the contract's types may be written to. */
function toView<T>(answer: T): Writable<T> {
  return answer as Writable<T>;
}

type Writable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [Key in keyof T]: Writable<T[Key]> };

type ActingCall = Pick<Call<'openTransfer'>, 'caller' | 'request'>;

export async function actorOf(
  { ledger }: Pick<RouteDeps, 'ledger'>,
  { caller, request }: ActingCall,
  as: string | undefined,
): Promise<TransferActor> {
  const principal = await actingName(ledger, caller, as);
  await refuseOver(ledger, caller);
  return { principal, isLocal: doorOf(request.raw.socket).kind === 'owner' };
}

/** A handle outlives its agent; what was sent to it does not go to the holder of that. */
async function refuseOver(ledger: RouteDeps['ledger'], caller: HomeCaller): Promise<void> {
  if (caller.kind !== 'agent') return;
  if ((await presenceOf(ledger.committed, caller.name)) !== 'terminated') return;
  const refused = await ledger.transact((tx) => refuseTerminated(tx, caller.id, {}));
  if (refused !== undefined) throw refused;
}

/** Whose transfers are meant; undefined for an owner that names no agent: all. */
export async function whose(
  { ledger }: Pick<RouteDeps, 'ledger'>,
  caller: HomeCaller,
  as: string | undefined,
): Promise<string | undefined> {
  if (caller.kind === 'owner' && as === undefined) return undefined;
  return actingName(ledger, caller, as);
}

interface Identified {
  readonly caller: HomeCaller;
  readonly params: { readonly id: string };
  readonly body?: unknown;
}

/** The whole id. A caller does not learn of what it neither sent nor got, nor that it is there. */
export async function idOf(
  { transfers }: Pick<RouteDeps, 'transfers'>,
  { principal }: Pick<TransferActor, 'principal'>,
  { caller, params }: Identified,
): Promise<string> {
  const row = await findRow<TransferRow>(
    {
      what: 'transfers',
      find: (id) => transfers.find(id),
      idsFrom: (start, limit) =>
        transfers.idsFrom({
          start,
          limit,
          principal: isOwner(caller, principal) ? undefined : principal,
        }),
      idOf: ({ id }) => id,
      isVisible: (found) => isSenderOrRecipient(found, principal) || isOwner(caller, principal),
      unknown: unknownTransfer,
    },
    params.id,
  );
  return row.id;
}

/** The owner as itself, who may look at everything. */
export function isOwner(caller: HomeCaller, principal: string): boolean {
  return caller.kind === 'owner' && principal === ownerName;
}

type SettleRoute =
  | 'verifyTransfer'
  | 'acceptTransfer'
  | 'rejectTransfer'
  | 'failTransfer'
  | 'revokeTransfer';

async function settle(
  deps: RouteDeps,
  call: Call<SettleRoute>,
  step: { readonly step: StepName; readonly reason?: string },
): Promise<Answer<'transfer'>> {
  const actor = await actorOf(deps, call, call.body.as);
  const id = await idOf(deps, actor, call);
  return toView(await deps.transfers.settle(actor.principal, { id, ...step }));
}

async function list(
  deps: RouteDeps,
  { caller, query, reply }: Call<'transfers'>,
): Promise<Answer<'transfers'>> {
  const { as, box = 'received', status, from, to, filename, before } = query;
  const principal = await actingName(deps.ledger, caller, as);
  await refuseOver(deps.ledger, caller);
  const ofAll = box === 'all' && as === undefined && isOwner(caller, principal);
  const waitMs = Math.min(queryNumber(query.wait_ms) ?? 0, longestWaitMs);
  const page = await deps.transfers.list(
    {
      ...{ principal: ofAll ? undefined : principal, box, status, from, to, filename, before },
      metadata: query.metadata === undefined ? undefined : metadataIn(query.metadata),
      limit: pageLimit(query.limit),
    },
    { waitMs, signal: untilHangUp(reply, deps.feeds.closing) },
  );
  return toView(page);
}

function metadataIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Refused below, in the same words as what is JSON of another kind.
  }
  throw badRequest('"metadata" in the query is not an object in JSON', 'Write {"key":"value"}');
}

async function show(deps: RouteDeps, call: Call<'transfer'>): Promise<Answer<'transfer'>> {
  const { query, reply } = call;
  const actor = await actorOf(deps, call, query.as);
  const id = await idOf(deps, actor, call);
  const waitMs = Math.min(queryNumber(query.wait_ms) ?? 0, longestWaitMs);
  const signal = untilHangUp(reply, deps.feeds.closing);
  const which = { id, waitFor: query.wait_for };
  return toView(await deps.transfers.awaitAck(which, { waitMs, signal }));
}

async function bytes(deps: RouteDeps, call: Call<'transferBytes'>) {
  const actor = await actorOf(deps, call, call.query.as);
  const id = await idOf(deps, actor, call);
  const { hash, sizeBytes } = await deps.transfers.bytes(actor.principal, { id });
  const open = async (range: { readonly from: number; readonly to: number }) =>
    (await deps.transfers.bytes(actor.principal, { id, range })).stream;
  return sendRange(deps, call, { hash, sizeBytes, open });
}
