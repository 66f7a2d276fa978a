import type { GatewayLog } from '../server/deps.ts';

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
