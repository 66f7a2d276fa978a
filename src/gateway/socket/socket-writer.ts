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

/** Slows a sender down by not reading what it sends, while a part of the gateway asks for it. */
export class SocketBrake {
  readonly #socket: WebSocket;
  #held = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** What the other side would have to answer now is not heard. */
  get isOn(): boolean {
    return this.#held > 0;
  }

  async during<T>(work: Promise<T>): Promise<T> {
    if (this.#held++ === 0) this.#socket.pause();
    try {
      return await work;
    } finally {
      if (--this.#held === 0) this.#socket.resume();
    }
  }
}
