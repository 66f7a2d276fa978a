/**
 * From the ledger to the recipients. Each mailbox, and each subscription, is a queue that
 * is worked off in order, one batch after another.
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

import { toReport } from '../../kernel/errors.ts';
import { longestDelayMs } from '../../kernel/message/message.ts';
import { early } from '../../kernel/turns.ts';
import { presenceOf } from '../../ledger/agents.ts';
import { batchRows, type Transaction } from '../../ledger/ledger.ts';
import { claimDeliveries, type DeliveryVia, type Queue } from '../../ledger/messages/deliveries.ts';
import { queuesWithMail, waitingMail } from '../../ledger/messages/find-mail.ts';
import type { RelayCore } from '../deps.ts';
import { ownerName, relayName } from '../envelope.ts';
import { leadName, messageOf, type OutgoingMail, type WrittenBatch } from '../mail.ts';
import type { Handover, PlacedMail } from '../posting.ts';
import {
  type DeliverDeps,
  egressOf,
  HeldMail,
  noteFailure,
  noteSuccess,
  release,
  takeAway,
} from './outcome.ts';

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
    return subscription === 0 && recipient !== ownerName && recipient !== relayName;
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

// One queue with something to do; it ends by itself when there is nothing left.

// How long to wait when the ledger takes nothing.
const troubleMs = 1000;
// Batches that have reached the recipient while the ledger writes that down. A caller that accepts
// messages has many transactions under way, and one at a time would fall behind.
const mostNoting = 8;
// So many are worth a flush of their own.
const manyMessages = 16;

interface Life {
  readonly signal: AbortSignal;
  /** Called when it has nothing left to do and takes nothing more. */
  readonly onEnd: () => void;
}

class DeliveryQueue {
  readonly ended: Promise<void>;
  readonly #deps: DeliverDeps;
  readonly #queue: Queue;
  readonly #life: Life;
  readonly #held = new HeldMail();
  /** D2: something in the ledger comes before whatever is accepted next. */
  #behind = false;
  /** D3: what was tried and failed is in the ledger, and comes before all that waits here. */
  #blocked = false;
  #looks = 0;
  #pausing: AbortController | undefined;
  readonly #noting = new Set<Promise<void>>();
  #wakeUp: (() => void) | undefined;

  constructor(deps: DeliverDeps, queue: Queue, life: Life) {
    this.#deps = deps;
    this.#queue = queue;
    this.#life = life;
    this.ended = this.#run();
  }

  /** It waits for another try, or for a look(). */
  get isPausing(): boolean {
    return this.#pausing !== undefined;
  }

  takes(): boolean {
    return this.#held.hasRoom && !this.#behind;
  }

  add(outgoing: OutgoingMail): void {
    this.#held.add(outgoing);
    this.#wakeUp?.();
  }

  /** Something is, or may be, in the ledger. */
  look(): void {
    this.#behind = true;
    this.#looks++;
    this.#wakeUp?.();
    this.#pausing?.abort(early);
    this.#pausing = undefined;
  }

  async #run(): Promise<void> {
    // The caller that made this queue has not put anything into it yet.
    await undefined;
    while (this.#hasWork() || this.#noting.size > 0) {
      try {
        if (this.#hasWork()) await this.#step();
        else await this.#rest();
      } catch (failure) {
        await this.#trouble(failure);
      }
    }
    this.#life.onEnd();
  }

  /** Until something is to be delivered, or everything that was is noted. */
  async #rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
    });
    await Promise.race([woken, this.#allNoted()]);
    this.#wakeUp = undefined;
  }

  #hasWork(): boolean {
    return !this.#life.signal.aborted && (this.#behind || this.#held.count > 0);
  }

  // What is behind comes first, or what waits here would overtake it.
  #step(): Promise<void> {
    const looksFirst = this.#blocked || (this.#behind && this.#held.count < batchRows);
    return looksFirst ? this.#claim() : this.#deliver(this.#held.nextBatch());
  }

  /** A ledger that takes nothing now may do so later; what is held stays held until then. */
  async #trouble(failure: unknown): Promise<void> {
    const { log, clock } = this.#deps.core;
    if (this.#life.signal.aborted) return;
    const { recipient } = this.#queue;
    log.error({ error: toReport(failure), recipient }, 'a mailbox cannot be worked off now');
    await this.#pause(clock.now() + troubleMs, this.#looks);
  }

  // D1
  async #claim(): Promise<void> {
    const looks = this.#looks;
    const { core } = this.#deps;
    const claim = await core.ledger.transact((tx) => claimMail(core, tx, this.#queue));
    this.#blocked = claim.kind === 'blocked';
    if (claim.kind === 'blocked') return this.#stopAt(claim, looks);
    for (const outgoing of claim.claimed) this.add(outgoing);
    // A look() since may have brought something that this claim did not see.
    if (claim.kind === 'all' && looks === this.#looks) this.#behind = false;
  }

  /** D3: what comes before the blocked one goes, and what comes behind it is given back. */
  async #stopAt({ claimed, until }: BlockedClaim, looks: number): Promise<void> {
    if (this.#held.count > 0) await this.#giveBack([]);
    this.#behind = true;
    if (claimed.length > 0) await this.#deliver(claimed);
    else await this.#pause(until, looks);
  }

  async #deliver(batch: readonly OutgoingMail[]): Promise<void> {
    const good = await this.#stillGood(batch);
    if (good.length === 0) return;
    const egress = egressOf(this.#deps, this.#queue);
    if (egress === undefined) return this.#giveBack(good);
    const written = await egress.send(good).catch(notSent);
    this.#note(good.slice(0, written.count), egress.via, written.noted);
    const { failure } = written;
    const { notes } = this.#deps.core;
    if (failure !== undefined || this.#noting.size >= mostNoting) notes.flush();
    if (failure !== undefined) {
      await this.#allNoted();
      await this.#fail(good.slice(written.count), withoutHome(failure.message));
    } else if (this.#noting.size >= mostNoting) {
      await Promise.race(this.#noting);
    }
  }

  /** What expired while it waited here goes nowhere: its sender was told, or will be. */
  async #stillGood(batch: readonly OutgoingMail[]): Promise<readonly OutgoingMail[]> {
    const { core } = this.#deps;
    const now = core.clock.now();
    const late = batch.filter(({ mail }) => mail.expires_at <= now);
    if (late.length === 0) return batch;
    await this.#persist(() => release(core, late));
    return batch.filter(({ mail }) => mail.expires_at > now);
  }

  /** What comes behind need not wait until this is written down. */
  #note(there: readonly OutgoingMail[], via: DeliveryVia, noted: () => Promise<void>): void {
    const noting = this.#succeed(there, via)
      .then(noted)
      // It was given up, because all ends: D5 tells the next start.
      .catch((failure: unknown) => this.#trouble(failure))
      .finally(() => void this.#noting.delete(noting));
    this.#noting.add(noting);
  }

  async #allNoted(): Promise<void> {
    await Promise.all(this.#noting);
  }

  async #succeed(there: readonly OutgoingMail[], via: DeliveryVia): Promise<void> {
    if (there.length === 0) return;
    const { notes, clock } = this.#deps.core;
    const at = clock.now();
    // What was pushed is read soon, and that is written in one go when this is.
    if (via === 'inbox' && there.length < manyMessages) await notes.turn();
    let over: readonly OutgoingMail[] = [];
    await this.#persist(async () => {
      over = await noteSuccess(this.#deps, this.#queue, { there, via, at });
    });
    if (via === 'inbox') await takeAway(this.#deps, this.#queue, over);
  }

  // D3
  async #fail(batch: readonly OutgoingMail[], reason: string): Promise<void> {
    this.#behind = true;
    this.#blocked = true;
    const looks = this.#looks;
    let dueAt = 0;
    await this.#persist(async () => {
      const held = [...batch, ...this.#held.all()];
      dueAt = await noteFailure(this.#deps, this.#queue, { held, reason });
      this.#held.drop(held);
    });
    await this.#pause(dueAt, looks);
  }

  /** There is no way to the recipient any more. */
  async #giveBack(batch: readonly OutgoingMail[]): Promise<void> {
    const looks = this.#looks;
    await this.#persist(async () => {
      const held = [...batch, ...this.#held.all()];
      await release(this.#deps.core, held);
      this.#held.drop(held);
    });
    // A look() since may mean a new way there.
    if (looks === this.#looks) this.#behind = false;
  }

  /** What has happened must be written down, however long the ledger takes nothing. */
  async #persist(work: () => Promise<void>): Promise<void> {
    const { log, clock } = this.#deps.core;
    for (;;) {
      try {
        await work();
        return;
      } catch (failure) {
        const { recipient } = this.#queue;
        log.error({ error: toReport(failure), recipient }, 'a delivery cannot be noted now');
        // D5 tells the next start, when this one ends meanwhile.
        await clock.sleep(troubleMs, this.#life.signal);
      }
    }
  }

  /** Until then, or until a look(), or all ends; then the ledger is looked at. */
  async #pause(until: number, looks: number): Promise<void> {
    const { clock } = this.#deps.core;
    // A look() meanwhile may have brought what goes first.
    if (looks !== this.#looks) return;
    const pausing = new AbortController();
    this.#pausing = pausing;
    const signal = AbortSignal.any([this.#life.signal, pausing.signal]);
    this.#behind = true;
    // Not longer than a try can be ahead: the clock may have been put back since that was set.
    const waitMs = Math.min(Math.max(1, until - clock.now()), longestDelayMs);
    // Woken early, which is as good.
    await clock.sleep(waitMs, signal).catch(() => {});
    this.#pausing = undefined;
  }
}

/** What breaks on the way has sent nothing; were it thrown, the batch would be held for ever. */
function notSent(failure: unknown): NotSent {
  return { count: 0, failure: toReport(failure), noted: async () => {} };
}

interface NotSent extends Pick<WrittenBatch, 'count' | 'noted'> {
  readonly failure: { readonly message: string };
}

// The sender reads why, and where the home folder lies is none of its business.
function withoutHome(words: string): string {
  return words.replaceAll(/"[^"]*\/agents\//g, '"agents/');
}

// Claims what waits in the ledger for one queue, in its order.

type Claim =
  /** Nothing else waits. */
  | { readonly kind: 'all'; readonly claimed: readonly OutgoingMail[] }
  | { readonly kind: 'some'; readonly claimed: readonly OutgoingMail[] }
  | BlockedClaim;

/** The next in turn has to wait for another try. */
interface BlockedClaim {
  readonly kind: 'blocked';
  readonly claimed: readonly OutgoingMail[];
  readonly until: number;
}

/** D1. A batch at most, and nothing while its recipient is not there. */
async function claimMail(core: RelayCore, tx: Transaction, queue: Queue): Promise<Claim> {
  const claimed: OutgoingMail[] = [];
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

/** Messages may wait under the name of an agent that is not there, as for a Lead. */
async function isThere(tx: Transaction, recipient: string): Promise<boolean> {
  if (recipient !== leadName) return true;
  const presence = await presenceOf(tx, recipient);
  return presence !== undefined && presence !== 'terminated';
}
