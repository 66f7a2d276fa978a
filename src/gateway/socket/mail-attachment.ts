/**
 * The mail of one principal over one WebSocket.
 *
 * M1. At most so many messages have been pushed and not been read; then the relay waits.
 * M2. The reader that is pushed to may go at any moment. What had left by then is pushed again
 *     to the next one, under the same id.
 */

import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { PrincipalName } from '../../relay/envelope.ts';
import type { Mailboxes, MailboxItem, PushSink, Relay } from '../../relay/relay.ts';
import { mostInFrame } from '../../verbs/limits.ts';
import { wireItem } from '../routes/views/message-wire.ts';
import type { ActingLedger, HomeCaller } from '../server/authenticate.ts';
import type { Attachments, GatewayLog } from '../server/deps.ts';
import type { SocketChecks } from './socket-checks.ts';
import type { SocketBrake, SocketWriter } from './socket-writer.ts';

const mostUnread = 1000;
const frameCharacters = 1024 * 1024;
// Reading is written down in turns; who reads faster than that waits.
const mostToMark = 10_000;

export interface MailAttachmentParts {
  readonly mailboxes: Pick<Mailboxes, 'markRead'>;
  readonly log: GatewayLog;
  readonly clock: Pick<Clock, 'now'>;
  readonly reader: MailReader;
  readonly writer: SocketWriter;
  readonly brake: SocketBrake;
  readonly principal: PrincipalName;
  /** The subscriptions whose events are wanted; undefined for all. */
  readonly subscriptions: ReadonlySet<number> | undefined;
  readonly wantsMessages: boolean;
  readonly gone: AbortSignal;
}

export class MailAttachment implements PushSink {
  readonly #parts: MailAttachmentParts;
  readonly #unread = new Set<string>();
  /** Those, and what was read and is not written down yet. */
  readonly #unmarked = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #toMark: string[] = [];
  #marking: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: MailAttachmentParts) {
    this.#parts = parts;
    parts.gone.addEventListener('abort', () => this.end(), { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  has(id: string): boolean {
    return this.#unmarked.has(id);
  }

  /** Until everything that was pushed is read, and that is written down. */
  async allRead(): Promise<void> {
    while (this.#unread.size > 0 && !this.#isOver) await this.#room();
    await this.#marking;
  }

  wants({ subscription }: { readonly subscription: number | null }): boolean {
    if (this.#isOver) return false;
    const { subscriptions, wantsMessages } = this.#parts;
    if (subscription === null) return wantsMessages;
    return subscriptions?.has(subscription) ?? true;
  }

  async push(all: readonly MailboxItem[]): Promise<void> {
    const { reader, principal, clock } = this.#parts;
    let items = all;
    for (let start = 0; start < items.length; ) {
      // M1
      while (this.#unread.size >= mostUnread && !this.#isOver) {
        await this.#room();
        // Meanwhile its time may have come, and its sender been told.
        items = items.slice(start).filter(({ expiresAt }) => expiresAt > clock.now());
        start = 0;
      }
      const admitted = reader.stillAdmitted();
      if (admitted instanceof Promise) await admitted;
      if (this.#isOver) throw hungUp(principal);
      if (items.length === 0) return;
      const count = frameLength(items, start, mostUnread - this.#unread.size);
      const frame = items.slice(start, start + count);
      start += count;
      await this.#send(frame);
    }
  }

  #send(items: readonly MailboxItem[]): Promise<void> {
    const { writer, principal } = this.#parts;
    for (const { id } of items) {
      this.#unread.add(id);
      this.#unmarked.add(id);
    }
    return new Promise((resolve, reject) => {
      writer.write({ type: 'mail', items: items.map(wireItem) }, (failure) =>
        failure ? reject(hungUp(principal, failure)) : resolve(),
      );
    });
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  /** All that is read while one mark is being written is one mark. */
  read(ids: readonly string[]): void {
    for (const id of ids) {
      this.#unread.delete(id);
      this.#toMark.push(id);
    }
    this.#wake();
    this.#marking ??= this.#mark();
    // The brake lets go when the marks are written.
    if (this.#toMark.length > mostToMark) void this.#parts.brake.during(this.#marking);
  }

  async #mark(): Promise<void> {
    const { mailboxes, principal, log } = this.#parts;
    try {
      while (this.#toMark.length > 0) {
        const ids = this.#toMark;
        this.#toMark = [];
        await mailboxes.markRead(principal, ids);
        for (const id of ids) this.#unmarked.delete(id);
      }
    } catch (failure) {
      // It stays unread and comes again, to this reader or to the next: M2.
      log.warn({ err: failure, principal }, 'that mail was read could not be written down');
    } finally {
      this.#marking = undefined;
    }
  }

  /** Takes nothing any more; what was read is still written down. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async ended(): Promise<void> {
    await this.#marking;
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** As many as a frame may have, and at least one. */
function frameLength(items: readonly MailboxItem[], start: number, room: number): number {
  const most = Math.min(items.length - start, room, mostInFrame);
  let characters = 0;
  for (let count = 0; count < most; count++) {
    characters += must(items[start + count], 'A message of a frame').body.length;
    if (characters > frameCharacters) return Math.max(1, count);
  }
  return most;
}

function hungUp(principal: PrincipalName, cause?: unknown): AosError {
  return new AosError('message.undelivered', {
    message: `The connection over which "${principal}" gets its messages has ended`,
    cause,
  });
}

// Which messages have been pushed over a connection that is open, and are not read yet.

interface LivePushes {
  has(id: string): boolean;
}

export class LiveMail {
  readonly #byPrincipal = new Map<PrincipalName, Set<LivePushes>>();

  add(principal: PrincipalName, pushes: LivePushes): void {
    const all = this.#byPrincipal.get(principal) ?? new Set();
    this.#byPrincipal.set(principal, all.add(pushes));
  }

  remove(principal: PrincipalName, pushes: LivePushes): void {
    const all = this.#byPrincipal.get(principal);
    all?.delete(pushes);
    if (all?.size === 0) this.#byPrincipal.delete(principal);
  }

  has(principal: PrincipalName, id: string): boolean {
    return (
      this.#byPrincipal
        .get(principal)
        ?.values()
        .some((pushes) => pushes.has(id)) === true
    );
  }
}

/** What messages over a WebSocket are made of. */
export interface MailDeps {
  readonly relay: Relay;
  readonly attachments: Pick<Attachments, 'mayRead'>;
  readonly ledger: ActingLedger;
  readonly checks: SocketChecks;
  readonly live: LiveMail;
  readonly clock: Clock;
  readonly log: GatewayLog;
}

/** Who is at the other end. */
export interface MailReader {
  readonly caller: HomeCaller;
  /** Throws when the caller's handle is good no more. */
  stillAdmitted(): HomeCaller | Promise<HomeCaller>;
}
