/**
 * The small file beside the body of a transfer: who sent what to whom. It only informs, holds
 * no key, and is there as long as the bytes can be fetched.
 */
import { join } from 'node:path';
import { ensureFolder, writeFileDurably } from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk } from '../kernel/ports.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { isKeyHeld, type TransferRow } from '../ledger/transfers/transfers.ts';
import type { TransferDeps } from './deps.ts';

type ManifestDeps = Pick<TransferDeps, 'disk' | 'random' | 'home'>;

export async function writeManifest(deps: ManifestDeps, row: TransferRow): Promise<void> {
  const [sender = '', recipient = '', moment = ''] = row.s3_key.split('/');
  let folder = join(deps.home, 'transfers');
  for (const name of [sender, recipient, moment]) {
    const parent = folder;
    folder = join(parent, name);
    await ensureFolder(deps.disk, folder);
    await deps.disk.syncFolder(parent);
  }
  const bytes = Buffer.from(`${JSON.stringify(manifestOf(row), null, 2)}\n`);
  await writeFileDurably(deps, join(deps.home, 'transfers', row.s3_key), bytes);
}

function manifestOf(row: TransferRow): object {
  return {
    id: row.id,
    sender: row.sender,
    recipient: row.recipient,
    filename: row.filename,
    file_size_bytes: row.file_size_bytes,
    stored_bytes: row.stored_bytes,
    sha256: row.sha256,
    hash: row.hash,
    sealed: row.recipient_key !== null,
    created_at: timeText(row.created_at),
    expires_at: row.expires_at === null ? null : timeText(row.expires_at),
  };
}

/** Also when there is none. The folders of the parties stay. */
export async function removeManifest(
  { disk, home }: Pick<ManifestDeps, 'disk' | 'home'>,
  key: string,
): Promise<void> {
  const path = join(home, 'transfers', key);
  await disk.remove(path).catch(ignoreMissing);
  await disk.remove(join(path, '..')).catch(ignoreMissing);
}

/** Those that a crash has left of transfers that are over. */
export async function sweepManifests(
  deps: Pick<TransferDeps, 'disk' | 'home' | 'ledger'>,
): Promise<void> {
  const { disk, home, ledger } = deps;
  const root = join(home, 'transfers');
  for (const sender of await disk.list(root)) {
    for (const recipient of await namesIn(disk, join(root, sender))) {
      for (const moment of await namesIn(disk, join(root, sender, recipient))) {
        const key = `${sender}/${recipient}/${moment}`;
        const names = await namesIn(disk, join(root, key));
        if (await isKeyHeld(ledger.committed, key)) continue;
        for (const name of names) await removeManifest(deps, `${key}/${name}`).catch(ignoreFilled);
      }
    }
  }
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

/** Another program has put something there. */
function ignoreFilled(failure: unknown): void {
  if (!(failure instanceof AosError)) throw failure;
}
