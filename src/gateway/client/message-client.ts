/** Messages over one connection to the daemon, both ways, over its restarts. */
import { AosError } from '../../kernel/errors.ts';
import type { EventLoop } from '../../kernel/ports.ts';
import { mostItems } from '../../verbs/limits.ts';
import type { WireItem, WireOutgoing } from '../contract/contract.ts';
import type { SocketMessage } from '../contract/socket.ts';
import { problemError } from './exchange.ts';
import { IncomingMail, type MailCallbacks } from './incoming-mail.ts';
import { OutgoingQueue, type SentMessage } from './outgoing-queue.ts';
import { type SocketAddress, SocketLink, type SocketLinkDeps } from './socket-link.ts';

export interface MessageConnectionDeps extends SocketLinkDeps {
  readonly eventLoop: EventLoop;
}

export interface AttachOptions extends MailCallbacks {
  /** For the owner: whose messages. */
  readonly as?: string | undefined;
  /** Only events of these subscriptions. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Whether messages that are no events come too; they do when no types are named. */
  readonly messages?: boolean | undefined;
}

interface Attachment {
  readonly ref: number;
  readonly request: object;
  readonly mail: IncomingMail;
  settle(failure?: AosError): void;
}

export class MessageConnection implements AsyncDisposable {
  readonly #link: SocketLink;
  readonly #outgoing: OutgoingQueue;
  /** By the name that they were attached under, '' for the caller itself. */
  readonly #attachments = new Map<string, Attachment>();
  /** By whose mail it is, as the daemon calls them. */
  readonly #mails = new Map<string, IncomingMail>();
  readonly #stop = new AbortController();
  readonly #eventLoop: EventLoop;
  #refs = 0;
  #failure: AosError | undefined;

  constructor(deps: MessageConnectionDeps, address: SocketAddress) {
    this.#eventLoop = deps.eventLoop;
    this.#outgoing = new OutgoingQueue({
      ...deps,
      signal: this.#stop.signal,
      isOpen: () => this.#link.isOpen,
      send: (text) => this.#link.send(text),
    });
    this.#link = new SocketLink(deps, address, {
      opened: () => this.#opened(),
      heard: (message) => this.#heard(message),
      lost: () => this.#outgoing.lost(),
      failed: (why) => this.#end(why),
    });
  }

  /** Resolves once the daemon cannot lose it any more, over restarts and full disks. */
  send(message: WireOutgoing): Promise<SentMessage> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return this.#outgoing.add(message);
  }

  /**
   * Resolves once mail comes here instead of the inbox folder, until it is disposed of.
   * Attaching to the same mail once more replaces what was asked for before.
   */
  async attach(options: AttachOptions): Promise<AsyncDisposable> {
    if (this.#failure !== undefined) throw this.#failure;
    const { as, eventTypes, messages } = options;
    const before = this.#attachments.get(as ?? '');
    const mail = before?.mail ?? this.#incomingMail(as, options);
    mail.handOutTo(options);
    const attached = Promise.withResolvers<void>();
    const ref = this.#refs++;
    const attachment: Attachment = {
      ref,
      request: { type: 'attach', ref, as, event_types: eventTypes, messages },
      mail,
      settle: (failure) => (failure === undefined ? attached.resolve() : attached.reject(failure)),
    };
    this.#attachments.set(as ?? '', attachment);
    before?.settle();
    if (this.#link.isOpen) this.#say(attachment.request);
    await attached.promise;
    return { [Symbol.asyncDispose]: async () => this.#detach(as, attachment) };
  }

  #incomingMail(as: string | undefined, callbacks: MailCallbacks): IncomingMail {
    const markRead = (ids: readonly string[]): void => this.#markRead(as, ids);
    return new IncomingMail({ eventLoop: this.#eventLoop, markRead }, callbacks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { mail } of this.#attachments.values()) mail.flush();
    this.#end(closed());
    await this.#link[Symbol.asyncDispose]();
  }

  #opened(): void {
    for (const { request } of this.#attachments.values()) this.#say(request);
    this.#outgoing.opened();
  }

  #heard(message: SocketMessage): void {
    if (message.type === 'accepted') this.#outgoing.answered(message);
    else if (message.type === 'mail') this.#deal(message.items);
    else if (message.type === 'attached') this.#attached(message.ref, message.as);
    else if (message.type === 'error') this.#refused(message);
  }

  #deal(items: readonly WireItem[]): void {
    // All of one frame are for one principal.
    const [first] = items;
    if (first !== undefined) this.#mails.get(first.recipient)?.take(items);
  }

  #byRef(ref: unknown): [string, Attachment] | undefined {
    return [...this.#attachments].find(([, attachment]) => attachment.ref === ref);
  }

  #attached(ref: unknown, principal: string): void {
    const [, attachment] = this.#byRef(ref) ?? [];
    if (attachment === undefined) return;
    this.#mails.set(principal, attachment.mail);
    attachment.settle();
  }

  #refused({ ref, problem }: Extract<SocketMessage, { type: 'error' }>): void {
    const [key, attachment] = this.#byRef(ref) ?? [];
    if (key === undefined || attachment === undefined) return;
    this.#attachments.delete(key);
    attachment.settle(problemError(problem.status, problem));
  }

  #detach(as: string | undefined, attachment: Attachment): void {
    // It was replaced by another.
    if (this.#attachments.get(as ?? '') !== attachment) return;
    attachment.mail.flush();
    this.#attachments.delete(as ?? '');
    if (this.#link.isOpen) this.#say({ type: 'detach', as });
  }

  // On a connection that is lost it is pushed again, and then marked again.
  #markRead(as: string | undefined, ids: readonly string[]): void {
    for (let start = 0; start < ids.length && this.#link.isOpen; start += mostItems) {
      this.#say({ type: 'read', as, ids: ids.slice(start, start + mostItems) });
    }
  }

  #say(request: object): void {
    this.#link.send(JSON.stringify(request));
  }

  #end(why: AosError): void {
    this.#failure ??= why;
    this.#stop.abort();
    this.#outgoing.end(this.#failure);
    for (const { settle } of this.#attachments.values()) settle(this.#failure);
    this.#attachments.clear();
  }
}

function closed(): AosError {
  return new AosError('daemon.down', { message: 'This connection has been closed' });
}
