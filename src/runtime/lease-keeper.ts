/**
 * The leases of this process: what it works on, and may go on working on.
 *
 * K1. Who works on something shows its token in every transaction (`check`): work of an
 *     owner that was taken for dead, and is not, is refused when it comes late.
 * K2. All leases are renewed together, in one transaction a beat. One that is no longer ours
 *     is told to the work under it, which stops.
 * K3. A lease of a process that is known to be gone is taken at once; of any other only
 *     after it has stood still for its whole time, on our own monotonic clock.
 */

import { LeaseWatch } from '../kernel/agent/agent.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import {
  findLease,
  holdsLease,
  readLeases,
  releaseLease,
  renewLease,
  stealLease,
  takeLease,
} from '../ledger/operations/leases.ts';

export interface LeaseKeeperDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { warn(facts: object, words: string): void };
  /** Of no other process, before or after. */
  readonly owner: string;
  /** Whether this other owner works no more, for certain. */
  isGone(owner: string): boolean;
  readonly ttlMs: number;
  readonly beatMs: number;
}

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #held = new Map<string, { readonly token: number; readonly lost: AbortController }>();
  readonly #watch = new LeaseWatch();

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
  }

  /** In a transaction of the caller, who calls `keep` once that is on disk. */
  async takeIn(tx: Transaction, subject: string): Promise<number | undefined> {
    const { owner, ttlMs, isGone } = this.#deps;
    const taken = await takeLease(tx, subject, owner, ttlMs);
    if (taken !== undefined) return taken;
    const lease = await findLease(tx, subject);
    if (lease === undefined) return undefined;
    if (lease.owner === owner) return lease.token;
    // K3
    const isOver = isGone(lease.owner) || this.#hasExpired(subject, lease.ttl_ms);
    return isOver ? stealLease(tx, subject, owner, lease) : undefined;
  }

  /** Aborts when it is lost. */
  keep(subject: string, token: number): AbortSignal {
    const lost = new AbortController();
    this.#held.set(subject, { token, lost });
    return lost.signal;
  }

  /** Undefined when another process holds it. */
  async take(subject: string): Promise<number | undefined> {
    const token = await this.#deps.ledger.transact((tx) => this.takeIn(tx, subject));
    if (token !== undefined) this.keep(subject, token);
    return token;
  }

  /** K1. Throws `lease.lost`. */
  async check(tx: Transaction, subject: string, token: number): Promise<void> {
    if (await holdsLease(tx, subject, this.#deps.owner, token)) return;
    throw lostLease(subject);
  }

  async releaseIn(tx: Transaction, subject: string): Promise<void> {
    const held = this.#held.get(subject);
    if (held !== undefined) await releaseLease(tx, subject, this.#deps.owner, held.token);
  }

  async release(subject: string): Promise<void> {
    await this.#deps.ledger.transact((tx) => this.releaseIn(tx, subject));
    this.forget(subject);
  }

  /** After it was released in a transaction that is on disk. */
  forget(subject: string): void {
    this.#held.delete(subject);
  }

  holds(subject: string): boolean {
    return this.#held.has(subject);
  }

  /** Renews and watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, beatMs, log } = this.#deps;
    for (;;) {
      // Being stopped is the way this ends.
      await clock.sleep(beatMs, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.beat();
      } catch (failure) {
        log.warn({ err: failure }, 'leases could not be renewed just now');
      }
    }
  }

  // K2
  async beat(): Promise<void> {
    const { ledger, clock, owner } = this.#deps;
    for (const lease of await readLeases(ledger.committed)) {
      if (lease.owner !== owner) this.#watch.saw(lease.subject, lease, clock.monotonicMs());
    }
    const held = [...this.#held];
    if (held.length === 0) return;
    const lost = await ledger.transact(async (tx) => {
      const gone: typeof held = [];
      for (const one of held) {
        if (!(await renewLease(tx, one[0], owner, one[1].token))) gone.push(one);
      }
      return gone;
    });
    for (const [subject, { token, lost: signal }] of lost) {
      // It may have been given back meanwhile, by ourselves, and taken anew.
      if (this.#held.get(subject)?.token !== token) continue;
      this.#held.delete(subject);
      signal.abort(lostLease(subject));
    }
  }

  #hasExpired(subject: string, ttlMs: number): boolean {
    return this.#watch.expired(subject, ttlMs, this.#deps.clock.monotonicMs());
  }
}

function lostLease(subject: string): AosError {
  return new AosError('lease.lost', {
    message: `The lease of ${subject} is held by somebody else now`,
    fix: 'Nothing: the work goes on there',
  });
}
