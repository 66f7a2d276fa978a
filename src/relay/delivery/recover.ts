/**
 * What a relay does before it takes anything in: the process that held deliveries is dead, because
 * the home has one owner at a time.
 *
 * V1. What reached an inbox and was not noted is noted first (deliver.ts, D5); only then is
 *     everything given back that was held.
 * V2. On the same boot of the machine nothing that was written is lost, so an unread file
 *     that is missing was read. After a power cut it may be lost, or cut short: everything
 *     that is not over is delivered again.
 */

import { AosError, toReport } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import { everyAgent } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import {
  deliveriesSucceeded,
  everyStamp,
  heldByStamp,
  pushedMail,
  type Queue,
  releaseAllBut,
  returnDelivery,
  returnInbox,
} from '../../ledger/messages/deliveries.ts';
import {
  recipientsWithUnread,
  type UnreadFile,
  unreadByStamp,
  unreadInInbox,
} from '../../ledger/messages/find-mail.ts';
import {
  changeMessageStatus,
  type MessageRow,
  unfinishedMessages,
} from '../../ledger/messages/messages.ts';
import { openPendingOperations } from '../../ledger/operations/pending-operations.ts';
import type { AcceptDeps } from '../accept.ts';
import type { RelayCore } from '../deps.ts';
import { type InterruptedBatch, type OutgoingMail, stampIn } from '../mail.ts';
import { Posting } from '../posting.ts';
import { markRead } from './settle.ts';

export interface RelayRecoverDeps {
  readonly core: RelayCore;
  readonly reads: InboxReads;
  /** Whether the machine has been up since the last owner of the home. */
  readonly sameBoot: boolean;
  /** Whether a file is still where a message came from, or in the archive. */
  locate(message: MessageRow): Promise<'outbox' | 'archive' | 'gone'>;
}

export async function recover(deps: RelayRecoverDeps): Promise<void> {
  const { core, reads, sameBoot } = deps;
  // V1
  for (const batch of await core.inboxes.interrupted()) {
    if (sameBoot) await noteReached(core, batch);
    await batch.noted();
  }
  await core.ledger.transact((tx) => releaseAllBut(tx, core.holder));
  await returnPushed(core);
  await finishFiles(deps);
  await countOperations(core);
  // V2
  if (!sameBoot) return startInboxesOver(core);
  for (const recipient of await recipientsWithUnread(core.ledger.committed)) {
    await reads.trySweep(recipient);
  }
}

async function noteReached(
  core: RelayCore,
  { recipient, reached }: InterruptedBatch,
): Promise<void> {
  await core.ledger.transact(async (tx) => {
    for (const name of reached) {
      const stamp = stampIn(name);
      const held = stamp === undefined ? undefined : await heldByStamp(tx, recipient, stamp);
      if (held === undefined) continue;
      const { id, owner, message_id } = held;
      const at = core.clock.now();
      const noted = await deliveriesSucceeded(tx, [id], { owner, via: 'inbox', at });
      if (!noted.has(id)) continue;
      const data = { to: recipient, via: 'inbox' };
      const subject = `message:${message_id}`;
      await tx.record({ actor: 'system', kind: 'message.delivered', subject, data });
    }
  });
}

const page = 256;

/** Their connections are gone. */
async function returnPushed({ ledger }: RelayCore): Promise<void> {
  for (;;) {
    const returned = await ledger.transact(async (tx) => {
      const rows = await pushedMail(tx, page);
      for (const { id } of rows) await returnDelivery(tx, id);
      return rows.length;
    });
    if (returned < page) return;
  }
}

/** Seed 003, 2.4: of each file whose processing was interrupted, where is it? */
async function finishFiles({ core, locate }: RelayRecoverDeps): Promise<void> {
  const left: MessageRow[] = await unfinishedMessages(
    core.ledger.committed,
    Number.MAX_SAFE_INTEGER,
  );
  for (const message of left) {
    const place = await locate(message).catch((failure: unknown) => {
      // It stays as it is, and the next start looks again.
      const facts = { error: toReport(failure), agent: message.agent_name };
      core.log.error(facts, 'the file of a message cannot be looked for');
      return 'outbox' as const;
    });
    // The outbox is looked through anyway, and archives what is known.
    if (place === 'outbox') continue;
    const at = core.clock.now();
    const change =
      place === 'archive'
        ? ({ from: message.status, to: 'archived', at } as const)
        : ({ from: message.status, to: 'failed', at, error: 'file_disappeared' } as const);
    await core.ledger.transact((tx) => changeMessageStatus(tx, message.message_id, change));
  }
}

/** Spawns and releases are taken up by the runtime; deliveries have been, above. */
async function countOperations({ ledger, log }: RelayCore): Promise<void> {
  const open = await openPendingOperations(ledger.committed, page);
  if (open.length > 0) log.info({ operations: open.length }, 'operations wait to be taken up');
}

/**
 * After a power cut. Neither the files were flushed, nor the agents' taking them away: one may be
 * missing, another cut short, a third be back that was read long ago. So everything that
 * the ledger knows is taken out of the inboxes, and what is not over waits to be delivered.
 */
async function startInboxesOver(core: RelayCore): Promise<void> {
  const { ledger, inboxes, log } = core;
  const known = await knownAmong(ledger.committed, await lyingFiles(core));
  for (const [recipient, names] of known) {
    await orTold(core, recipient, () => inboxes.remove(recipient, names), undefined);
  }
  for (const recipient of await recipientsWithUnread(ledger.committed)) {
    const messages = await restartInbox(core, recipient);
    if (messages > 0) log.warn({ recipient, messages }, 'an inbox is written again after a crash');
  }
}

/** By recipient and stamp. */
type LyingFiles = ReadonlyMap<string, { readonly recipient: string; readonly name: string }>;

async function lyingFiles(core: RelayCore): Promise<LyingFiles> {
  const lying = new Map<string, { readonly recipient: string; readonly name: string }>();
  for await (const { name: recipient } of everyAgent(core.ledger.committed)) {
    const listed = await orTold(core, recipient, () => core.inboxes.list(recipient), undefined);
    for (const name of listed ?? []) {
      const stamp = stampIn(name);
      if (stamp !== undefined) lying.set(`${recipient} ${stamp}`, { recipient, name });
    }
  }
  return lying;
}

/** One walk through all deliveries, because no index leads from a file to one that is over. */
async function knownAmong(sql: Sql, lying: LyingFiles): Promise<Map<string, string[]>> {
  const known = new Map<string, string[]>();
  if (lying.size === 0) return known;
  for await (const { recipient, stamp_ns } of everyStamp(sql)) {
    const file = lying.get(`${recipient} ${stamp_ns}`);
    if (file === undefined) continue;
    const names = known.get(recipient);
    if (names === undefined) known.set(recipient, [file.name]);
    else names.push(file.name);
  }
  return known;
}

/** What one agent has made of its inbox must not keep the others from theirs. */
async function orTold<T>(
  { log }: RelayCore,
  recipient: string,
  work: () => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    log.error({ error: toReport(failure), recipient }, 'an inbox cannot be looked into');
    return otherwise;
  }
}

/** Everything that lay unread in an inbox folder waits to be delivered again; tells how many. */
function restartInbox({ ledger }: RelayCore, recipient: string): Promise<number> {
  return ledger.transact(async (tx) => {
    const messages = await returnInbox(tx, recipient);
    const event = { actor: 'system', kind: 'inbox.restarted', subject: `agent:${recipient}` };
    if (messages > 0) await tx.record({ ...event, data: { messages } });
    return messages;
  });
}

// Files that an agent took out of its inbox folder: it has read them.
//
// I1. A file can be gone before its row says that it was delivered. Such names are
//     remembered until it does.

const mostEarly = 10_000;
const pageFiles = 256;

interface InboxReadsDeps extends AcceptDeps {
  /** Something waits in this queue. */
  wake(queue: Queue): void;
}

export class InboxReads {
  readonly #deps: InboxReadsDeps;
  /** I1: recipient and stamp. */
  readonly #early = new Set<string>();

  constructor(deps: InboxReadsDeps) {
    this.#deps = deps;
  }

  /** These names are no longer in the inbox. */
  async gone(recipient: string, names: readonly string[]): Promise<void> {
    const stamps = names.flatMap((name) => stampIn(name) ?? []);
    for (let start = 0; start < stamps.length; start += pageFiles) {
      await this.#markRead(recipient, stamps.slice(start, start + pageFiles));
    }
  }

  /** These have been noted as delivered. */
  async delivered(recipient: string, batch: readonly OutgoingMail[]): Promise<void> {
    if (this.#early.size === 0) return;
    const early = batch
      .map(({ mail }) => mail.stamp_ns)
      .filter((stamp) => this.#early.delete(`${recipient} ${stamp}`));
    if (early.length > 0) await this.#markRead(recipient, early);
  }

  /**
   * The net: compares what the ledger has as unread with what lies there. Tells how many
   * are still unread.
   */
  async sweep(recipient: string): Promise<number> {
    const { core } = this.#deps;
    const unread = await unreadInInbox(core.ledger.committed, recipient);
    if (unread.length === 0) return 0;
    // Behind the rows: what is delivered meanwhile is in neither. And once, because an inbox
    // may have very many files.
    const lying = await core.inboxes.list(recipient);
    // To take a message away is to read it; to take the inbox away is not.
    if (lying === undefined) return this.inboxGone(recipient);
    const missing = unread.filter((mail) => !lying.has(nameOf(mail)));
    for (let start = 0; start < missing.length; start += pageFiles) {
      const page = missing.slice(start, start + pageFiles);
      await this.#markRead(
        recipient,
        page.map(({ stamp_ns }) => stamp_ns),
      );
    }
    return unread.length - missing.length;
  }

  /** What lay in it unread waits to be delivered again; tells how many. */
  async inboxGone(recipient: string): Promise<number> {
    const { core } = this.#deps;
    this.#forgetEarly(recipient);
    const messages = await restartInbox(core, recipient);
    if (messages === 0) return 0;
    const words = 'an inbox is gone; what lay unread in it is delivered again';
    core.log.warn({ recipient, messages }, words);
    this.#deps.wake({ recipient, subscription: 0 });
    return messages;
  }

  /** Like sweep(), but an inbox that cannot be read is only logged. Undefined then. */
  async trySweep(recipient: string): Promise<number | undefined> {
    try {
      return await this.sweep(recipient);
    } catch (failure) {
      if (!(failure instanceof AosError && failure.code.startsWith('disk.'))) throw failure;
      const { log } = this.#deps.core;
      log.warn({ error: toReport(failure), recipient }, 'an inbox cannot be looked through now');
      return undefined;
    }
  }

  async #markRead(recipient: string, stamps: readonly string[]): Promise<void> {
    if (stamps.length === 0) return;
    const { core, handover, posted } = this.#deps;
    // I1: before the look, or a delivery that is noted right behind it would find nothing.
    for (const stamp of stamps) this.#remember(recipient, stamp);
    const { read, after } = await core.ledger.transact(async (tx) => {
      const posting = new Posting(core, tx, handover);
      const read: string[] = [];
      for (const stamp of stamps) {
        const mail = await unreadByStamp(tx, recipient, stamp);
        if (mail !== undefined && (await markRead(posting, mail))) read.push(stamp);
      }
      return { read, after: await posting.finish() };
    });
    posted(after);
    for (const stamp of read) this.#early.delete(`${recipient} ${stamp}`);
  }

  // They may have been taken away with it.
  #forgetEarly(recipient: string): void {
    for (const early of this.#early)
      if (early.startsWith(`${recipient} `)) this.#early.delete(early);
  }

  #remember(recipient: string, stamp: string): void {
    this.#early.add(`${recipient} ${stamp}`);
    // Most are of messages that are over, and never come; the oldest make room.
    const [oldest] = this.#early;
    if (this.#early.size > mostEarly && oldest !== undefined) this.#early.delete(oldest);
  }
}

function nameOf({ stamp_ns, message_id }: UnreadFile): string {
  return fileNameOf(stamp_ns, message_id);
}
