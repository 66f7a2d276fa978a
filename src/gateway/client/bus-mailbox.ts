/** What comes for one agent of a bus: events for callbacks, messages for who iterates. */
import type { WireItem } from '../contract/contract.ts';
import type { MessageConnection } from './message-client.ts';

export interface BusMailboxDeps {
  readonly connection: MessageConnection;
  readonly onFailure?: ((failure: unknown, item: WireItem) => void) | undefined;
}

type EventCallback = (event: WireItem) => void | Promise<void>;

interface WaitingReader {
  readonly item: WireItem;
  end(handled: 'read' | 'unread'): void;
}

export class BusMailbox implements AsyncDisposable {
  readonly #deps: BusMailboxDeps;
  readonly #agent: string;
  readonly #callbacks = new Map<string, Set<EventCallback>>();
  readonly #messages: WaitingReader[] = [];
  #isIterated = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #attached: AsyncDisposable | undefined;
  /** Events are worked off one after another, and so are changes of what is wanted. */
  #events: Promise<void> = Promise.resolve();
  #changes: Promise<void> = Promise.resolve();

  constructor(deps: BusMailboxDeps, agent: string) {
    this.#deps = deps;
    this.#agent = agent;
  }

  listensTo(eventType: string): boolean {
    return this.#callbacks.has(eventType);
  }

  async listen(eventType: string, callback: EventCallback): Promise<void> {
    const callbacks = this.#callbacks.get(eventType) ?? new Set();
    callbacks.add(callback);
    this.#callbacks.set(eventType, callbacks);
    await this.#attach();
  }

  async unlisten(eventType: string, callback: EventCallback): Promise<void> {
    const callbacks = this.#callbacks.get(eventType);
    callbacks?.delete(callback);
    if (callbacks?.size !== 0) return;
    this.#callbacks.delete(eventType);
    await this.#attach();
  }

  async *messages(): AsyncGenerator<WireItem, void, void> {
    this.#isIterated = true;
    await this.#attach();
    try {
      while (!this.#isOver) {
        const [next] = this.#messages;
        if (next === undefined) {
          await this.#something();
          continue;
        }
        yield next.item;
        next.end('read');
        this.#messages.shift();
      }
    } finally {
      this.#isIterated = false;
      // No callback reads them here any more: they go where mail goes then.
      for (const { end } of this.#messages.splice(0)) end('unread');
      if (!this.#isOver) await this.#attach();
    }
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#wake?.();
    await this.#changes.catch(() => {});
    await this.#attached?.[Symbol.asyncDispose]();
  }

  /** One attachment for everything that is wanted now. */
  #attach(): Promise<void> {
    const change = this.#changes.then(async () => {
      // One replaces the other; only when nothing is wanted any more there is none.
      if (this.#wantsAnything()) this.#attached = await this.#attachment();
      else await this.#attached?.[Symbol.asyncDispose]();
    });
    // The caller hears of a failure; the next change does not mind.
    this.#changes = change.catch(() => {});
    return change;
  }

  #wantsAnything(): boolean {
    return !this.#isOver && (this.#isIterated || this.#callbacks.size > 0);
  }

  #attachment(): Promise<AsyncDisposable> {
    const { connection, onFailure } = this.#deps;
    return connection.attach({
      as: this.#agent,
      eventTypes: [...this.#callbacks.keys()],
      messages: this.#isIterated,
      onMail: (item) => (this.#isEvent(item) ? this.#event(item) : this.#message(item)),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
  }

  #isEvent(item: WireItem): boolean {
    return item.kind === 'event' && this.#callbacksFor(item).length > 0;
  }

  #callbacksFor({ event_type: type }: WireItem): EventCallback[] {
    return [...this.#callbacks]
      .filter(([pattern]) => covers(pattern, type))
      .flatMap(([, callbacks]) => [...callbacks]);
  }

  #event(item: WireItem): Promise<void> {
    const work = this.#events.then(async () => {
      for (const callback of this.#callbacksFor(item)) await callback(item);
    });
    this.#events = work.catch(() => {});
    return work;
  }

  #message(item: WireItem): Promise<'read' | 'unread'> {
    return new Promise((resolve) => {
      this.#messages.push({ item, end: resolve });
      this.#wake?.();
    });
  }
}

/** `disk.*` covers `disk.full`, `*` everything. */
function covers(pattern: string, eventType: string | null): boolean {
  if (pattern === '*' || pattern === eventType) return true;
  return pattern.endsWith('.*') && eventType?.startsWith(pattern.slice(0, -1)) === true;
}
