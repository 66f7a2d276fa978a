import { toReport } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import type { MailRow } from '../../ledger/messages/find-mail.ts';
import type { RelayCore } from '../deps.ts';

/**
 * Takes the files of messages away that are over, or read elsewhere: nobody should find, and
 * act on, what its sender was told is over. One inbox that cannot be touched keeps no other
 * from being cleared.
 */
export async function clearFiles(core: RelayCore, mails: readonly MailRow[]): Promise<void> {
  const lying = mails.filter(({ state, via }) => state === 'delivered' && via === 'inbox');
  for (const [recipient, theirs] of Map.groupBy(lying, (mail) => mail.recipient)) {
    const names = theirs.map(({ stamp_ns, message_id }) => fileNameOf(stamp_ns, message_id));
    await removeFiles(core, recipient, names);
  }
}

export async function removeFiles(
  { inboxes, log }: RelayCore,
  recipient: string,
  names: readonly string[],
): Promise<void> {
  try {
    await inboxes.remove(recipient, names);
  } catch (failure) {
    const words = 'files of messages that are over stay in an inbox';
    log.warn({ error: toReport(failure), recipient, files: names.length }, words);
  }
}
