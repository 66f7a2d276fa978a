/** The calls that run now: what they rest on, and how to end them. */

import { AosError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import type { OutputPart, OutputStream } from '../kernel/sandbox.ts';
import { early } from '../kernel/turns.ts';
import type { CallRow } from '../ledger/security/journal.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import type { ResultScrubber } from './deps.ts';

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

// What a tool shows a caller that looks on while it runs. It is scrubbed as the result is; what
// may be the beginning of a secret is held back until it turns out not to be. No caller has to
// look: the result has it all.

export class LiveOutput {
  readonly #streams = new Map<OutputStream, PartQueue>();
  readonly #flows: Promise<void>[] = [];
  readonly #scrubber: ResultScrubber;
  readonly #onPart: (part: OutputPart) => void;

  constructor(scrubber: ResultScrubber, onPart: (part: OutputPart) => void) {
    this.#scrubber = scrubber;
    this.#onPart = onPart;
  }

  show({ stream, bytes }: OutputPart): void {
    let queue = this.#streams.get(stream);
    if (queue === undefined) {
      queue = new PartQueue();
      this.#streams.set(stream, queue);
      this.#flows.push(this.#flow(stream, queue));
    }
    queue.put(bytes);
  }

  /** Resolves when all that was shown has been seen. */
  async end(): Promise<void> {
    for (const queue of this.#streams.values()) queue.end();
    await Promise.all(this.#flows);
  }

  async #flow(stream: OutputStream, queue: PartQueue): Promise<void> {
    for await (const bytes of this.#scrubber.scrubStream(queue)) this.#onPart({ stream, bytes });
  }
}

/** Parts that the tool puts in and one reader takes out. */
class PartQueue implements AsyncIterable<Uint8Array> {
  readonly #parts: Uint8Array[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  put(part: Uint8Array): void {
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) yield part;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
