import type { DeliveryVia, Queue } from '../../ledger/messages/deliveries.ts';
import type { RelayCore } from '../deps.ts';
import type { Outgoing } from '../mail.ts';
import type { Posted } from '../posting.ts';
import type { Sinks } from './sinks.ts';

/** What delivering needs besides the relay's core. */
export interface DeliverDeps {
  readonly core: RelayCore;
  readonly sinks: Sinks;
  /** Called before files go into an inbox folder. */
  expecting(recipient: string, coming?: readonly string[]): void;
  /** An inbox was gone and is made again. Tells how many that lay in it wait to come again. */
  inboxGone(recipient: string): Promise<number>;
  /** Told after the commit. */
  delivered(queue: Queue, via: DeliveryVia, batch: readonly Outgoing[]): void;
  /** What a transaction of ours has placed besides: what senders are told. */
  posted(posted: Posted): void;
}
