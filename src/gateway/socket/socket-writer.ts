/** What goes out over one WebSocket, and whether the other side takes it. */
import type { WebSocket } from 'ws';
import type { Clock } from '../../kernel/ports.ts';
import type { SocketMessage } from '../contract/socket.ts';

export class SocketWriter {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  /** When each text was handed over that has not left yet, oldest first. */
  readonly #leaving: number[] = [];
  #leavingBytes = 0;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
  }

  /** Of those that were written here and have not left. */
  get leavingBytes(): number {
    return this.#leavingBytes;
  }

  /** How long the oldest has been waiting to leave. */
  get stuckMs(): number {
    const [oldest] = this.#leaving;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest;
  }

  /** Calls when it has left this process, with the reason when it could not. */
  write(message: SocketMessage, left: (failure?: Error | null) => void): void {
    const text = JSON.stringify(message);
    const bytes = Buffer.byteLength(text);
    this.#leaving.push(this.#clock.monotonicMs());
    this.#leavingBytes += bytes;
    this.#socket.send(text, (failure) => {
      // Texts leave in their order.
      this.#leaving.shift();
      this.#leavingBytes -= bytes;
      left(failure);
    });
  }
}
