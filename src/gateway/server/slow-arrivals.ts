/**
 * Bodies that take too long to arrive. The framework would cut off every request after
 * one time; here bytes that are streamed may take as long as they keep coming.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/ports.ts';
import type { Verb } from '../../verbs/verb.ts';
import { routes } from '../contract/contract.ts';

interface Arrival {
  since: number;
  bytesBefore: number;
  readonly streams: boolean;
}

const all: readonly Verb[] = Object.values(routes);
const streaming = all
  .filter(({ streams }) => streams === true)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`));

export class SlowArrivals {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #arriving = new Map<IncomingMessage, Arrival>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  watch(request: IncomingMessage): void {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || headers['content-length'];
    if (!hasBody || headers['content-length'] === '0') return;
    this.#arriving.set(request, {
      since: this.#clock.monotonicMs(),
      bytesBefore: socket.bytesRead,
      streams: streaming.some((path) => path.test(request.url ?? '')),
    });
    const forget = (): void => void this.#arriving.delete(request);
    // A route may leave a request before its end.
    request.once('end', forget).once('close', forget);
  }

  /** Those that are to be refused now; each is named once. */
  overdue(): readonly IncomingMessage[] {
    const now = this.#clock.monotonicMs();
    const late: IncomingMessage[] = [];
    for (const [request, arrival] of this.#arriving) {
      // Of a request that was destroyed there is none, whatever the types say.
      const socket = request.socket as IncomingMessage['socket'] | null;
      const bytesRead = socket?.bytesRead ?? 0;
      if (socket === null || request.complete || socket.destroyed) this.#arriving.delete(request);
      else if (arrival.streams && bytesRead > arrival.bytesBefore) {
        arrival.since = now;
        arrival.bytesBefore = bytesRead;
      } else if (now - arrival.since >= this.#timeoutMs) {
        this.#arriving.delete(request);
        late.push(request);
      }
    }
    return late;
  }
}
