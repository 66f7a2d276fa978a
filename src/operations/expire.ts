/** Artifacts whose time is over go, and those whose owner does not want them. */

import { parseCapability } from '../kernel/capability/capability-text.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Sql } from '../ledger/ledger.ts';
import {
  type ArtifactRow,
  expiredArtifacts,
  type GoneWhy,
} from '../ledger/operations/artifacts.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { findGrant, grantChain } from '../ledger/security/grants.ts';
import type { OperationsDeps } from './deps.ts';
import { goneIn, letGo, sweepGone } from './folder.ts';

const batchRows = 100;

/** Removes what is past its end, with its bytes; how many there were. */
export async function expireArtifacts(deps: OperationsDeps): Promise<number> {
  let expired = 0;
  for (;;) {
    const rows = await expiredArtifacts(deps.ledger.committed, deps.clock.now(), batchRows);
    for (const row of rows) {
      if (await endArtifact(deps, row, { why: 'expired', actor: 'system' })) expired++;
    }
    if (rows.length < batchRows) break;
  }
  await sweepGone(deps);
  return expired;
}

/** False when it is gone already. */
export async function endArtifact(
  deps: OperationsDeps,
  row: ArtifactRow,
  { why, actor }: { readonly why: GoneWhy; readonly actor: string },
): Promise<boolean> {
  const at = deps.clock.now();
  const isGone = await deps.ledger.transact(async (tx) => {
    if (!(await goneIn(tx, row, { why, at }))) return false;
    const subject = `operation:${row.operation}`;
    const data = { artifact: row.id, name: row.name };
    await tx.record({ actor, kind: `artifact.${why}`, subject, data });
    return true;
  });
  if (isGone) await letGo(deps, row);
  return isGone;
}

/** Whatever the timer has come to: what is over is over. */
export function isPast({ expires_at }: Pick<ArtifactRow, 'expires_at'>, now: Instant): boolean {
  return expires_at <= now;
}

// How long what an operation has made is there, and whether it still may be had.

/** The earlier of so many days and the end of the grant. */
export async function expiryOf(
  { ledger, clock, limits }: Pick<OperationsDeps, 'ledger' | 'clock' | 'limits'>,
  operation: Pick<OperationRow, 'grant_id'>,
): Promise<Instant> {
  const end = await endOfGrant(ledger.committed, operation.grant_id);
  return Math.min(clock.now() + limits.keepMs, end ?? Number.POSITIVE_INFINITY);
}

/** Of the whole chain, the earliest; undefined where it has none. */
export async function endOfGrant(sql: Sql, id: string | null): Promise<Instant | undefined> {
  if (id === null || (await findGrant(sql, id)) === undefined) return undefined;
  const ends = (await grantChain(sql, id)).map(
    ({ capability }) => parseCapability(capability).constraints.expires,
  );
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Throws when the grant under which it was submitted was taken back. */
export async function checkGrant(
  sql: Sql,
  { grant_id: id, owner }: Pick<OperationRow, 'grant_id' | 'owner'>,
): Promise<void> {
  if (!(await isTakenBack(sql, id))) return;
  throw new AosError('capability.denied', {
    message: `The grant under which ${owner} submitted this operation was revoked`,
    fix: 'Ask the owner of the home for another',
    details: { grant: id },
  });
}

/** Also when it was removed long after that. */
export async function isTakenBack(sql: Sql, id: string | null): Promise<boolean> {
  if (id === null) return false;
  if ((await findGrant(sql, id)) === undefined) return true;
  return (await grantChain(sql, id)).some(({ revoked_at }) => revoked_at !== null);
}
