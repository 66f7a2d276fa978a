/** Operations, for the principals that submit them: also from outside. */

import {
  addressOfGrantee,
  granteeOf,
  type OperationStatus,
  tokenMs,
} from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { findOperation, type OperationRow } from '../../ledger/operations/operations.ts';
import { insertHandle } from '../../ledger/security/principals.ts';
import { unknownOperation } from '../../operations/access.ts';
import { keyFor } from '../../operations/store-artifact.ts';
import { hashOfHandle, mintHandle } from '../../security/handles.ts';
import { checksummed } from '../../security/identity/key-pair.ts';
import type { Answer } from '../contract/contract.ts';
import type { Caller } from '../server/authenticate.ts';
import { untilHangUp } from '../server/connections.ts';
import { digestKeyOf, idempotencyKey, requestDigest } from '../server/idempotency.ts';
import { badRequest } from '../server/problem.ts';
import { feedPosition, pageLimit } from '../streams/event-query.ts';
import { answerWithLog } from '../streams/operation-log-stream.ts';
import { sendRange } from '../streams/send-range.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { embedArtifacts } from './views/embedded-artifacts.ts';
import {
  statesOf,
  statusOf,
  type WireOperation,
  wireCollection,
  wireOperation,
  wireResult,
} from './views/operation-wire.ts';
import { findRow } from './views/rows.ts';

type OperationRoutes =
  | 'submitOperation'
  | 'operations'
  | 'operation'
  | 'cancelOperation'
  | 'operationResult'
  | 'operationLogs'
  | 'artifacts'
  | 'artifact'
  | 'deleteArtifact'
  | 'buyToken'
  | 'rotateKeys';

export function operationRoutes(deps: RouteDeps): Handles<OperationRoutes> {
  const { operations } = deps;
  return {
    submitOperation: (call) => submit(deps, call),
    operations: (call) => list(deps, call),
    operation: (call) => show(deps, call),
    cancelOperation: (call) => cancel(deps, call),
    operationResult: (call) => result(deps, call),
    operationLogs: (call) => logs(deps, call),
    artifacts: async ({ caller, params, request }) => {
      const id = await idOf(deps, caller, params.operation_id);
      const { access, artifacts } = await operations.artifacts(caller.id, id);
      noteWeak(deps, request.isWeak, caller, id);
      return wireCollection({ artifacts, isOwn: access === 'own' });
    },
    artifact: (call) => download(deps, call),
    deleteArtifact: async ({ caller, params, reply }) => {
      const id = await idOf(deps, caller, params.operation_id);
      await operations.delete(caller.id, { id, name: params.artifact_name });
      return reply.code(204).send();
    },
    buyToken: (call) => buyToken(deps, call),
    rotateKeys: async ({ caller }) => ({ ...(await operations.rotateKeys(caller.id)) }),
  };
}

async function submit(
  deps: RouteDeps,
  { caller, body, request }: Call<'submitOperation'>,
): Promise<WireOperation> {
  const key = idempotencyKey(request.headers);
  const row = await deps.operations.submit(caller.id, {
    goal: body.goal,
    template: body.agent,
    grantee: body.grantee_address === undefined ? undefined : granteeIn(body.grantee_address),
    key,
    keyDigest: key === undefined ? undefined : requestDigest(digestKeyOf(deps.owner), request),
  });
  return toView(deps, caller, row);
}

function granteeIn(text: string): string {
  const address = checksummed(text);
  if (address !== undefined) return granteeOf(address);
  throw badRequest(
    `"grantee_address" in the body is ${quote(text)}, whose large and small letters do not fit`,
    'Check it; in small letters alone it is taken as it is',
  );
}

/** The owner of the home may cut an id short; every other caller names it whole. */
async function idOf(deps: RouteDeps, caller: Caller, typed: string): Promise<string> {
  if (caller.kind !== 'owner') return typed;
  const sql = deps.ledger.committed;
  const { id } = await findRow<OperationRow>(
    {
      what: 'operations',
      find: (id) => findOperation(sql, id),
      idsFrom: (start, limit) => deps.operations.idsFrom(start, limit),
      idOf: ({ id }) => id,
      isVisible: () => true,
      unknown: unknownOperation,
    },
    typed,
  );
  return id;
}

async function toView(deps: RouteDeps, caller: Caller, row: OperationRow): Promise<WireOperation> {
  const { operations, ledger } = deps;
  const isOwn = row.owner === caller.id;
  const artifacts = isOwn || caller.kind === 'owner' ? await operations.present(row.id) : [];
  const lines = isOver(statusOf(row)) ? await operations.logs(row) : [];
  return wireOperation(ledger.committed, { row, logs: lines, artifacts, isOwn });
}

function isOver(status: OperationStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

async function list(
  deps: RouteDeps,
  { caller, query }: Call<'operations'>,
): Promise<Answer<'operations'>> {
  const { status, before } = query;
  const limit = pageLimit(query.limit);
  const states = status === undefined ? undefined : statesOf[status];
  const { rows, next } = await deps.operations.list(caller.id, { states, before, limit });
  const fitting = rows.filter((row) => status === undefined || statusOf(row) === status);
  const items = await Promise.all(
    fitting.map(async (row) => {
      const artifacts = await deps.operations.present(row.id);
      // The keys are for who asks for one of them, which is on record.
      return wireOperation(deps.ledger.committed, { row, logs: [], artifacts, isOwn: false });
    }),
  );
  return { items, next };
}

async function show(
  deps: RouteDeps,
  { caller, params, reply }: Call<'operation'>,
): Promise<WireOperation> {
  const { operations, artifactPhase } = deps;
  const id = await idOf(deps, caller, params.operation_id);
  const { row, access } = await operations.see(caller.id, { id, action: 'read' });
  const operation = await toView(deps, caller, row);
  // With them go the keys of what it has made.
  if (access === 'own' && operation.artifacts.count > 0) await operations.noteListed(caller.id, id);
  if (artifactPhase === 3 || access === 'granted') return operation;
  const rows = await operations.present(id);
  return embedArtifacts(operation, { operations, principal: caller.id, rows, reply });
}

const cancelling = { longestMs: 5000, lookMs: 50 };

/** What runs is ended by its agent, mostly at once: that is waited for a little. */
async function cancel(
  deps: RouteDeps,
  { caller, params, body, reply }: Call<'cancelOperation'>,
): Promise<WireOperation> {
  const { clock, operations, feeds } = deps;
  const id = await idOf(deps, caller, params.operation_id);
  await operations.cancel(caller.id, id, body?.reason);
  const signal = untilHangUp(reply, feeds.closing);
  const deadline = clock.monotonicMs() + cancelling.longestMs;
  const now = async () => (await operations.see(caller.id, { id, action: 'cancel' })).row;
  let row = await now();
  while (!isOver(statusOf(row)) && clock.monotonicMs() < deadline) {
    await clock.sleep(cancelling.lookMs, signal);
    row = await now();
  }
  return toView(deps, caller, row);
}

async function result(
  deps: RouteDeps,
  { caller, params }: Call<'operationResult'>,
): Promise<Answer<'operationResult'>> {
  const id = await idOf(deps, caller, params.operation_id);
  const { row } = await deps.operations.see(caller.id, { id, action: 'read' });
  if (!isOver(statusOf(row))) {
    throw new AosError('operation.not-finished', {
      message: `Operation ${quote(id)} is ${statusOf(row)}, and has no result yet`,
      fix: `Wait, or follow it: GET /api/v1/operations/${id}/logs`,
      details: { status: statusOf(row) },
    });
  }
  return wireResult(deps.ledger.committed, row, await deps.operations.logs(row));
}

async function logs(
  deps: RouteDeps,
  call: Call<'operationLogs'>,
): Promise<Answer<'operationLogs'> | Call<'operationLogs'>['reply']> {
  const { caller, params, query, request, reply } = call;
  const id = await idOf(deps, caller, params.operation_id);
  const { stillAdmitted } = deps.readerOf({ caller, query: {}, request });
  const look = async () => {
    await stillAdmitted();
    return (await deps.operations.see(caller.id, { id, action: 'read' })).row;
  };
  const row = await look();
  const after = feedPosition(request.headers['last-event-id'], { after: query.after }) ?? 0;
  const lines = await deps.operations.logs(row);
  if (after > lines.length) {
    throw badRequest(`"after" is ${after}, and there are ${lines.length} lines`);
  }
  if (!(request.headers.accept ?? '').includes('text/event-stream')) {
    const upTo = Math.min(after + pageLimit(query.limit ?? '1000'), lines.length);
    return { logs: lines.slice(after, upTo), next: upTo < lines.length ? upTo : null };
  }
  deps.streams.take(caller, reply);
  reply.hijack();
  const headers = { ...deps.commonHeaders, 'x-request-id': request.id };
  const reader = { id, after, look, lines: () => deps.operations.logs({ id }) };
  deps.track(answerWithLog(deps, reader, { response: reply.raw, headers }));
  return reply;
}

async function download(deps: RouteDeps, call: Call<'artifact'>) {
  const { caller, params, request, reply } = call;
  const id = await idOf(deps, caller, params.operation_id);
  const which = { id, name: params.artifact_name, isWeak: request.isWeak };
  const { artifact, access, open } = await deps.operations.download(caller.id, which);
  noteWeak(deps, request.isWeak, caller, id);
  const isLook = request.method === 'HEAD' || request.headers['if-none-match'] !== undefined;
  if (isLook) await deps.operations.noteLook(caller.id, artifact);
  const key = keyFor(artifact, access === 'own');
  void reply
    .header('x-artifact-checksum', `sha256:${artifact.hash}`)
    .header('x-artifact-id', artifact.id)
    .header('x-artifact-e2e', String(artifact.e2e === 1))
    .header('content-disposition', dispositionOf(artifact.name))
    .headers(key === null ? {} : { 'x-artifact-key': key });
  return sendRange(deps, call, { hash: artifact.hash, sizeBytes: artifact.stored_bytes, open });
}

function dispositionOf(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  return `attachment; filename*=UTF-8''${encodeURIComponent(last)}.enc`;
}

function noteWeak({ log }: RouteDeps, isWeak: boolean, caller: Caller, operation: string): void {
  if (!isWeak) return;
  log.warn({ address: addressOfGrantee(caller.id), operation }, 'a weak signature was taken');
}

/** A handle that ends by itself; what it opens is looked at anew at each request. */
async function buyToken(
  { ledger, clock, random }: RouteDeps,
  { caller, request }: Call<'buyToken'>,
): Promise<Answer<'buyToken'>> {
  if (request.signed === undefined) {
    throw badRequest('A token is bought with a signature', 'Sign this request: docs/operations.md');
  }
  const token = mintHandle(random);
  const now = clock.now();
  const expires_at = now + tokenMs;
  await ledger.transact(async (tx) => {
    const hash = hashOfHandle(token);
    await insertHandle(tx, { hash, principal: caller.id, created_at: now, expires_at });
    const data = { expires_at };
    await tx.record({ actor: caller.id, kind: 'identity.token-bought', subject: caller.id, data });
  });
  return { token, expires_at: timeText(expires_at) };
}
