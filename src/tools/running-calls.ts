/** The calls that run now: what they rest on, and how to end them. */
import { AosError } from '../kernel/errors.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';

export class RunningCall {
  readonly #controller = new AbortController();
  readonly #grants: HeldGrant[];

  constructor(grants: readonly HeldGrant[]) {
    this.#grants = [...grants];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A grant that was found on the way. */
  restOn(grant: HeldGrant | undefined): void {
    if (grant === undefined) return;
    this.#grants.push(grant);
    this.endIfRevoked();
  }

  end(why: AosError): void {
    this.#controller.abort(why);
  }

  endIfRevoked(): void {
    for (const { links } of this.#grants) {
      const revoked = links.find((link) => link.revoked);
      if (revoked !== undefined) this.end(revokedError(revoked.id));
    }
  }
}

export class RunningCalls implements Disposable {
  readonly #running = new Map<string, RunningCall>();
  readonly #subscription: Disposable;

  constructor(grants: Grants) {
    this.#subscription = grants.onRevoked(() => {
      for (const call of this.#running.values()) call.endIfRevoked();
    });
  }

  start(callId: string, grants: readonly HeldGrant[]): RunningCall {
    const call = new RunningCall(grants);
    this.#running.set(callId, call);
    // It may have been revoked between the decision and this moment.
    call.endIfRevoked();
    return call;
  }

  over(callId: string): void {
    this.#running.delete(callId);
  }

  endAll(why: AosError): void {
    for (const call of this.#running.values()) call.end(why);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

function revokedError(grant: string): AosError {
  return new AosError('capability.revoked', {
    message: `Grant ${grant.slice(0, 12)} was revoked while the call was running, so it was ended`,
    fix: 'Ask the owner, then call again',
    details: { grant },
  });
}
