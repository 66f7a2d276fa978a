/** Takes away the files in which a message still lies: in the archive, and unread in inboxes. */
import { join } from 'node:path';
import { isMissing } from '../../kernel/disk-errors.ts';
import { fileNameOf } from '../../kernel/message-file-name.ts';
import type { Disk } from '../../kernel/ports.ts';
import { removeIfThere } from '../../kernel/remove.ts';
import { deliveriesOf } from '../../ledger/deliveries.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { findMessage, type MessageRow } from '../../ledger/messages.ts';
import { archivePath, archiveStem } from './archive.ts';
import { inboxPath } from './inbox-files.ts';

export interface EraseFilesDeps {
  readonly disk: Disk;
  readonly home: string;
  readonly sql: Sql;
}

/** What was packed with its day stays there until the day goes. */
export async function eraseFiles(deps: EraseFilesDeps, messageId: string): Promise<void> {
  const message = await findMessage(deps.sql, messageId);
  if (message === undefined) return;
  await removeArchived(deps, message);
  for (const { recipient, state, via, stamp_ns } of await deliveriesOf(deps.sql, message.id)) {
    if (state !== 'delivered' || via !== 'inbox') continue;
    await removeFromInbox(deps, recipient, fileNameOf(stamp_ns, messageId));
  }
}

async function removeArchived(
  { disk, home }: EraseFilesDeps,
  { agent_name: agent, source_name, message_id, discovered_at: at }: MessageRow,
): Promise<void> {
  if (source_name === null) return;
  const stem = archiveStem(source_name, message_id);
  await removeIfThere(disk, join(home, archivePath({ agent, stem, at })));
}

async function removeFromInbox(
  { disk, home }: EraseFilesDeps,
  recipient: string,
  name: string,
): Promise<void> {
  try {
    // The folder itself and no symlink in its place.
    await using inbox = await disk.holdFolder(inboxPath(home, recipient));
    await removeIfThere(disk, `${inbox.path}/${name}`);
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
}
