/** Puts the relay together, and ends it. */

import type { Clock } from '../kernel/ports.ts';
import { Bells } from '../kernel/turns.ts';
import { batchRows, type Transaction } from '../ledger/ledger.ts';
import { type DeliveryVia, lastStamp, type Queue } from '../ledger/messages/deliveries.ts';
import { recipientsWithUnread } from '../ledger/messages/find-mail.ts';
import { filesDone, type MessageRow, messageIdsFrom } from '../ledger/messages/messages.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { Deliverer } from './delivery/deliver.ts';
import { endMailOfTerminated, expireAll, runExpiry } from './delivery/expire.ts';
import { Sinks } from './delivery/outcome.ts';
import { InboxReads, recover } from './delivery/recover.ts';
import { Notes, type RelayCore, type RelayDeps, Stamps } from './deps.ts';
import { type Acceptance, type Incoming, type PrincipalName, relayName } from './envelope.ts';
import { openGroups } from './groups.ts';
import { readHistory } from './history.ts';
import { rateLimit } from './limits.ts';
import type { OutgoingMail } from './mail.ts';
import { openMailboxes, returnUnread } from './mailboxes.ts';
import type { Posted } from './posting.ts';
import type { FilesDone, MessageHistory, Relay } from './relay.ts';

export interface OpenRelayDeps extends RelayDeps {
  /** Under which deliveries are held; no two processes have the same. */
  readonly holder: string;
  readonly sameBoot: boolean;
  locate(message: MessageRow): Promise<'outbox' | 'archive' | 'gone'>;
  /** Told before files go into this agent's inbox, and when none is left that is unread. */
  readonly inboxWatch: {
    expect(recipient: string, coming?: readonly string[]): void;
    forget(recipient: string): void;
  };
}

export interface RunningRelay extends Relay, AsyncDisposable {
  /** These files are no longer in the inbox. */
  gone(recipient: string, names: readonly string[]): Promise<void>;
  /** There may be something for this recipient, who was not there before. */
  wake(recipient: string): void;
  /** Who has called since this was asked last, and who is attached now. */
  heardSince(): readonly string[];
  /** Ends what waits for agents that were terminated; tells how many. */
  endMailOfTerminated(): Promise<number>;
}

/** Recovers what was interrupted, then delivers, expires and sweeps until it is disposed of. */
export async function openRelay(deps: OpenRelayDeps): Promise<RunningRelay> {
  const stamps = new Stamps(await lastStamp(deps.ledger.committed));
  const notes = new Notes(deps.clock, deps.limits.noteWithinMs);
  const relay = new LiveRelay(deps, { ...deps, stamps, notes });
  await relay.start();
  return relay;
}

class LiveRelay implements RunningRelay {
  readonly rate: Relay['rate'];
  readonly mailboxes: Relay['mailboxes'];
  readonly groups: Relay['groups'];
  readonly #deps: OpenRelayDeps;
  readonly #core: RelayCore;
  readonly #sinks = new Sinks();
  readonly #bells: Bells;
  readonly #deliverer: Deliverer;
  readonly #accepting: AcceptDeps;
  readonly #reads: InboxReads;
  readonly #heard = new Set<string>();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(deps: OpenRelayDeps, core: RelayCore) {
    this.#deps = deps;
    this.#core = core;
    this.#bells = new Bells(deps.clock);
    const sinks = this.#sinks;
    const posted = (posted: Posted): void => this.#posted(posted);
    this.#deliverer = new Deliverer({
      ...{ core, sinks, posted },
      expecting: (recipient, coming) => deps.inboxWatch.expect(recipient, coming),
      inboxGone: (recipient) => this.#inboxGone(recipient),
      delivered: (queue, via, batch) => this.#delivered(queue, via, batch),
    });
    const deliverer = this.#deliverer;
    this.#accepting = { core, handover: deliverer, looks: { latest: undefined }, posted };
    const wake = (queue: Queue): void => deliverer.wake(queue);
    const isQuiet = (queue: Queue, ms: number): Promise<boolean> => deliverer.isQuiet(queue, ms);
    this.#reads = new InboxReads({ ...this.#accepting, wake });
    this.rate = rateLimit(deps.clock, core.limits);
    const mailbox = { wake, isQuiet, sinks, bells: this.#bells };
    this.mailboxes = openMailboxes({ ...this.#accepting, ...mailbox });
    this.groups = openGroups({ core, wake });
  }

  async start(): Promise<void> {
    const { ledger, inboxWatch } = this.#deps;
    const reads = this.#reads;
    await recover({ ...this.#deps, core: this.#core, reads });
    // What expired while no daemon ran must not be delivered now.
    await expireAll(this.#accepting);
    const unread = await recipientsWithUnread(ledger.committed);
    await this.#deliverer.start();
    // What is read from now on is heard of; last, because that needs this relay.
    for (const recipient of unread) inboxWatch.expect(recipient);
    const { signal } = this.#stop;
    this.#running = Promise.all([
      runExpiry(this.#accepting, signal),
      sweepInboxes(this.#deps, { reads, signal }),
    ]);
  }

  accept(batch: readonly Incoming[]): Promise<readonly Acceptance[]> {
    return accept(this.#accepting, batch);
  }

  filesDone(files: FilesDone): Promise<void> {
    return noteFilesDone(this.#core, files);
  }

  history(id: string): Promise<MessageHistory | undefined> {
    return readHistory(this.#deps.ledger.committed, id);
  }

  idsFrom(prefix: string, limit: number): Promise<readonly string[]> {
    return messageIdsFrom(this.#deps.ledger.committed, prefix, limit);
  }

  gone(recipient: string, names: readonly string[]): Promise<void> {
    return this.#reads.gone(recipient, names);
  }

  wake(recipient: string): void {
    this.#deliverer.wake({ recipient, subscription: 0 });
  }

  heardFrom(principal: PrincipalName): void {
    this.#heard.add(principal);
  }

  heardSince(): readonly string[] {
    const names = new Set([...this.#heard, ...this.#sinks.recipients()]);
    this.#heard.clear();
    return [...names];
  }

  endMailOfTerminated(): Promise<number> {
    return endMailOfTerminated(this.#accepting);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#core.notes.flush();
    await this.#deliverer[Symbol.asyncDispose]();
  }

  /** After the commit, and before the callers are answered. */
  #posted({ placed, ended, hasRequests }: Posted): void {
    const core = this.#core;
    this.#deliverer.place(placed);
    for (const { mail } of placed) {
      this.#bells.ring(mail.recipient);
      core.onMail(mail.recipient);
    }
    if (hasRequests) core.onMail(relayName);
    for (const { state, reason } of ended) core.metrics.ended(state, reason);
  }

  #delivered(queue: Queue, via: DeliveryVia, batch: readonly OutgoingMail[]): void {
    // A reader that looked while it was on its way saw nothing.
    this.#bells.ring(queue.recipient);
    const after =
      via === 'push'
        ? this.#returnLeft(queue, batch)
        : this.#reads.delivered(queue.recipient, batch);
    after.catch((failure: unknown) =>
      this.#core.log.error({ err: failure }, 'a reading was not noted'),
    );
  }

  async #returnLeft(queue: Queue, batch: readonly OutgoingMail[]): Promise<void> {
    const left = this.#sinks.leftBehind(queue.recipient, batch);
    if (left.length === 0) return;
    await returnUnread(this.#core, left);
    this.#deliverer.wake(queue);
  }

  #inboxGone(recipient: string): Promise<number> {
    // The watch is on the folder that was there.
    this.#deps.inboxWatch.forget(recipient);
    return this.#reads.inboxGone(recipient);
  }
}

async function noteFilesDone(
  { ledger, clock, notes }: RelayCore,
  { archived, gone }: FilesDone,
): Promise<void> {
  await notes.turn();
  const note = async (
    tx: Transaction,
    ids: readonly string[],
    status: 'archived' | 'completed',
  ) => {
    for (let start = 0; start < ids.length; start += batchRows) {
      await filesDone(tx, ids.slice(start, start + batchRows), { status, at: clock.now() });
    }
  };
  await ledger.transact(async (tx) => {
    await note(tx, archived, 'archived');
    await note(tx, gone, 'completed');
  });
}

const sweepMs = 30_000;

/** The net under the notices: what is gone from an inbox, and which inboxes need no watch any more. */
async function sweepInboxes(
  { ledger, clock, inboxWatch, log }: OpenRelayDeps,
  { reads, signal }: { readonly reads: InboxReads; readonly signal: AbortSignal },
): Promise<void> {
  while (await slept(clock, signal)) {
    try {
      for (const recipient of await recipientsWithUnread(ledger.committed)) {
        inboxWatch.expect(recipient);
        if ((await reads.trySweep(recipient)) === 0) inboxWatch.forget(recipient);
      }
    } catch (failure) {
      if (!signal.aborted) log.error({ err: failure }, 'inboxes cannot be looked through now');
    }
  }
}

/** False when it was stopped. */
async function slept(clock: Clock, signal: AbortSignal): Promise<boolean> {
  // Being stopped is the way this ends.
  await clock.sleep(sweepMs, signal).catch(() => {});
  return !signal.aborted;
}
