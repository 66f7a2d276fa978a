/** Artifacts whose time is over go, and those whose owner does not want them. */
import type { Instant } from '../kernel/ports.ts';
import {
  type ArtifactRow,
  expiredArtifacts,
  type GoneWhy,
} from '../ledger/operations/artifacts.ts';
import type { OperationsDeps } from './deps.ts';
import { goneIn, letGo, sweepGone } from './gone.ts';

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
