/**
 * The only door to a tool, for every caller: check the arguments, write down what was asked, ask
 * whether it may be done (and a human, where one has to be asked), write down that it starts,
 * run it, write down what came of it.
 */

import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import { Bells, early } from '../kernel/turns.ts';
import { type CallRow, findCall } from '../ledger/security/journal.ts';
import { authorize } from '../security/permit.ts';
import { type AnswerRequest, answer, expire } from './answer.ts';
import { ask, type CallRequest, tooMany } from './ask.ts';
import type { CallDeps } from './deps.ts';
import { tellOfApproval } from './notes.ts';
import { type CallOutcome, outcomeOf } from './outcome.ts';
import { type Resolution, recover, resolve, tellIfOver, tellOfAllUnsure } from './recover.ts';
import { RunningCalls, run, type ToolRun } from './run.ts';
import type { PreparedCall } from './tool.ts';

export type { CallOutcome } from './outcome.ts';

export class ToolCalls implements AsyncDisposable {
  readonly #deps: CallDeps;
  readonly #running: RunningCalls;
  /** What runs in this process, for callers that ask again under the same key. */
  readonly #underWay = new Map<string, Promise<CallOutcome>>();
  /** How many calls each principal waits for. */
  readonly #busy = new Map<string, number>();
  readonly #closing = new AbortController();
  /** Rung when a call may be over that a caller waits for. */
  readonly #bells: Bells;

  constructor(deps: CallDeps) {
    this.#deps = deps;
    this.#bells = new Bells(deps.clock);
    this.#running = new RunningCalls(deps.grants, deps.clock);
  }

  /** Resolves to its end, or to that it waits for a human. Throws what was never asked. */
  async call(request: CallRequest): Promise<CallOutcome> {
    const { clock, random } = this.#deps;
    const tool = this.#deps.tool(request.tool);
    const prepared = tool.prepare(request.args);
    using _place = this.#takePlace(request.principal);
    const asks = await reasonOf(this.#deps, request, prepared);
    const callId = newId(clock.now(), random);
    const asked = await ask(this.#deps, { callId, request, tool, prepared, asks });
    const facts = { callId, tool: tool.name };
    switch (asked.kind) {
      case 'over':
        return { kind: 'failed', ...facts, error: asked.error };
      case 'waiting':
        // The timer that was set with it tells too, should this not get through.
        await this.announce(asked.approval).catch(() => {});
        return { kind: 'waiting', ...facts };
      case 'repeated': {
        const { call_id } = asked.call;
        const running = this.#underWay.get(call_id);
        if (running !== undefined) request.onStart?.();
        return await this.#endWith(request.signal, call_id, running ?? outcomeOf(asked.call));
      }
      case 'started': {
        const { principal, key: idempotency_key = callId, timeoutMs, onOutput } = request;
        const call = { call_id: callId, principal, tool: tool.name, idempotency_key };
        request.onStart?.();
        const running = this.#run({ call, prepared, grants: asked.grants, timeoutMs, onOutput });
        return await this.#endWith(request.signal, callId, running);
      }
    }
  }

  /** A human's answer. What was approved goes on; its end is told to the caller. */
  async answer(request: AnswerRequest): Promise<CallRow> {
    const { call, goesOn } = await answer(this.#deps, request);
    if (goesOn !== undefined) this.#goOn(goesOn);
    else this.#bells.ring(call.call_id);
    return call;
  }

  /** Tells those who can answer, unless one of them has. */
  announce(approval: string): Promise<void> {
    return tellOfApproval(this.#deps, approval);
  }

  /** Ends approvals that were not answered in time. */
  expire(approval: string): Promise<void> {
    return expire(this.#deps, approval);
  }

  /** What became of a call whose end was not known; said by the owner. */
  async resolve(resolution: Resolution): Promise<CallRow> {
    const { call, goesOn } = await resolve(this.#deps, resolution);
    if (goesOn !== undefined) this.#goOn(goesOn);
    else await tellIfOver(this.#deps, call.call_id);
    this.#bells.ring(call.call_id);
    return call;
  }

  /** What a process that died left in the middle. To be called once, before anything is served. */
  async recover(): Promise<void> {
    for (const work of await recover(this.#deps)) this.#goOn(work);
    await tellOfAllUnsure(this.#deps);
  }

  /** Waits for the end of a call that runs in this process. */
  async outcome(callId: string): Promise<CallOutcome | undefined> {
    const running = this.#underWay.get(callId);
    if (running !== undefined) return running;
    const row = await findCall(this.#deps.ledger.committed, callId);
    return row === undefined ? undefined : outcomeOf(row);
  }

  /**
   * Waits for the end of a call that a human has to answer, or say what became of it; resolves
   * to undefined when there is no such call. Rejects when the signal aborts.
   */
  async settled(callId: string, signal: AbortSignal): Promise<CallOutcome | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const outcome = await this.outcome(callId);
      if (outcome === undefined || isSettled(outcome)) return outcome;
      await this.#bells.wait(callId, lookAgainMs, signal);
    }
  }

  /** Ends what runs for this principal, as when its agent is terminated. */
  endOf(principal: string, why: AosError): void {
    this.#running.endOf(principal, why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running.endAll(
      new AosError('tool.interrupted', {
        message: 'The daemon stopped while the call was running',
        fix: 'Look what became of it once the daemon is up again',
      }),
    );
    this.#closing.abort(early);
    await Promise.allSettled(this.#underWay.values());
    this.#running[Symbol.dispose]();
  }

  // The owner is not limited: who would be protected from them?
  #takePlace(principal: string): Disposable {
    const { mostRunning } = this.#deps.limits;
    const before = this.#busy.get(principal) ?? 0;
    if (principal !== 'owner' && before >= mostRunning) {
      throw tooMany(principal, `${mostRunning} calls running`);
    }
    this.#busy.set(principal, before + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#busy.get(principal) ?? 1) - 1;
        if (left === 0) this.#busy.delete(principal);
        else this.#busy.set(principal, left);
      },
    };
  }

  /**
   * Ends the call with its caller. The call of a run that lost its lease goes on: the run is put
   * back into the queue, asks again under the same key, and hears the end then.
   */
  async #endWith(
    signal: AbortSignal | undefined,
    callId: string,
    outcome: CallOutcome | Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    const { promise: left, reject: leave } = Promise.withResolvers<never>();
    const end = (): void => {
      if (isLostLease(signal?.reason)) leave(signal?.reason);
      else this.#running.end(callId, whyEnded(signal?.reason));
    };
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([outcome, left]);
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }

  async #run(work: ToolRun): Promise<CallOutcome> {
    const { call_id } = work.call;
    const deps = { ...this.#deps, running: this.#running, closing: this.#closing.signal };
    const outcome = run(deps, work);
    this.#underWay.set(call_id, outcome);
    try {
      return await outcome;
    } finally {
      this.#underWay.delete(call_id);
    }
  }

  /** No connection waits for it: the caller finds its end in the journal and a message. */
  #goOn(work: ToolRun & { readonly onEnd: (outcome: CallOutcome) => Promise<void> }): void {
    this.#run(work)
      .then((outcome) => {
        this.#bells.ring(work.call.call_id);
        return work.onEnd(outcome);
      })
      .catch((failure: unknown) => {
        const call = work.call.call_id;
        this.#deps.log.error({ err: failure, call }, 'a call that went on could not be ended');
      });
  }
}

/** Who may not do it anyway is not told what would have to be approved. */
async function reasonOf(
  { grants, ledger, clock, limits }: CallDeps,
  { principal, key, signal = never }: CallRequest,
  prepared: PreparedCall,
): Promise<string | undefined> {
  if (principal === 'owner') return undefined;
  for (const action of prepared.actions) {
    const { kind } = await authorize(grants, ledger.committed, { principal, action });
    if (kind === 'denied') return undefined;
  }
  const late = new AbortController();
  const done = new AbortController();
  const deadline = clock.sleep(limits.deadlineMs, done.signal).then(
    () => late.abort(tooLate()),
    () => {},
  );
  try {
    return await prepared.asks({ principal, key, signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    done.abort(early);
    await deadline;
  }
}

function tooLate(): AosError {
  return new AosError('tool.timeout', {
    message: 'It took too long to work out what a human has to be asked',
    fix: 'Ask for less at a time',
  });
}

const never = new AbortController().signal;

function isLostLease(reason: unknown): boolean {
  return reason instanceof AosError && reason.code === 'lease.lost';
}

/** A caller that stops with the daemon leaves the call to the next start. */
function whyEnded(reason: unknown): AosError {
  if (reason instanceof AosError) return reason;
  return new AosError('tool.interrupted', {
    message: 'Whoever called stopped while the call was running',
    fix: 'Look what became of it once the daemon is up again',
  });
}

// A bell may have been rung before this listened.
const lookAgainMs = 5000;

/** Of one whose end is not known, a human has yet to say. */
function isSettled(outcome: CallOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.error.code !== 'tool.unsure';
  return outcome.kind === 'answered';
}
