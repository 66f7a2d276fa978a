import type { WebSocket } from 'ws';

/** Slows a sender down by not reading what it sends, for as long as anybody here asks for it. */
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
