/**
 * Where the file of a message is that was accepted before a crash: its name alone does not
 * tell, because its agent may have put another in its place.
 *
 * L1. Another file that was moved to the archive in its place, by a process that died before
 *     it could see so, is a message that nobody has read: it goes back to the outbox.
 * L2. Of an outbox that is not ours, the archive has copies (put-away.ts, P4). What is there and
 *     is ours was read, then: whatever else was moved there is its agent's. That which was
 *     read itself, and not yet copied, may have changed since, and is not kept.
 */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { Disk, DiskEntry } from '../../kernel/ports.ts';
import type { MessageRow } from '../../ledger/messages/messages.ts';
import { archivePath, archiveStem } from './archive.ts';
import { putBack } from './put-back.ts';

export async function locateFile(
  disk: Disk,
  home: string,
  message: MessageRow,
): Promise<'outbox' | 'archive' | 'gone'> {
  const { file_path, agent_name: agent, source_name, discovered_at: at } = message;
  if (file_path === null || source_name === null) return 'gone';
  const path = join(home, file_path);
  if (isItsFile(await entryAt(disk, path), message)) return 'outbox';
  const stem = archiveStem(source_name, message.message_id);
  const archived = join(home, archivePath({ agent, stem, at }));
  const entry = await entryAt(disk, archived);
  const isTheirs = await hasForeignOutbox(disk, home, agent);
  const isOurs = entry?.kind === 'file' && entry.ownerUid === (await ownerOfArchive(disk, home));
  // L2
  if (isTheirs && isOurs) return 'archive';
  if (isItsFile(entry, message)) {
    if (!isTheirs) return 'archive';
    await disk.remove(archived);
    return 'gone';
  }
  // L1
  if (entry !== undefined) await putBack(disk, archived, path);
  return 'gone';
}

async function hasForeignOutbox(disk: Disk, home: string, agent: string): Promise<boolean> {
  const outbox = await entryAt(disk, join(home, 'agents', agent, 'outbox'));
  return outbox?.kind === 'folder' && outbox.ownerUid !== (await ownerOfArchive(disk, home));
}

async function ownerOfArchive(disk: Disk, home: string): Promise<number | undefined> {
  return (await entryAt(disk, join(home, 'archive')))?.ownerUid;
}

async function entryAt(disk: Disk, path: string): Promise<DiskEntry | undefined> {
  try {
    return await disk.stat(path);
  } catch (failure) {
    // Its agent may have put something else where the outbox was.
    if (failure instanceof AosError && failure.code === 'disk.not-a-folder') return undefined;
    throw failure;
  }
}

function isItsFile(entry: DiskEntry | undefined, message: MessageRow): boolean {
  return (
    entry?.kind === 'file' &&
    entry.sizeBytes === message.file_size &&
    entry.modifiedNs === message.file_mtime_ns &&
    entry.inode === message.file_inode
  );
}
