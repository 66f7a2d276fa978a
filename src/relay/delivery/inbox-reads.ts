/**
 * Files that an agent took out of its inbox folder: it has read them.
 *
 * I1. A file can be gone before its row says that it was delivered. Such names are
 *     remembered until it does.
 */
import { AosError, toReport } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import type { Queue } from '../../ledger/messages/deliveries.ts';
import { type UnreadFile, unreadByStamp, unreadInInbox } from '../../ledger/messages/find-mail.ts';
import type { AcceptDeps } from '../accept.ts';
import { type Outgoing, stampIn } from '../mail.ts';
import { Posting } from '../posting.ts';
import { restartInbox } from './restart-inbox.ts';
import { markRead } from './settle.ts';

const mostEarly = 10_000;
const pageFiles = 256;

export interface InboxReadsDeps extends AcceptDeps {
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
  async delivered(recipient: string, batch: readonly Outgoing[]): Promise<void> {
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

  /** The same, but one inbox that cannot be read is only told. Undefined then. */
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
