/**
 * An artifact goes: first its row says so, with its key and who needed its bytes; then its bytes.
 *
 * B1. Its bytes are its own: sealed with a key that no other has, they equal no others. So they
 *     need not wait to be found unneeded.
 * B2. Who dies before the bytes are gone leaves a row that is not swept, and is swept later.
 */
import { join } from 'node:path';
import { removeIfThere } from '../kernel/disk/folders.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import {
  type ArtifactRow,
  type GoneWhy,
  markGone,
  markSwept,
  unsweptArtifacts,
} from '../ledger/operations/artifacts.ts';
import { finishAgain } from '../ledger/operations/finish.ts';
import { deleteUnneededBlob, dropReferencesOf } from '../ledger/transfers/blobs.ts';
import { ending } from './artifact-name.ts';
import type { OperationsDeps } from './deps.ts';

type GoneDeps = Pick<OperationsDeps, 'ledger' | 'blobs' | 'disk' | 'home' | 'log'>;

/** False when it is gone already. */
export async function goneIn(
  tx: Transaction,
  { id, operation, hash }: ArtifactRow,
  { why, at }: { readonly why: GoneWhy; readonly at: Instant },
): Promise<boolean> {
  if (!(await markGone(tx, id, { why, at }))) return false;
  await dropReferencesOf(tx, `artifact:${id}`);
  await deleteUnneededBlob(tx, hash);
  // What its folder says has changed.
  await finishAgain(tx, operation);
  return true;
}

/** B1. What fails is left for the next sweep. */
export async function letGo(
  { ledger, blobs, disk, home, log }: GoneDeps,
  { id, operation, name, hash }: ArtifactRow,
): Promise<void> {
  try {
    await removeIfThere(disk, join(sealedFolder(home, operation), `${name}${ending}`));
    await blobs.delete(hash);
    await ledger.transact((tx) => markSwept(tx, id));
  } catch (failure) {
    log.error({ err: failure, artifact: id }, 'the bytes of an artifact that is gone are left');
  }
}

const batchRows = 100;

// B2
export async function sweepGone(deps: GoneDeps): Promise<void> {
  for (;;) {
    const rows = await unsweptArtifacts(deps.ledger.committed, batchRows);
    for (const row of rows) await letGo(deps, row);
    if (rows.length < batchRows) return;
    const left = await unsweptArtifacts(deps.ledger.committed, 1);
    // What cannot be removed now must not be tried for ever.
    if (left[0]?.id === rows[0]?.id) return;
  }
}

export function operationFolder(home: string, operation: string): string {
  return join(home, 'artifacts', 'operations', operation);
}

export function sealedFolder(home: string, operation: string): string {
  return join(operationFolder(home, operation), 'artifacts');
}
