/**
 * How many connections a door has at once. A client that only holds one open, without a request that is
 * being answered, makes room for the next: else a thousand that never say anything would keep
 * everybody out. The one that has waited longest goes first.
 */
import type { Duplex, Writable } from 'node:stream';

const roomOf = new WeakMap<Duplex, Room>();

export class Room {
  readonly #most: number;
  /** Those without a request, by how long they have had none. */
  readonly #waiting = new Set<Duplex>();
  /** The others, each with how many of its requests are being answered. */
  readonly #served = new Map<Duplex, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False where all are being served: then it is closed. */
  enter(connection: Duplex): boolean {
    const [longest] = this.#waiting;
    if (this.#waiting.size + this.#served.size >= this.#most) {
      if (longest === undefined) {
        connection.destroy();
        return false;
      }
      this.#leave(longest);
      longest.destroy();
    }
    this.#waiting.add(connection);
    roomOf.set(connection, this);
    connection.once('close', () => this.#leave(connection));
    return true;
  }

  begin(connection: Duplex): void {
    this.#waiting.delete(connection);
    this.#served.set(connection, (this.#served.get(connection) ?? 0) + 1);
  }

  /** How many of its requests are being answered. */
  underWay(connection: Duplex): number {
    return this.#served.get(connection) ?? 0;
  }

  end(connection: Duplex): void {
    const left = (this.#served.get(connection) ?? 1) - 1;
    if (left > 0) this.#served.set(connection, left);
    else if (this.#served.delete(connection)) this.#waiting.add(connection);
  }

  #leave(connection: Duplex): void {
    this.#waiting.delete(connection);
    this.#served.delete(connection);
  }
}

export function requestsUnderWay(connection: Duplex): number {
  return roomOf.get(connection)?.underWay(connection) ?? 0;
}

/** It keeps its place until the answer is over. */
export function whileServed(connection: Duplex, answer: Writable): void {
  const room = roomOf.get(connection);
  if (room === undefined) return;
  room.begin(connection);
  answer.once('close', () => room.end(connection));
}
