/**
 * Who may know of an operation, and who may have what it made.
 *
 * W1. A caller that may not know of it hears the same, in the same words, as of one that is not there.
 * W2. Its artifacts are for its submitter, under the grant that allowed it. Another principal
 *     who holds a grant on it may know that it is there, and hears a no.
 */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { type ArtifactRow, artifactsOf, findArtifact } from '../ledger/operations/artifacts.ts';
import { findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { recordDenial } from '../security/authorize.ts';
import type { OperationsDeps } from './deps.ts';
import { checkGrant, endArtifact, isPast } from './expire.ts';

/** `owner` is the owner of the home, who may look at everything. */
export type OperationAccess = 'own' | 'owner' | 'granted';

export interface SeenOperation {
  readonly row: OperationRow;
  readonly access: OperationAccess;
}

export type OperationAction = 'read' | 'cancel';

/** Throws `operation.unknown` (W1), `capability.denied` or `operation.not-yours`. */
export async function seeOperation(
  { ledger, grants }: Pick<OperationsDeps, 'ledger' | 'grants'>,
  principal: string,
  { id, action }: { readonly id: string; readonly action: OperationAction },
): Promise<SeenOperation> {
  const sql = ledger.committed;
  const row = await findOperation(sql, id);
  const deedOf = (wanted: OperationAction) =>
    ({ resource: 'operation', action: wanted, name: id.slice(0, 100) }) as const;
  // W1: the same is written down, so that it takes the same time.
  const refuse = async (): Promise<never> => {
    const request = { principal, deed: deedOf(action) };
    await ledger.transact((tx) =>
      recordDenial(tx, request, { kind: 'denied', nearest: undefined }),
    );
    throw unknownOperation(id);
  };
  if (row === undefined) return principal === 'owner' ? notThere(id) : refuse();
  if (row.owner === principal) {
    await checkGrant(sql, row);
    return { row, access: 'own' };
  }
  if (principal === 'owner') return { row, access: 'owner' };
  const holds = async (wanted: OperationAction): Promise<boolean> =>
    (await grants.decide(sql, principal, deedOf(wanted))).kind === 'allowed';
  if (await holds(action)) return { row, access: 'granted' };
  if (await holds(action === 'read' ? 'cancel' : 'read')) throw notYours(id);
  return refuse();
}

function notThere(id: string): never {
  throw unknownOperation(id);
}

/** Only for its submitter (W2); the owner of the home may look, and delete. */
export async function seeArtifacts(
  deps: OperationsDeps,
  principal: string,
  id: string,
): Promise<SeenOperation & { readonly artifacts: readonly ArtifactRow[] }> {
  const seen = await seeOwn(deps, principal, id);
  const artifacts = await presentArtifacts(deps, id);
  const data = { count: artifacts.length };
  await recordAccess(deps, principal, { kind: 'artifact.listed', operation: id, data });
  return { ...seen, artifacts };
}

/** All that a caller gets of artifacts is on record before they have it. */
export async function recordAccess(
  { ledger }: Pick<OperationsDeps, 'ledger'>,
  actor: string,
  {
    kind,
    operation,
    data,
  }: { readonly kind: `artifact.${string}`; readonly operation: string; readonly data?: object },
): Promise<void> {
  const subject = `operation:${operation}`;
  await ledger.transact((tx) => tx.record({ actor, kind, subject, data }));
}

/** W2. A refused caller is on record. */
async function seeOwn(deps: OperationsDeps, principal: string, id: string): Promise<SeenOperation> {
  const seen = await seeOperation(deps, principal, { id, action: 'read' });
  if (seen.access !== 'granted') return seen;
  await recordAccess(deps, principal, { kind: 'artifact.denied', operation: id });
  throw notYours(id);
}

/** Those that are there now. */
export async function presentArtifacts(
  { ledger, clock }: Pick<OperationsDeps, 'ledger' | 'clock'>,
  id: string,
): Promise<readonly ArtifactRow[]> {
  const now = clock.now();
  return (await artifactsOf(ledger.committed, id)).filter((row) => !isPast(row, now));
}

/** Throws `artifact.unknown`, or `artifact.expired` for whom it was. */
export async function seeArtifact(
  deps: OperationsDeps,
  principal: string,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<SeenOperation & { readonly artifact: ArtifactRow }> {
  const seen = await seeOwn(deps, principal, id);
  const artifact = await findArtifact(deps.ledger.committed, id, name);
  if (artifact === undefined) throw unknownArtifact(name);
  if (artifact.gone_at === null && isPast(artifact, deps.clock.now())) {
    // The caller is the first to notice; its bytes go before the caller is told.
    await endArtifact(deps, artifact, { why: 'expired', actor: 'system' });
    throw expired(artifact);
  }
  if (artifact.gone_why === 'expired') throw expired(artifact);
  if (artifact.gone_at !== null) throw unknownArtifact(name);
  return { ...seen, artifact };
}

export function unknownOperation(id: string): AosError {
  return new AosError('operation.unknown', {
    message: `There is no operation ${quote(id.slice(0, 100))}`,
    fix: 'Check the id; an operation is there only for whoever submitted it',
  });
}

export function unknownArtifact(name: string): AosError {
  return new AosError('artifact.unknown', {
    message: `The operation has no artifact ${quote(name.slice(0, 100))}`,
    fix: 'List those that it has: aos op artifacts ID',
  });
}

function expired({ name, expires_at }: ArtifactRow): AosError {
  const expiredAt = timeText(expires_at);
  return new AosError('artifact.expired', {
    message: `The artifact ${quote(name)} was kept until ${expiredAt}, and is gone`,
    fix: 'Submit the operation again',
    details: { expired_at: expiredAt },
  });
}

function notYours(id: string): AosError {
  return new AosError('operation.not-yours', {
    message: `Operation ${quote(id)} was submitted by somebody else, and this is for them alone`,
    fix: 'Ask whoever submitted it',
  });
}
