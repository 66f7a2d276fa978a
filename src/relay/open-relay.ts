/** Puts the relay together, and ends it. */

import type { Clock } from '../kernel/ports.ts';
import { Bells } from '../kernel/turns.ts';
import { batchRows, type Transaction } from '../ledger/ledger.ts';
import { lastStamp, type Queue } from '../ledger/messages/deliveries.ts';
import { recipientsWithUnread } from '../ledger/messages/find-mail.ts';
import { filesDone, type MessageRow, messageIdsFrom } from '../ledger/messages/messages.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { Deliverer } from './delivery/deliver.ts';
import { endMailOfTerminated, expireAll, runExpiry } from './delivery/expire.ts';
import { InboxReads, recover } from './delivery/recover.ts';
import { Sinks } from './delivery/sinks.ts';
import { Notes, type RelayCore, type RelayDeps, Stamps } from './deps.ts';
import { relayParty } from './envelope.ts';
import { openGroups } from './groups.ts';
import { readHistory } from './history.ts';
import { rateLimit } from './limits.ts';
import type { Outgoing } from './mail.ts';
import { openMailboxes, returnUnread } from './mailboxes.ts';
import type { Posted } from './posting.ts';
import type { FilesDone, Relay } from './relay.ts';

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
  const { ledger, clock } = deps;
  const stamps = new Stamps(await lastStamp(ledger.committed));
  const notes = new Notes(clock, deps.limits.noteWithinMs);
  const core: RelayCore = { ...deps, stamps, notes };
  const sinks = new Sinks();
  const bells = new Bells(clock);
  const heard = new Set<string>();

  const posted = ({ placed, ended, hasRequests }: Posted): void => {
    deliverer.place(placed);
    for (const { mail } of placed) {
      bells.ring(mail.recipient);
      core.onMail(mail.recipient);
    }
    if (hasRequests) core.onMail(relayParty);
    for (const { state, reason } of ended) core.metrics.ended(state, reason);
  };
  const delivered = (queue: Queue, via: string, batch: readonly Outgoing[]): void => {
    // Whoever looked while it was on its way saw nothing.
    bells.ring(queue.recipient);
    const after =
      via === 'push' ? returnLeft(queue, batch) : reads.delivered(queue.recipient, batch);
    after.catch((failure: unknown) => core.log.error({ err: failure }, 'a reading was not noted'));
  };
  const returnLeft = async (queue: Queue, batch: readonly Outgoing[]): Promise<void> => {
    const left = sinks.leftBehind(queue.recipient, batch);
    if (left.length === 0) return;
    await returnUnread(core, left);
    deliverer.wake(queue);
  };
  const expecting = (recipient: string, coming?: readonly string[]): void =>
    deps.inboxWatch.expect(recipient, coming);
  const inboxGone = (recipient: string): Promise<number> => {
    // The watch is on the folder that was there.
    deps.inboxWatch.forget(recipient);
    return reads.inboxGone(recipient);
  };
  const deliverer = new Deliverer({ core, sinks, expecting, inboxGone, delivered, posted });
  const looks = { latest: undefined };
  const shared: AcceptDeps = { core, handover: deliverer, looks, posted };
  const wake = (queue: Queue): void => deliverer.wake(queue);
  const reads = new InboxReads({ ...shared, wake });
  const isQuiet = (queue: Queue, ms: number): Promise<boolean> => deliverer.isQuiet(queue, ms);

  await recover({ ...deps, core, reads });
  // What expired while nobody was here must not be delivered now.
  await expireAll(shared);
  const unread = await recipientsWithUnread(ledger.committed);
  await deliverer.start();
  // What is read from now on is heard of; last, because who hears of it needs this relay.
  for (const recipient of unread) expecting(recipient);
  const stop = new AbortController();
  const running = [
    runExpiry(shared, stop.signal),
    sweepInboxes(deps, { reads, signal: stop.signal }),
  ];
  return {
    accept: (batch) => accept(shared, batch),
    filesDone: (files) => noteFilesDone(core, files),
    rate: rateLimit(clock, core.limits),
    mailboxes: openMailboxes({ ...shared, wake, isQuiet, sinks, bells }),
    groups: openGroups({ core, wake }),
    history: (id) => readHistory(ledger.committed, id),
    idsFrom: (prefix, limit) => messageIdsFrom(ledger.committed, prefix, limit),
    gone: (recipient, names) => reads.gone(recipient, names),
    wake: (recipient) => wake({ recipient, subscription: 0 }),
    heardFrom: (party) => void heard.add(party),
    heardSince: () => {
      const names = new Set([...heard, ...sinks.recipients()]);
      heard.clear();
      return [...names];
    },
    endMailOfTerminated: () => endMailOfTerminated(shared),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      notes.flush();
      await deliverer[Symbol.asyncDispose]();
    },
  };
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

/** The net under the notices: what is gone from an inbox, and whom nobody need watch any more. */
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
