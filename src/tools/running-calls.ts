/** The calls that run now: what they rest on, and how to end them. */

import { AosError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';
import type { CallRow } from '../ledger/security/journal.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';

export class RunningCall implements Disposable {
  readonly #clock: Pick<Clock, 'sleep'>;
  /** Aborts when it is over: no deadline is waited for any more. */
  readonly #over = new AbortController();
  readonly #controller = new AbortController();
  readonly #grants: HeldGrant[];
  readonly principal: string;

  constructor(clock: Pick<Clock, 'sleep'>, principal: string, grants: readonly HeldGrant[]) {
    this.#clock = clock;
    this.principal = principal;
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

  /** It runs no longer than so from now on; what was said before still holds. */
  endAfter(timeoutMs: number): void {
    this.#clock.sleep(timeoutMs, this.#over.signal).then(
      () => this.end(late(timeoutMs)),
      // It was over before.
      () => {},
    );
  }

  [Symbol.dispose](): void {
    this.#over.abort(early);
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
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #running = new Map<string, RunningCall>();
  readonly #subscription: Disposable;

  constructor(grants: Grants, clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
    this.#subscription = grants.onRevoked(() => {
      for (const call of this.#running.values()) call.endIfRevoked();
    });
  }

  start(
    { call_id, principal }: Pick<CallRow, 'call_id' | 'principal'>,
    grants: readonly HeldGrant[],
  ): RunningCall {
    const call = new RunningCall(this.#clock, principal, grants);
    this.#running.set(call_id, call);
    // It may have been revoked between the decision and this moment.
    call.endIfRevoked();
    return call;
  }

  over(callId: string): void {
    this.#running.get(callId)?.[Symbol.dispose]();
    this.#running.delete(callId);
  }

  /** Nothing when it does not run here. */
  end(callId: string, why: AosError): void {
    this.#running.get(callId)?.end(why);
  }

  endOf(principal: string, why: AosError): void {
    for (const call of this.#running.values()) if (call.principal === principal) call.end(why);
  }

  endAll(why: AosError): void {
    for (const call of this.#running.values()) call.end(why);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

function late(timeoutMs: number): AosError {
  return new AosError('tool.timeout', {
    message: `The call was ended after ${timeoutMs} ms, which is as long as it may take`,
    fix: 'Allow it more time, or ask for less',
    details: { timeout_ms: timeoutMs },
  });
}

function revokedError(grant: string): AosError {
  return new AosError('capability.revoked', {
    message: `Grant ${grant.slice(0, 16)} was revoked while the call was running, so it was ended`,
    fix: 'Ask the owner, then call again',
    details: { grant },
  });
}
