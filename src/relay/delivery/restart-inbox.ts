import { returnInbox } from '../../ledger/messages/deliveries.ts';
import type { RelayCore } from '../deps.ts';

/** Everything that lay unread in an inbox folder waits to be delivered again; tells how many. */
export function restartInbox({ ledger }: RelayCore, recipient: string): Promise<number> {
  return ledger.transact(async (tx) => {
    const messages = await returnInbox(tx, recipient);
    const event = { actor: 'system', kind: 'inbox.restarted', subject: `agent:${recipient}` };
    if (messages > 0) await tx.record({ ...event, data: { messages } });
    return messages;
  });
}
