/**
 * A call of a tool as server-sent events, for its caller.
 *
 * T1. The answer begins when the call has: what is refused before is an ordinary problem.
 * T2. What waits for the reader is bounded. More than that is dropped, and said so where the
 *     reader goes on; the result has it all.
 * T3. A reader that leaves, or is cut off, does not end the call.
 */
import type { FastifyReply } from 'fastify';
import type { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { OutputPart } from '../../kernel/sandbox.ts';
import { bytesOfShown, ShownOutput, type ShownPart } from '../../kernel/text/quote.ts';
import type { Answer } from '../contract/contract.ts';
import { problemOf } from '../server/problem.ts';
import { eventText } from './event-stream-answer.ts';
import { type FeedDeps, isTooSlow, type Reader } from './feed-connection.ts';

export interface ToolStreamDeps {
  readonly clock: Clock;
  readonly feeds: Pick<FeedDeps, 'clock' | 'limits' | 'metrics'>;
}

export interface ToolReader extends Pick<Reader, 'stillAdmitted'> {
  readonly reply: FastifyReply;
  readonly headers: Readonly<Record<string, string>>;
}

const mostWaitingBytes = 256 * 1024;

export class ToolStream {
  readonly #deps: ToolStreamDeps;
  readonly #reader: ToolReader;
  readonly #output = new ShownOutput();
  /** Aborts when the reader has left, or has it all. */
  readonly #over = new AbortController();
  #hasBegun = false;
  #hasAnswered = false;
  #droppedBytes = 0;

  constructor(deps: ToolStreamDeps, reader: ToolReader) {
    this.#deps = deps;
    this.#reader = reader;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** T1 */
  begin(): void {
    const { reply, headers } = this.#reader;
    this.#hasBegun = true;
    reply.hijack();
    const { raw: response } = reply;
    if (response.destroyed) {
      this.#over.abort();
      return;
    }
    const { metrics } = this.#deps.feeds;
    metrics.feedClients++;
    response.once('close', () => {
      metrics.feedClients--;
      this.#over.abort();
    });
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.flushHeaders();
    // Ends with the stream, and tells its failures by cutting the reader off.
    void this.#keepAlive();
  }

  show(part: OutputPart): void {
    // A tool that does not end with its call may go on showing.
    if (this.#hasAnswered) return;
    const shown = this.#output.take(part);
    if (shown !== undefined) this.#put(shown);
  }

  /** Resolves when the reader has it, or is cut off. */
  answer(answer: Answer<'callTool'>): Promise<void> {
    return this.#end('answer', answer);
  }

  fail(error: AosError): Promise<void> {
    return this.#end('problem', problemOf(error));
  }

  async #end(event: 'answer' | 'problem', data: unknown): Promise<void> {
    if (this.#hasAnswered) return;
    if (!this.#hasBegun) this.begin();
    for (const part of this.#output.rest()) this.#put(part);
    this.#tellDropped();
    this.#hasAnswered = true;
    if (this.#over.signal.aborted) return;
    this.#reader.reply.raw.end(eventText(event, data));
    await this.#takenOrCutOff();
  }

  #put(shown: ShownPart): void {
    const { raw: response } = this.#reader.reply;
    // T2. Once something was dropped, only who has read all is shown more: else there would
    // be many small gaps.
    const most = this.#droppedBytes > 0 ? 0 : mostWaitingBytes;
    if (response.writableLength > most) {
      this.#droppedBytes += bytesOfShown(shown).length;
      return;
    }
    this.#tellDropped();
    this.#write(eventText('output', shown));
  }

  #tellDropped(): void {
    if (this.#droppedBytes === 0) return;
    this.#write(eventText('dropped', { bytes: this.#droppedBytes }));
    this.#droppedBytes = 0;
  }

  #write(text: string): void {
    if (!this.#over.signal.aborted) this.#reader.reply.raw.write(text);
  }

  async #keepAlive(): Promise<void> {
    const { clock, feeds } = this.#deps;
    const { raw: response } = this.#reader.reply;
    try {
      for (;;) {
        await clock.sleep(feeds.limits.heartbeatMs, this.#over.signal);
        await this.#reader.stillAdmitted();
        const hasRoom = response.writableLength <= mostWaitingBytes;
        if (hasRoom && !this.#hasAnswered) this.#write(': still here\n\n');
      }
    } catch {
      // It is over; or the handle is good no more, and nothing is shown to who has it (T3).
      if (!this.#over.signal.aborted) response.destroy();
    }
  }

  /** However long the answer is, who takes some of it now and then gets the rest. */
  async #takenOrCutOff(): Promise<void> {
    const { feeds } = this.#deps;
    const { raw: response } = this.#reader.reply;
    const closed = new Promise<void>((resolve) => {
      this.#over.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (let waiting = Number.POSITIVE_INFINITY; response.writableLength < waiting; ) {
      waiting = response.writableLength;
      if (!(await isTooSlow(feeds, closed, this.#over.signal))) return;
    }
    feeds.metrics.cutOff.inc();
    response.destroy();
  }
}
