/**
 * Takes away the files in which a message still lies: in the archive, and unread in inboxes.
 *
 * E1. Who delivers a message has its text in memory, and makes a file of it; until its row says
 *     that none does, it is waited for.
 * E2. A file may be there before its row says so, and after it says something else. So it is
 *     looked for whatever the row says.
 */
import { join } from 'node:path';
import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import type { Clock, Disk } from '../../kernel/ports.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { type DeliveryRow, deliveriesOf } from '../../ledger/messages/deliveries.ts';
import { findMessage, type MessageRow } from '../../ledger/messages/messages.ts';
import { archivePath, archiveStem } from './archive.ts';
import { inboxPath } from './inbox-files.ts';

export interface EraseFilesDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  readonly sql: Sql;
}

const lookAgainMs = 20;
const patienceMs = 10_000;

/**
 * Of a message whose row says nothing any more. Resolves to false where it is still on its way:
 * then it has to be done again. What was packed with its day stays there until the day goes.
 */
export async function eraseFiles(deps: EraseFilesDeps, messageId: string): Promise<boolean> {
  const { sql, clock } = deps;
  const giveUpAt = clock.monotonicMs() + patienceMs;
  for (;;) {
    const message = await findMessage(sql, messageId);
    if (message === undefined) return true;
    const deliveries = await deliveriesOf(sql, message.id);
    // E1
    const isOnItsWay = isArriving(message) || deliveries.some(isHeld);
    if (isOnItsWay && clock.monotonicMs() < giveUpAt) {
      await clock.sleep(lookAgainMs);
      continue;
    }
    await removeArchived(deps, message);
    // E2
    for (const { recipient, stamp_ns } of deliveries) {
      await removeFromInbox(deps, recipient, fileNameOf(stamp_ns, messageId));
    }
    return !isOnItsWay;
  }
}

/** Its file is taken to the archive in a moment. */
function isArriving({ source_name, status }: MessageRow): boolean {
  return source_name !== null && status === 'processing';
}

function isHeld({ state, owner }: DeliveryRow): boolean {
  return state === 'accepted' && owner !== null;
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
