/**
 * What lies unread in the inbox folder when somebody attaches: it came first, so it is
 * pushed first.
 */
import type { Clock } from '../../kernel/ports.ts';
import type { Party } from '../../relay/envelope.ts';
import type { Mailboxes } from '../../relay/relay.ts';
import { mostItems } from '../../verbs/limits.ts';
import type { LiveMail } from './live-mail.ts';
import type { MailAttachment } from './mail-attachment.ts';

export interface BacklogDeps {
  readonly mailboxes: Pick<Mailboxes, 'list'>;
  readonly live: LiveMail;
  readonly clock: Clock;
}

export async function pushBacklog(
  { mailboxes, live }: BacklogDeps,
  party: Party,
  mail: MailAttachment,
): Promise<void> {
  while (!mail.isOver) {
    const unread = await mailboxes.list(party, { limit: mostItems });
    // What is still to be delivered, the relay pushes; what somebody has, they have.
    const lying = unread.filter(({ id, state }) => state === 'delivered' && !live.has(party, id));
    if (lying.length === 0) return;
    await mail.push(lying);
    if (unread.length < mostItems) return;
    // A look shows the first only, so these must be read before the next shows more.
    await mail.allRead();
  }
}

// A file is written in less than the first; the others are for a disk that is busy.
const straggling = [10, 100, 1000, 5000] as const;

/**
 * What was on its way to the inbox folder at the moment of attaching, which nobody sees
 * until it is there.
 */
export async function pushStragglers(
  deps: BacklogDeps,
  party: Party,
  { mail, gone }: { readonly mail: MailAttachment; readonly gone: AbortSignal },
): Promise<void> {
  for (const pauseMs of straggling) {
    await deps.clock.sleep(pauseMs, gone);
    await pushBacklog(deps, party, mail);
  }
}
