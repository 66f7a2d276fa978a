/** Messages whose time is up before they were read, or requests before they were answered. */
import type { Clock } from '../../kernel/ports.ts';
import { expiredMail, type MailFacts, mailOfTerminated } from '../../ledger/messages/find-mail.ts';
import type { AcceptDeps } from '../accept.ts';
import { leadName } from '../mail.ts';
import { Posting } from '../posting.ts';
import { clearFiles } from './outcome.ts';
import { endBadly } from './settle.ts';

const lookMs = 1000;
const pageMails = 64;

/** Looks again and again, until the signal aborts. */
export async function runExpiry(deps: AcceptDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps.core;
  while (!signal.aborted) {
    try {
      while ((await expireSome(deps)) === pageMails) signal.throwIfAborted();
    } catch (failure) {
      if (signal.aborted) return;
      log.error({ err: failure }, 'messages cannot be expired now');
    }
    await sleepUnless(clock, signal);
  }
}

async function sleepUnless(clock: Clock, signal: AbortSignal): Promise<void> {
  // Being stopped is the way this ends.
  await clock.sleep(lookMs, signal).catch(() => {});
}

/** Everything whose time is up now. */
export async function expireAll(deps: AcceptDeps): Promise<void> {
  while ((await expireSome(deps)) === pageMails) {
    // A page at a time, so that others get their turn.
  }
}

/** Tells how many it looked at. */
export async function expireSome({ core, handover, posted }: AcceptDeps): Promise<number> {
  const due = await expiredMail(core.ledger.committed, core.clock.now(), pageMails);
  if (due.length === 0) return 0;
  const { ended, after } = await core.ledger.transact(async (tx) => {
    const posting = new Posting(core, tx, handover);
    const ended: MailFacts[] = [];
    for (const mail of await expiredMail(tx, posting.now, pageMails)) {
      if (await endBadly(posting, mail, { state: 'expired', reason: reasonOf(mail) })) {
        ended.push(mail);
      }
    }
    return { ended, after: await posting.finish() };
  });
  posted(after);
  await clearFiles(core, ended);
  return due.length;
}

function reasonOf({ kind, state }: MailFacts): string {
  if (kind === 'request') return 'nobody answered it in time';
  return state === 'delivered' ? 'it was not read in time' : 'it could not be delivered in time';
}

// What still waits for an agent that was terminated dies with it, and its senders are told.

/**
 * Tells how many ended. It may be repeated, and is, so a crash in between loses nothing.
 * What waits under the name `Lead` waits for the agent that will be it.
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
    const ended: MailFacts[] = [];
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
