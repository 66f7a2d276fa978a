/** Reading a mailbox, and waiting for something to be there. */

import type { Clock } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';
import type { Party } from './envelope.ts';
import type { Mailboxes, MailboxItem } from './relay.ts';

interface AwaitMailDeps {
  readonly mailboxes: Pick<Mailboxes, 'wait'>;
  readonly clock: Clock;
}

// The net under the bell.
const lookAgainMs = 1000;

export interface Patience {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** What is there now, or comes within that time; nothing when nobody waits any more. */
export async function awaitMail(
  { mailboxes, clock }: AwaitMailDeps,
  recipient: Party,
  look: () => Promise<readonly MailboxItem[]>,
  { waitMs, signal }: Patience,
): Promise<readonly MailboxItem[]> {
  const deadline = clock.monotonicMs() + waitMs;
  while (!signal.aborted) {
    const leftMs = Math.max(0, deadline - clock.monotonicMs());
    const found = new AbortController();
    // It listens before the look, or what comes in between would be missed.
    const news = mailboxes
      .wait(recipient, Math.min(leftMs, lookAgainMs), AbortSignal.any([found.signal, signal]))
      // Found at once, or nobody waits any more.
      .catch(() => {});
    try {
      const items = await look();
      if (items.length > 0 || leftMs === 0) return items;
      await news;
    } finally {
      found.abort(early);
    }
  }
  return [];
}
