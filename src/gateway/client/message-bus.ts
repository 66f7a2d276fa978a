/** Messages between agents as a library. Subscriptions are kept by the daemon. */
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { WireItem, WireOutgoing } from '../contract/contract.ts';
import { BusMailbox } from './bus-mailbox.ts';
import type { Client } from './client.ts';
import type { MessageConnection } from './message-client.ts';
import type { SentMessage } from './outgoing-queue.ts';

export interface MessageBusDeps {
  /** It ends with the bus. */
  readonly connection: MessageConnection;
  readonly client: Pick<Client, 'request' | 'subscribe' | 'unsubscribe'>;
  readonly clock: Clock;
  readonly random: Random;
  /** What a callback has thrown; the event stays unread. */
  readonly onFailure?: ((failure: unknown, item: WireItem) => void) | undefined;
}

/** A text, or more of a message than that. */
export type BusMessage = string | Omit<WireOutgoing, 'to' | 'from'>;

export interface BusEvent {
  /** Words with dots between them, such as `build.finished`. */
  readonly type: string;
  readonly body?: string;
}

export type EventCallback = (event: WireItem) => void | Promise<void>;

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export class MessageBus implements AsyncDisposable {
  readonly #deps: MessageBusDeps;
  readonly #mailboxes = new Map<string, BusMailbox>();

  constructor(deps: MessageBusDeps) {
    this.#deps = deps;
  }

  /** Resolves once it cannot be lost any more. */
  send(fromAgent: string, toAgent: string, message: BusMessage): Promise<SentMessage> {
    return this.#deps.connection.send({ ...fieldsOf(message), to: toAgent, from: fromAgent });
  }

  /** To every agent that wants events of this type. Resolves to how many those are. */
  async broadcast(fromAgent: string, { type, body }: BusEvent): Promise<number> {
    const event = { to: '*', from: fromAgent, kind: 'event', event_type: type, body } as const;
    try {
      const { recipients } = await this.#deps.connection.send(event);
      return recipients ?? 0;
    } catch (failure) {
      // That no agent wants an event is nothing that its sender could mend.
      if (failure instanceof AosError && failure.code === 'message.no-recipient') return 0;
      throw failure;
    }
  }

  /**
   * Calls with every event of that type from now on, one after another. The subscription
   * stays when the program ends: what comes meanwhile is there when it subscribes again.
   */
  async subscribe(
    agentId: string,
    eventType: string,
    callback: EventCallback,
  ): Promise<{ unsubscribe(): Promise<void> }> {
    const { client } = this.#deps;
    const request = { agent: agentId, event_type: eventType };
    await client.subscribe(request);
    const mailbox = this.#mailbox(agentId);
    await mailbox.listen(eventType, callback);
    return {
      unsubscribe: async () => {
        await mailbox.unlisten(eventType, callback);
        if (!mailbox.listensTo(eventType)) await client.unsubscribe(request);
      },
    };
  }

  /** The response, or `message.no-answer` when there is none in time. */
  async request(
    fromAgent: string,
    toAgent: string,
    request: string,
    { timeoutMs, signal }: RequestOptions = {},
  ): Promise<WireItem> {
    const asked = { to: toAgent, from: fromAgent, body: request, timeout_ms: timeoutMs };
    const { response } = await this.#deps.client.request(asked, { signal });
    return response;
  }

  /** A text of any length in parts, each of which waits until the reader has room for it. */
  stream(fromAgent: string, toAgent: string): MessageStream {
    return new MessageStream(this.#deps, { from: fromAgent, to: toAgent });
  }

  /** What comes for the agent. A message is read when the next one is asked for. */
  messages(agent: string): AsyncGenerator<WireItem, void, void> {
    return this.#mailbox(agent).messages();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#mailboxes.values()];
    this.#mailboxes.clear();
    await Promise.all(all.map((mailbox) => mailbox[Symbol.asyncDispose]()));
    await this.#deps.connection[Symbol.asyncDispose]();
  }

  #mailbox(agent: string): BusMailbox {
    const known = this.#mailboxes.get(agent);
    if (known !== undefined) return known;
    const mailbox = new BusMailbox(this.#deps, agent);
    this.#mailboxes.set(agent, mailbox);
    return mailbox;
  }
}

function fieldsOf(message: BusMessage): Omit<WireOutgoing, 'to' | 'from'> {
  return typeof message === 'string' ? { body: message } : message;
}

interface MessageStreamDeps {
  readonly connection: MessageConnection;
  readonly clock: Clock;
  readonly random: Random;
}

const firstPauseMs = 20;
const longestPauseMs = 1000;

/** Chunks of one text, in order, to one reader, who decides how fast. */
class MessageStream {
  readonly thread: string;
  readonly #deps: MessageStreamDeps;
  readonly #way: { readonly from: string; readonly to: string };
  #index = 0;
  /** Chunks go one after another: each must be the next. */
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: MessageStreamDeps, way: { readonly from: string; readonly to: string }) {
    this.#deps = deps;
    this.#way = way;
    this.thread = `stream-${Buffer.from(deps.random.bytes(12)).toString('hex')}`;
  }

  /** Resolves once the chunk cannot be lost; waits while too many are unread. */
  write(text: string): Promise<void> {
    return this.#inTurn(text, { end: false });
  }

  /** The last one, which may be empty. */
  end(text = ''): Promise<void> {
    return this.#inTurn(text, { end: true });
  }

  #inTurn(body: string, { end }: { readonly end: boolean }): Promise<void> {
    const chunk = { index: this.#index++, end };
    this.#turn = this.#turn.then(() => this.#send(body, chunk));
    return this.#turn;
  }

  async #send(
    body: string,
    chunk: { readonly index: number; readonly end: boolean },
  ): Promise<void> {
    const { connection, clock } = this.#deps;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await connection.send({
          ...this.#way,
          kind: 'stream',
          thread: this.thread,
          chunk,
          body,
        });
        return;
      } catch (failure) {
        const isFull = failure instanceof AosError && failure.code === 'message.stream-full';
        if (!isFull) throw failure;
      }
      await clock.sleep(pauseMs);
    }
  }
}
