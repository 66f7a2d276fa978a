/** What the workspace of an operation holds, counted without following anything out of it. */
import { join } from 'node:path';
import { isMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk } from '../kernel/ports.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { workspaceOf } from '../security/agent-folders.ts';
import type { OperationsDeps } from './deps.ts';

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

export async function workspaceBytes(
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
