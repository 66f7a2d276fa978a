import { AosError } from '../../kernel/errors.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { MessageConnection } from './message-client.ts';

export interface MessageStreamDeps {
  readonly connection: MessageConnection;
  readonly clock: Clock;
  readonly random: Random;
}

const firstPauseMs = 20;
const longestPauseMs = 1000;

/** Chunks of one text, in order, to one reader, who decides how fast. */
export class MessageStream {
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
