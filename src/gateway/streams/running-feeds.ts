import type { FastifyReply } from 'fastify';
import type { Caller } from '../server/authenticate.ts';
import type { GatewayLog } from '../server/deps.ts';
import { tooMany } from '../server/throttle.ts';

/** The feeds that are being served: closing waits for them. */
export class RunningFeeds {
  readonly #log: GatewayLog;
  readonly #running = new Set<Promise<void>>();

  constructor(log: GatewayLog) {
    this.#log = log;
  }

  track(feed: Promise<void>): void {
    const settled: Promise<void> = feed
      .catch((error: unknown) => this.#log.error({ err: error }, 'a feed broke'))
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#running);
  }
}

// How many streams an outsider holds open: a connection each, of which a door has only so many.

const mostOfEach = 16;
const comeAgainMs = 5000;

export class StreamSlots {
  readonly #open = new Map<string, number>();

  /** Until the answer has ended. Throws when this one has enough. */
  take({ kind, id }: Caller, reply: FastifyReply): void {
    // Who has left already closes nothing any more.
    if (kind !== 'grantee' || reply.raw.destroyed) return;
    const open = this.#open.get(id) ?? 0;
    if (open >= mostOfEach) throw tooMany(comeAgainMs);
    this.#open.set(id, open + 1);
    reply.raw.once('close', () => this.#giveBack(id));
  }

  #giveBack(id: string): void {
    const left = (this.#open.get(id) ?? 1) - 1;
    if (left === 0) this.#open.delete(id);
    else this.#open.set(id, left);
  }
}
