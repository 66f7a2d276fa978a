/**
 * The second half of a call: the tool runs, under its deadline and on its grants, and what
 * came of it is written down before the caller hears of it.
 *
 * R1. `started` is on disk before the tool runs, and the end before the caller is answered.
 * R2. Whatever comes back, also a failure, goes through the scrubber before it is kept.
 * R3. A call that is ended from outside (deadline, revocation) is answered at once, also when
 *     its tool does not listen.
 * R4. When the daemon stops, a call is left as `started`: the next start decides, as after a
 *     crash, whether it can be run again.
 * R6. A tool that cleans up behind itself (`cleansUp`) is waited for a while: when the caller
 *     hears that it was ended, nothing of it is left.
 * R5. An end that the ledger cannot take now is written when it can; until then no caller hears it.
 */

import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import type { Clock } from '../kernel/ports.ts';
import type { OutputPart, OutputStream } from '../kernel/sandbox.ts';
import { early } from '../kernel/turns.ts';
import { findApprovalOfCall } from '../ledger/security/approvals.ts';
import { type CallRow, endCall } from '../ledger/security/journal.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/shelf.ts';
import { longestRunMs, type Permit, permitOf, permitUse, wouldPermit } from '../security/permit.ts';
import type { CallRequest } from './ask.ts';
import type { CallDeps, ResultScrubber } from './deps.ts';
import { type CallOutcome, scrubbedError } from './outcome.ts';
import type { PreparedCall, ToolCall } from './tool.ts';

export interface ToolRunDeps extends CallDeps {
  readonly running: RunningCalls;
  /** Aborts when the daemon stops. */
  readonly closing: AbortSignal;
}

export interface ToolRun {
  readonly call: Pick<CallRow, 'call_id' | 'principal' | 'tool' | 'idempotency_key'>;
  readonly prepared: PreparedCall;
  readonly grants: readonly (HeldGrant | undefined)[];
  readonly timeoutMs?: number | undefined;
  readonly onOutput?: CallRequest['onOutput'];
}

export async function run(deps: ToolRunDeps, work: ToolRun): Promise<CallOutcome> {
  const { call, grants } = work;
  const startedAt = deps.clock.monotonicMs();
  const running = deps.running.start(
    call,
    grants.filter((grant) => grant !== undefined),
  );
  const timeoutMs = Math.min(
    Math.max(deps.limits.deadlineMs, work.prepared.deadlineMs ?? 0),
    work.timeoutMs ?? Number.POSITIVE_INFINITY,
    longestRunMs(grants, deps.clock.now()) ?? Number.POSITIVE_INFINITY,
  );
  running.endAfter(timeoutMs);
  let end: End;
  try {
    end = await runTool(deps, work, running);
  } finally {
    deps.running.over(call.call_id);
  }
  // R4
  if (end.kind === 'failed' && end.error.code === 'tool.interrupted')
    return failed(call, end.error);
  return writeDownAtLast(deps, call, { ...end, ms: deps.clock.monotonicMs() - startedAt });
}

const firstAgainMs = 1000;
const longestAgainMs = 30_000;

/**
 * R5. The effect has happened; that the ledger has no room for a while does not undo it. Were this
 * given up, a caller that asks again under its key would wait for a call that runs nowhere.
 */
async function writeDownAtLast(
  deps: ToolRunDeps,
  call: ToolRun['call'],
  end: End & { readonly ms: number },
): Promise<CallOutcome> {
  for (let againMs = firstAgainMs; ; againMs = Math.min(2 * againMs, longestAgainMs)) {
    try {
      return await writeDown(deps, call, end);
    } catch (failure) {
      if (!mayPass(failure)) throw failure;
      deps.log.error({ err: failure, call: call.call_id }, 'the end of a call is not on disk yet');
      const isClosing = await deps.clock.sleep(againMs, deps.closing).catch(() => true);
      // R4
      if (isClosing === true) throw failure;
    }
  }
}

function mayPass(failure: unknown): boolean {
  return failure instanceof AosError && /^ledger\.(?:busy|full|failed)$/.test(failure.code);
}

type End =
  | { readonly kind: 'answered'; readonly result: string }
  | { readonly kind: 'failed'; readonly error: AosError };

async function runTool(deps: ToolRunDeps, work: ToolRun, running: RunningCall): Promise<End> {
  try {
    const live = work.onOutput && new LiveOutput(deps.scrubber, work.onOutput);
    const tool = work.prepared.run(callFor(deps, work, { running, live }));
    // R3. What the tool does after that does not count any more.
    tool.catch(() => {});
    const output = await Promise.race([
      tool,
      whenEnded(deps, work, { signal: running.signal, tool }),
    ]);
    running.signal.throwIfAborted();
    await live?.end();
    // R2
    const result = JSON.stringify(deps.scrubber.scrubJson(output ?? null));
    if (Buffer.byteLength(result) > mostBytes(work, deps)) throw tooLarge(work, deps);
    return { kind: 'answered', result };
  } catch (failure) {
    return { kind: 'failed', error: plainFailure(deps, work, failure) };
  }
}

const cleanUpMs = 10_000;

interface Ended {
  readonly signal: AbortSignal;
  readonly tool: Promise<unknown>;
}

/** R3, R6: rejects when the call was ended from outside. */
async function whenEnded({ clock }: ToolRunDeps, { prepared }: ToolRun, { signal, tool }: Ended) {
  const ended = whenAborted(signal);
  if (!prepared.cleansUp) return ended;
  await ended.catch(() => {});
  const patience = new AbortController();
  const waited = clock.sleep(cleanUpMs, patience.signal).catch(() => {});
  await Promise.race([tool.catch(() => {}), waited]);
  patience.abort(early);
  return ended;
}

function whenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  // Its caller may have stopped waiting for it.
  promise.catch(() => {});
  return promise;
}

interface Performance {
  readonly running: RunningCall;
  readonly live: LiveOutput | undefined;
}

function callFor(deps: ToolRunDeps, work: ToolRun, { running, live }: Performance): ToolCall {
  const { call, grants } = work;
  const { principal, call_id } = call;
  return {
    id: call_id,
    principal,
    key: call.idempotency_key,
    signal: running.signal,
    outputBytes: mostBytes(work, deps),
    permits: grants.map(permitOf),
    ...(live === undefined ? {} : { show: (part) => live.show(part) }),
    permit: (action) => permitOnTheWay(deps, { principal, callId: call_id, action }, running),
    may: (action) => wouldPermit(deps.grants, deps.ledger.committed, { principal, action }),
    approvedReason: async () => {
      const approval = await findApprovalOfCall(deps.ledger.committed, call_id);
      return approval?.state === 'approved' ? approval.reason : undefined;
    },
  };
}

interface RequestOnTheWay {
  readonly principal: string;
  readonly callId: string;
  readonly action: Action;
}

async function permitOnTheWay(
  deps: ToolRunDeps,
  { callId, ...request }: RequestOnTheWay,
  running: RunningCall,
): Promise<Permit> {
  running.signal.throwIfAborted();
  const grant = await permitUse(deps, request, { call: callId });
  running.restOn(grant);
  const longestMs = longestRunMs([grant], deps.clock.now());
  if (longestMs !== undefined) running.endAfter(longestMs);
  running.signal.throwIfAborted();
  return permitOf(grant);
}

async function writeDown(
  { ledger, clock, scrubber }: ToolRunDeps,
  call: ToolRun['call'],
  end: End & { readonly ms: number },
): Promise<CallOutcome> {
  const failure = end.kind === 'failed' ? scrubbedError(scrubber, end.error) : undefined;
  const result = end.kind === 'answered' ? end.result : must(failure, 'The failure of a call').text;
  const bytes = Buffer.byteLength(result);
  const facts = { ms: Math.round(end.ms), bytes };
  await ledger.transact(async (tx) => {
    const at = clock.now();
    const written = await endCall(tx, call.call_id, { from: 'started', to: end.kind, result, at });
    // Another daemon has taken the home over, and decided what became of it.
    if (!written) throw new Error('a call that ran is not in the journal as started');
    await tx.record({
      actor: call.principal,
      kind: `tool.${end.kind}`,
      subject: `tool:${call.tool}`,
      data: {
        call: call.call_id,
        ...facts,
        ...(end.kind === 'failed' ? { code: end.error.code } : {}),
      },
    });
  });
  if (failure !== undefined) return failed(call, failure.error);
  const { call_id: callId, tool } = call;
  return { kind: 'answered', callId, tool, output: JSON.parse(result), bytes };
}

function failed({ call_id: callId, tool }: ToolRun['call'], error: AosError): CallOutcome {
  return { kind: 'failed', callId, tool, error };
}

function plainFailure({ log }: ToolRunDeps, { call }: ToolRun, failure: unknown): AosError {
  if (failure instanceof AosError) return failure;
  log.error({ err: failure, call: call.call_id, tool: call.tool }, 'a tool broke');
  return new AosError('tool.failed', {
    message: `${call.tool} broke where it should not have`,
    fix: `Look for call ${call.call_id} in the log, and report it`,
    cause: failure,
  });
}

function mostBytes({ prepared }: ToolRun, { limits }: ToolRunDeps): number {
  return Math.max(limits.outputBytes, prepared.outputBytes ?? 0);
}

function tooLarge(work: ToolRun, deps: ToolRunDeps): AosError {
  return new AosError('tool.too-large', {
    message: `The result of ${work.call.tool} has more than ${mostBytes(work, deps)} bytes`,
    fix: 'Ask for less at a time',
  });
}

// The calls that run now: what they rest on, and how to end them.

class RunningCall implements Disposable {
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
