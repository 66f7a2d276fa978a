/**
 * Who still works on something, judged by an observer's own monotonic clock. A lease that
 * is alive keeps changing: its owner counts it up with every renewal. One that an observer
 * has watched for its whole time without a change has expired for that observer. No wall
 * clock is asked, so that one which jumps ends no lease and keeps none alive.
 */

/** What an observer sees of a lease. */
export interface SeenLease {
  /** Goes up whenever the lease changes hands; work that shows an older one is refused. */
  readonly token: number;
  readonly renewals: number;
}

interface Sighting extends SeenLease {
  readonly firstSeenAtMs: number;
}

export class LeaseWatch {
  readonly #sightings = new Map<string, Sighting>();

  /** Call it with what the ledger says, at least a few times within the lease's time. */
  saw(subject: string, { token, renewals }: SeenLease, monotonicMs: number): void {
    const before = this.#sightings.get(subject);
    if (before?.token === token && before.renewals === renewals) return;
    this.#sightings.set(subject, { token, renewals, firstSeenAtMs: monotonicMs });
  }

  /** Never true of a lease that was not watched for that long. */
  expired(subject: string, ttlMs: number, monotonicMs: number): boolean {
    const seen = this.#sightings.get(subject);
    return seen !== undefined && monotonicMs - seen.firstSeenAtMs >= ttlMs;
  }

  /** For a lease that was given back. */
  forget(subject: string): void {
    this.#sightings.delete(subject);
  }
}
