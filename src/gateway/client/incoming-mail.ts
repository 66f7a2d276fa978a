/**
 * Mail that comes over a connection that may be lost.
 *
 * I1. What was handed out once is not handed out again, however often it is pushed.
 * I2. A message is marked as read after the callback is done with it, and not before:
 *     what it fails at comes again on the next connection.
 */
import type { EventLoop } from '../../kernel/ports.ts';
import type { WireItem } from '../contract/contract.ts';

export interface IncomingMailDeps {
  readonly eventLoop: EventLoop;
  /** Says over the connection that these are read. */
  markRead(ids: readonly string[]): void;
}

export interface MailCallbacks {
  /**
   * Called with each in the order in which they came, and not waited for in between. A
   * message is read when this is done with it. When it throws, or answers `unread`, it
   * stays as it is, for the next reader.
   */
  onMail(item: WireItem): unknown;
  readonly onFailure?: ((failure: unknown, item: WireItem) => void) | undefined;
}

const mostRemembered = 20_000;

export class IncomingMail {
  readonly #deps: IncomingMailDeps;
  /** `done` once they are read; the oldest first. */
  readonly #handedOut = new Map<string, 'working' | 'done'>();
  #callbacks: MailCallbacks;
  #toMark: string[] = [];
  #isMarking = false;

  constructor(deps: IncomingMailDeps, callbacks: MailCallbacks) {
    this.#deps = deps;
    this.#callbacks = callbacks;
  }

  /** From now on these are called; what the others are at work on, they go on with. */
  handOutTo(callbacks: MailCallbacks): void {
    this.#callbacks = callbacks;
  }

  take(items: readonly WireItem[]): void {
    for (const item of items) {
      const before = this.#handedOut.get(item.id);
      // I1: the mark was lost with the connection.
      if (before === 'done') this.#read(item.id);
      if (before === undefined) this.#handOut(item);
    }
  }

  #handOut(item: WireItem): void {
    this.#remember(item.id, 'working');
    const { onMail, onFailure } = this.#callbacks;
    const failed = (failure: unknown): void => {
      this.#handled(item, 'unread');
      onFailure?.(failure, item);
    };
    try {
      const handled = onMail(item);
      if (handled instanceof Promise) handled.then((end) => this.#handled(item, end), failed);
      else this.#handled(item, handled);
    } catch (failure) {
      failed(failure);
    }
  }

  // I2
  #handled({ id }: WireItem, end: unknown): void {
    if (end === 'unread') this.#handedOut.delete(id);
    else this.#read(id);
  }

  #read(id: string): void {
    this.#remember(id, 'done');
    this.#toMark.push(id);
    if (this.#isMarking) return;
    this.#isMarking = true;
    this.#deps.eventLoop.atEndOfTurn(() => this.flush());
  }

  /** Says what has been read, at once. */
  flush(): void {
    this.#isMarking = false;
    const ids = this.#toMark;
    this.#toMark = [];
    if (ids.length > 0) this.#deps.markRead(ids);
  }

  #remember(id: string, state: 'working' | 'done'): void {
    this.#handedOut.set(id, state);
    if (this.#handedOut.size <= mostRemembered) return;
    for (const [oldest, known] of this.#handedOut) {
      if (known === 'working') continue;
      this.#handedOut.delete(oldest);
      return;
    }
  }
}
