/**
 * Messages on their way to the daemon over a connection that may be lost.
 *
 * Q1. Messages go out in the order in which they were sent, many in a frame.
 * Q2. Each has a dedup key. One whose answer was lost is sent again under the same, and
 *     is one message whatever became of the first try.
 * Q3. A full disk passes: what it refused is sent again after a while, and nothing
 *     overtakes it meanwhile.
 */

import type { AosError, ErrorCode } from '../../kernel/errors.ts';
import { retryDelayMs } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, EventLoop, Random } from '../../kernel/ports.ts';
import { mostInFrame } from '../../verbs/limits.ts';
import type { WireOutgoing } from '../contract/contract.ts';
import type { SendResult, SocketMessage } from '../contract/socket.ts';
import { problemError } from './exchange.ts';

export type SentMessage = Exclude<SendResult, { problem: unknown }>;

export interface OutgoingQueueDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly eventLoop: EventLoop;
  readonly signal: AbortSignal;
  isOpen(): boolean;
  send(text: string): void;
}

interface WaitingMessage {
  readonly place: number;
  readonly text: string;
  resolve(sent: SentMessage): void;
  reject(failure: unknown): void;
}

const frameCharacters = 1024 * 1024;
const mostUnderWay = 16;

const passing: ReadonlySet<ErrorCode> = new Set([
  'disk.full',
  'ledger.full',
  'ledger.busy',
  'ledger.closed',
  'gateway.not-ready',
  'gateway.too-many',
]);

export class OutgoingQueue {
  readonly #deps: OutgoingQueueDeps;
  readonly #keyStart: string;
  #waiting: WaitingMessage[] = [];
  readonly #underWay = new Map<number, readonly WaitingMessage[]>();
  #places = 0;
  #refs = 0;
  #isFlushing = false;
  #tries = 0;
  #isHeld = false;

  constructor(deps: OutgoingQueueDeps) {
    this.#deps = deps;
    this.#keyStart = `client-${Buffer.from(deps.random.bytes(12)).toString('hex')}-`;
  }

  /** Resolves once the daemon cannot lose it any more. */
  add(message: WireOutgoing): Promise<SentMessage> {
    const place = this.#places++;
    // Q2
    const text = JSON.stringify({ dedup_key: `${this.#keyStart}${place}`, ...message });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ place, text, resolve, reject });
      this.#flushSoon();
    });
  }

  /** To be called when a connection is there. */
  opened(): void {
    this.#flush();
  }

  /** What was under way may have arrived or not. */
  lost(): void {
    this.#putBack([...this.#underWay.values()].flat());
    this.#underWay.clear();
  }

  answered({ ref, results }: Extract<SocketMessage, { type: 'accepted' }>): void {
    const frame = this.#underWay.get(Number(ref));
    if (frame === undefined) return;
    this.#underWay.delete(Number(ref));
    const again: WaitingMessage[] = [];
    for (const [index, waiting] of frame.entries()) {
      const result = results[index];
      if (result === undefined) again.push(waiting);
      else if ('problem' in result) {
        const failure = problemError(result.problem.status, result.problem);
        if (passing.has(failure.code)) again.push(waiting);
        else waiting.reject(failure);
      } else waiting.resolve(result);
    }
    if (again.length === 0) {
      this.#tries = 0;
      this.#flush();
      return;
    }
    this.#putBack(again);
    void this.#hold();
  }

  /** Nothing is sent any more. */
  end(why: AosError): void {
    this.lost();
    for (const { reject } of this.#waiting) reject(why);
    this.#waiting = [];
  }

  // Q1
  #putBack(again: readonly WaitingMessage[]): void {
    this.#waiting = [...again, ...this.#waiting].sort((one, other) => one.place - other.place);
  }

  /** Q3 */
  async #hold(): Promise<void> {
    if (this.#isHeld) return;
    this.#isHeld = true;
    const { clock, random, signal } = this.#deps;
    const [byte = 0] = random.bytes(1);
    // Ended by being closed, and then nothing is sent.
    await clock.sleep(retryDelayMs(++this.#tries, byte / 256), signal).catch(() => {});
    this.#isHeld = false;
    this.#flush();
  }

  // All that is sent in one turn goes out together.
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#deps.eventLoop.atEndOfTurn(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { isOpen, send } = this.#deps;
    let start = 0;
    while (start < this.#waiting.length && this.#underWay.size < mostUnderWay) {
      if (this.#isHeld || !isOpen()) break;
      const frame = frameOf(this.#waiting, start);
      start += frame.length;
      const ref = this.#refs++;
      this.#underWay.set(ref, frame);
      const texts = frame.map(({ text }) => text).join(',');
      send(`{"type":"send","ref":${ref},"messages":[${texts}]}`);
    }
    if (start > 0) this.#waiting = this.#waiting.slice(start);
  }
}

function frameOf(waiting: readonly WaitingMessage[], start: number): readonly WaitingMessage[] {
  let characters = 0;
  let end = start;
  for (; end < waiting.length && end - start < mostInFrame; end++) {
    characters += must(waiting[end], 'A message of a frame').text.length;
    if (characters > frameCharacters && end > start) break;
  }
  return waiting.slice(start, end);
}
