/**
 * From the ledger to the recipients. Each mailbox, and each subscription, is a queue that
 * is worked off in order, one batch after another (queue.ts).
 *
 * D1. Only what is on disk is delivered, and only by who holds it.
 * D2. What was accepted a moment ago goes straight from memory when everything before it
 *     in its queue has; else it waits in the ledger (the queue is `behind`), and is read
 *     from there in its turn. So the order of a queue is that of the ledger, by priority.
 * D3. A try that fails gives back everything it held. The first that did not get there has
 *     failed once more, and until its next try nothing behind it goes; after the last try
 *     it is dead.
 * D4. Inbox files may be written twice: they have the same name and the same content. A
 *     delivery that was ended meanwhile is not counted, and its file is taken away.
 * D5. What reached an inbox before its row says so is noted beside (mail.ts): a daemon
 *     that starts after a kill knows it from what never did, also when the file was read.
 */
import { early } from '../../kernel/turns.ts';
import type { Queue } from '../../ledger/messages/deliveries.ts';
import { queuesWithMail } from '../../ledger/messages/find-mail.ts';
import { ownerParty, relayParty } from '../envelope.ts';
import type { Handover, PlacedMail } from '../posting.ts';
import { leadName } from '../route.ts';
import type { DeliverDeps } from './egress.ts';
import { DeliveryQueue } from './queue.ts';

const graceMs = 2000;

export class Deliverer implements Handover, AsyncDisposable {
  readonly #deps: DeliverDeps;
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #stop = new AbortController();
  #isStarted = false;

  constructor(deps: DeliverDeps) {
    this.#deps = deps;
  }

  /** Takes up what lies in the ledger. Before, nothing is delivered: it all waits there. */
  async start(): Promise<void> {
    this.#isStarted = true;
    for (const queue of await queuesWithMail(this.#deps.core.ledger.committed)) this.wake(queue);
  }

  // D2
  takes(recipient: string, subscription: number): boolean {
    if (recipient === leadName || !this.#reaches({ recipient, subscription })) return false;
    return this.#queues.get(keyOf({ recipient, subscription }))?.takes() ?? true;
  }

  place(placed: readonly PlacedMail[]): void {
    for (const { mail, message, held } of placed) {
      const queue = { recipient: mail.recipient, subscription: mail.subscription };
      if (held) this.#running(queue).add({ mail, message });
      else this.wake(queue);
    }
  }

  /** There may be something in the ledger for this queue, or a new way to deliver it. */
  wake(queue: Queue): void {
    if (this.#reaches(queue)) this.#running(queue).look();
  }

  /** Whether nothing of this queue is on its way, now or within that time. */
  async isQuiet(queue: Queue, patienceMs: number): Promise<boolean> {
    const running = this.#queues.get(keyOf(queue));
    if (running === undefined || running.isPausing) return true;
    const { clock } = this.#deps.core;
    const patience = new AbortController();
    const ended = running.ended.then(() => true);
    const late = clock.sleep(patienceMs, patience.signal).then(() => running.isPausing);
    // It is woken when the other was faster.
    late.catch(() => {});
    const isQuiet = await Promise.race([ended, late]);
    patience.abort(early);
    return isQuiet;
  }

  /** What is on its way gets there first, unless it takes too long or waits for another try. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { clock } = this.#deps.core;
    const busy = [...this.#queues.values()].filter((queue) => !queue.isPausing);
    const patience = new AbortController();
    await Promise.race([
      Promise.all(busy.map(({ ended }) => ended)),
      // It is woken when the others were faster.
      clock.sleep(graceMs, patience.signal).catch(() => {}),
    ]);
    patience.abort(early);
    this.#stop.abort();
    await Promise.all([...this.#queues.values()].map(({ ended }) => ended));
  }

  #reaches(queue: Queue): boolean {
    if (!this.#isStarted) return false;
    if (this.#deps.sinks.of(queue) !== undefined) return true;
    const { recipient, subscription } = queue;
    return subscription === 0 && recipient !== ownerParty && recipient !== relayParty;
  }

  #running(queue: Queue): DeliveryQueue {
    const key = keyOf(queue);
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const onEnd = (): void => void this.#queues.delete(key);
    const running = new DeliveryQueue(this.#deps, queue, { signal: this.#stop.signal, onEnd });
    this.#queues.set(key, running);
    return running;
  }
}

function keyOf({ recipient, subscription }: Queue): string {
  return subscription === 0 ? recipient : `${recipient}/${subscription}`;
}
