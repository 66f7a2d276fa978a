/** Claims what waits in the ledger for one queue, in its order. See deliver.ts. */
import { longestDelayMs } from '../../kernel/message/message.ts';
import { presenceOf } from '../../ledger/agents.ts';
import { batchRows, type Transaction } from '../../ledger/ledger.ts';
import type { Queue } from '../../ledger/messages/deliveries.ts';
import { waitingMail } from '../../ledger/messages/find-mail.ts';
import { claimDeliveries } from '../../ledger/messages/held-deliveries.ts';
import type { RelayCore } from '../deps.ts';
import { messageOf, type Outgoing } from '../mail.ts';
import { leadName } from '../route.ts';

export type Claim =
  /** Nothing else waits. */
  | { readonly kind: 'all'; readonly claimed: readonly Outgoing[] }
  | { readonly kind: 'some'; readonly claimed: readonly Outgoing[] }
  | BlockedClaim;

/** The next in turn has to wait for another try. */
export interface BlockedClaim {
  readonly kind: 'blocked';
  readonly claimed: readonly Outgoing[];
  readonly until: number;
}

/** D1. A batch at most, and nothing while its recipient is not there. */
export async function claimMail(core: RelayCore, tx: Transaction, queue: Queue): Promise<Claim> {
  const claimed: Outgoing[] = [];
  if (!(await isThere(tx, queue.recipient))) return { kind: 'all', claimed };
  const now = core.clock.now();
  const waiting = await waitingMail(tx, queue, { now, limit: batchRows });
  // D3. What is further ahead than a try can be was set by a clock that has been put back.
  const blocked = waiting.find(({ due_at }) => due_at > now && due_at <= now + longestDelayMs);
  const next = blocked === undefined ? waiting : waiting.slice(0, waiting.indexOf(blocked));
  const ids = next.map(({ delivery }) => delivery);
  const held = ids.length === 0 ? new Set() : await claimDeliveries(tx, ids, core.holder);
  for (const mail of next) {
    if (held.has(mail.delivery)) claimed.push({ mail, message: messageOf(mail) });
  }
  if (blocked !== undefined) return { kind: 'blocked', claimed, until: blocked.due_at };
  return { kind: waiting.length < batchRows ? 'all' : 'some', claimed };
}

/** Messages may wait under the name of somebody who is not there, as for a Lead. */
async function isThere(tx: Transaction, recipient: string): Promise<boolean> {
  if (recipient !== leadName) return true;
  const presence = await presenceOf(tx, recipient);
  return presence !== undefined && presence !== 'terminated';
}
