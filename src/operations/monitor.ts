/**
 * Looks now and then whether operations keep to their limits, and tells when one comes near or
 * goes beyond: its owner by a message, all who look by an event and the log.
 * An outsider has no mailbox here: the owner of the home is told, and the outsider sees the event.
 *
 * M1. That the owner is told of a limit is noted with it: after a restart, or looked at again, it
 *     is told once.
 * M2. An operation whose grant was taken back is ended, also when the daemon died in between.
 */

import { join } from 'node:path';
import { artifactLimits, isGrantee } from '../kernel/agent/operation.ts';
import { isMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk } from '../kernel/ports.ts';
import { countArtifacts } from '../ledger/operations/artifacts.ts';
import { noteAlert, operationNoteKey } from '../ledger/operations/finish.ts';
import { readBudget } from '../ledger/operations/leases.ts';
import { type OperationRow, openSealedOperations } from '../ledger/operations/operations.ts';
import { tellLater } from '../relay/tell.ts';
import { ignoreOver } from '../runtime/submit.ts';
import { workspaceOf } from '../security/agent-folders.ts';
import type { OperationsDeps } from './deps.ts';
import { isTakenBack } from './expire.ts';

export type Limited = 'time' | 'disk' | 'artifacts';

/** From this share on the owner is told that a limit is near. */
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
    // One that is beyond is ended by the runtime, after its call.
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

// Tells once, by a message and an event, that its owner has to look at an operation.

interface Alert {
  /** Of each operation, each is told once: also after a restart, and however often it is looked at. */
  readonly name: string;
  readonly body: string;
  /** For the event. */
  readonly data: object;
}

/** An outsider has no mailbox here: then the owner of the home is told. False when it was before. */
export async function alertOnce(
  { ledger, clock }: Pick<OperationsDeps, 'ledger' | 'clock'>,
  { id, owner }: Pick<OperationRow, 'id' | 'owner'>,
  { name, body, data }: Alert,
): Promise<boolean> {
  return ledger.transact(async (tx) => {
    if (!(await noteAlert(tx, id, name))) return false;
    const to = isGrantee(owner) ? 'owner' : owner;
    await tellLater(tx, { to, key: operationNoteKey(id, name), body }, { at: clock.now() });
    const subject = `operation:${id}`;
    await tx.record({ actor: 'system', kind: 'operation.alert', subject, data });
    return true;
  });
}

// What the workspace of an operation holds, counted without following anything out of it.

// Each folder on the way is held.
const deepest = 128;

/** Stops counting when it is more than `most`; what is nested too deep is too much. */
async function sizeBelow(disk: Disk, folder: string, most: number, depth = 0): Promise<number> {
  if (depth > deepest) return Number.POSITIVE_INFINITY;
  await using held = await disk.holdFolder(folder);
  let bytes = 0;
  for (const name of await disk.list(held.path)) {
    const path = join(held.path, name);
    const entry = await disk.stat(path);
    if (entry?.kind === 'folder') bytes += await sizeBelow(disk, path, most - bytes, depth + 1);
    else bytes += entry?.sizeBytes ?? 0;
    if (bytes > most) break;
  }
  return bytes;
}

async function workspaceBytes(
  { disk, home, limits }: Pick<OperationsDeps, 'disk' | 'home' | 'limits'>,
  { agent }: Pick<OperationRow, 'agent'>,
): Promise<number> {
  try {
    return await sizeBelow(disk, workspaceOf(home, agent), limits.workspaceBytes);
  } catch (failure) {
    // None was made yet; or something in it went just now, and it is counted again soon.
    if (isMissing(failure)) return 0;
    throw failure;
  }
}

/** Throws `operation.over-limit`. What it has stored may be as much once more. */
export async function checkWorkspace(
  deps: Pick<OperationsDeps, 'disk' | 'home' | 'limits'>,
  operation: Pick<OperationRow, 'agent'>,
  storedBytes = 0,
): Promise<void> {
  const { workspaceBytes: most } = deps.limits;
  if (storedBytes <= most && (await workspaceBytes(deps, operation)) <= most) return;
  throw new AosError('operation.over-limit', {
    message: `The workspace, or what was stored from it, holds more than the ${most} bytes that an operation may keep, or folders nested deeper than ${deepest}`,
    fix: 'Let it keep less, or remove what it does not need any more',
    details: { limit_bytes: most },
  });
}
