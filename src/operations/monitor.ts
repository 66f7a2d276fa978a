/**
 * Looks now and then whether operations keep to their limits, and tells when one comes near or
 * goes beyond: whoever it belongs to by a message, everybody who looks by an event and the log.
 * An outsider has no mailbox here: the owner of the home is told, and the outsider sees the event.
 *
 * M1. That somebody is told of a limit is noted with it: after a restart, or looked at again, it
 *     is told once.
 * M2. An operation whose grant was taken back is ended, also when the daemon died in between.
 */
import { artifactLimits } from '../kernel/agent/operation.ts';
import { countArtifacts } from '../ledger/operations/artifacts.ts';
import { readBudget } from '../ledger/operations/budgets.ts';
import { type OperationRow, openSealedOperations } from '../ledger/operations/operations.ts';
import { ignoreOver } from '../runtime/submit.ts';
import { alertOnce } from './alert.ts';
import type { OperationsDeps } from './deps.ts';
import { isTakenBack } from './expiry.ts';
import { workspaceBytes } from './workspace-size.ts';

export type Limited = 'time' | 'disk' | 'artifacts';

/** From this share on somebody is told that a limit is near. */
const nearShare = 0.8;

interface Usage {
  readonly what: Limited;
  readonly used: number;
  readonly limit: number;
}

export async function watchResources(deps: OperationsDeps): Promise<void> {
  await endRevokedAll(deps);
  for (const row of await openSealedOperations(deps.ledger.committed)) {
    try {
      await watchOne(deps, row);
    } catch (failure) {
      deps.log.error({ err: failure, operation: row.id }, 'an operation cannot be looked at now');
    }
  }
}

async function watchOne(deps: OperationsDeps, row: OperationRow): Promise<void> {
  for (const usage of await usagesOf(deps, row)) {
    const share = usage.used / usage.limit;
    // One that is beyond is ended by whoever runs it, after its call.
    if (share >= nearShare) await tell(deps, row, usage, share > 1 ? 'beyond' : 'near');
  }
}

async function usagesOf(deps: OperationsDeps, row: OperationRow): Promise<readonly Usage[]> {
  const sql = deps.ledger.committed;
  const wall = (await readBudget(sql, `operation:${row.id}`))?.wall;
  return [
    { what: 'time', used: wall?.used ?? 0, limit: wall?.limit ?? deps.limits.runMs },
    { what: 'disk', used: await workspaceBytes(deps, row), limit: deps.limits.workspaceBytes },
    {
      what: 'artifacts',
      used: await countArtifacts(sql, row.id),
      limit: artifactLimits.mostCount,
    },
  ];
}

// M1
async function tell(
  deps: OperationsDeps,
  row: OperationRow,
  usage: Usage,
  stage: 'near' | 'beyond',
): Promise<void> {
  const { what, used, limit } = usage;
  const data = { what, used, limit, stage };
  const alert = { name: `${what}-${stage}`, body: words(row, usage, stage), data };
  if (!(await alertOnce(deps, row, alert))) return;
  deps.log.warn({ operation: row.id, what, used, limit }, `an operation is ${stage} a limit`);
}

function words({ id, owner }: OperationRow, { what, used, limit }: Usage, stage: string): string {
  const unit = { time: 'ms of running', disk: 'bytes in its workspace', artifacts: 'artifacts' };
  return `Operation ${id} of ${owner} is ${stage} its limit: ${used} of ${limit} ${unit[what]}.\n\naos op get ${id}\n`;
}

/** M2. All whose grant was taken back. */
export async function endRevokedAll(deps: OperationsDeps): Promise<void> {
  const sql = deps.ledger.committed;
  for (const { id, grant_id } of await openSealedOperations(sql)) {
    if (await isTakenBack(sql, grant_id)) await endRevoked(deps, id);
  }
}

async function endRevoked(deps: OperationsDeps, id: string): Promise<void> {
  const reason = 'the grant under which it was submitted was revoked';
  await deps.queue?.cancel(id, { by: 'system', reason }).catch(ignoreOver);
}
