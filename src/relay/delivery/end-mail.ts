/** What still waits for an agent that was terminated dies with it, and its senders are told. */
import { type MailRow, mailOfTerminated } from '../../ledger/messages/find-mail.ts';
import type { AcceptDeps } from '../accept.ts';
import { Posting } from '../posting.ts';
import { leadName } from '../route.ts';
import { clearFiles } from './inbox-cleanup.ts';
import { endBadly } from './settle.ts';

const pageMails = 64;

/**
 * Tells how many ended. It may be repeated, and is, so a crash in between loses nothing.
 * What waits under the name `Lead` waits for whoever will be it.
 */
export async function endMailOfTerminated(deps: AcceptDeps): Promise<number> {
  let all = 0;
  for (;;) {
    const ended = await endSome(deps);
    all += ended;
    if (ended < pageMails) return all;
  }
}

async function endSome({ core, handover, posted }: AcceptDeps): Promise<number> {
  const wanted = { except: leadName, limit: pageMails };
  // Most looks find nothing, and those need not be written down.
  if ((await mailOfTerminated(core.ledger.committed, wanted)).length === 0) return 0;
  const { ended, after } = await core.ledger.transact(async (tx) => {
    const posting = new Posting(core, tx, handover);
    const ended: MailRow[] = [];
    for (const mail of await mailOfTerminated(tx, wanted)) {
      const reason = `agent ${mail.recipient} was terminated`;
      if (await endBadly(posting, mail, { state: 'dead', reason })) ended.push(mail);
    }
    return { ended, after: await posting.finish() };
  });
  posted(after);
  await clearFiles(core, ended);
  return ended.length;
}
