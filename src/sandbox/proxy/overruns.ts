/** What is turned away unread, because it is too much: counted, and told once a minute. */

import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ProxyDeps } from './passage.ts';

const onceInMs = 60_000;

export type Overrun = 'connections' | 'requests' | 'refusals';

export interface OverrunDeps extends Pick<ProxyDeps, 'clock' | 'log'> {
  readonly ledger: Pick<Ledger, 'transact'>;
}

export class Overruns implements AsyncDisposable {
  readonly #deps: OverrunDeps;
  readonly #principal: string;
  readonly #over = new AbortController();
  readonly #counts = new Map<Overrun, number>();
  /** While it runs, what comes is only counted. */
  #telling: Promise<void> | undefined;

  constructor(deps: OverrunDeps, principal: string) {
    this.#deps = deps;
    this.#principal = principal;
  }

  count(what: Overrun): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    this.#telling ??= this.#tell();
  }

  /** The first at once, the others together. */
  async #tell(): Promise<void> {
    while (this.#counts.size > 0) {
      await this.#record();
      try {
        await this.#deps.clock.sleep(onceInMs, this.#over.signal);
      } catch {
        // The sandbox is over: what was counted since is told now.
      }
    }
    this.#telling = undefined;
  }

  async #record(): Promise<void> {
    const data = Object.fromEntries(this.#counts);
    this.#counts.clear();
    const event = { actor: 'system', kind: 'sandbox.overrun', subject: this.#principal, data };
    try {
      await this.#deps.ledger.transact((tx) => tx.record(event));
    } catch (failure) {
      // No caller waits for it, and what was turned away stays so.
      this.#deps.log.error({ err: failure, ...data }, 'the overrun of a sandbox is not on record');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(early);
    await this.#telling;
  }
}

interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Time brings tokens, up to a burst of them. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #rate: BucketRate;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, rate: BucketRate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = clock.monotonicMs();
  }

  /** Whether there was one left. */
  take(): boolean {
    const now = this.#clock.monotonicMs();
    const earned = ((now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + earned);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
