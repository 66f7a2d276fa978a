/**
 * The model agents that this process works for: starts their operations, lets them wait, puts
 * them off, pauses and ends them.
 *
 * M1. An agent is `running` under a lease that is taken in the same transaction. One that
 *     waits, for a human or for its children, keeps it, and holds no slot.
 * M2. A run that is stopped with its daemon writes nothing more: where it stands is in its
 *     journal, and recover.ts puts it back into the queue, here or at the next start.
 */
import { decideRestart, type ModelSpec, readSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { early } from '../../kernel/turns.ts';
import { agentInnards, setRestarts } from '../../ledger/agents.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { givenUpNoteKey } from '../../ledger/operations/finish.ts';
import { findLease } from '../../ledger/operations/leases.ts';
import {
  changeOperation,
  findOperation,
  type OperationRow,
  putOff,
} from '../../ledger/operations/operations.ts';
import { appendSteps } from '../../ledger/operations/steps.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';
import { tellLater } from '../../relay/tell.ts';
import { concludeIn, type Ending } from '../conclude.ts';
import { turnTo, type Why } from '../life.ts';
import type { SpawnOrder } from '../spawn.ts';
import { endAsAsked, endBelow, type Goal, putBack } from '../submit.ts';
import { budgetsOf, chargeRunTime, runTimeLeft, startRunTime } from './ask.ts';
import type { ModelRun, ModelRunDeps } from './deps.ts';
import { checkGoalBudget, checkSpawnBudget } from './first-request.ts';
import { hasToHear, work } from './run.ts';
import { OutputShow, RunJournal } from './run-journal.ts';

export interface ModelRunsDeps extends ModelRunDeps {
  /** The operation waits no more. */
  requeue(id: string): Promise<void>;
  /** A note was left for tellAll(). */
  toTell(): void;
  /** This process works for the agent no more, for now. */
  onIdle(agent: string): void;
}

interface Active {
  readonly agent: string;
  readonly token: number;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  wantsPause: Why | undefined;
  /** Once its journal is open. */
  run: ModelRun | undefined;
}

export class ModelRuns implements AsyncDisposable {
  readonly #deps: ModelRunsDeps;
  readonly #active = new Map<string, Active>();
  /** By operation: the tokens of leases that were taken for them. */
  readonly #tokens = new Map<string, number>();
  /** By agent: the operation that waits for mail. */
  readonly #waitForMail = new Map<string, string>();
  /** Ends all waiting. */
  readonly #closing = new AbortController();

  constructor(deps: ModelRunsDeps) {
    this.#deps = deps;
  }

  /** Before there is an agent: whether its budget covers its first request; throws why not. */
  async checkBudget(order: SpawnOrder, spec: ModelSpec): Promise<void> {
    await checkSpawnBudget(this.#deps, order, spec);
  }

  /** Before a goal is queued for an agent that is there: whether its budget covers a request. */
  async checkGoalBudget(agent: string, goal: Pick<Goal, 'text' | 'budget'>): Promise<void> {
    if (goal.budget === undefined) return;
    const { committed } = this.#deps.ledger;
    const held = await grantsHeldBy(committed, `agent:${agent}`);
    const grants = held.map(({ capability }) => capability);
    await checkGoalBudget(this.#deps, { spec: await specOf(committed, agent), grants }, goal);
  }

  /** M1. In the transaction that claims the operation; false when its agent is busy elsewhere. */
  async take(tx: Transaction, operation: OperationRow): Promise<boolean> {
    const token = await this.#deps.leases.takeIn(tx, `agent:${operation.agent}`);
    if (token === undefined) return false;
    this.#tokens.set(operation.id, token);
    await turnToRunning(tx, operation, this.#deps.clock.now());
    return true;
  }

  /** Resolves when it is over, waits, or is paused; never rejects but for a bug. */
  async start(operation: OperationRow): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const { agent } = operation;
    const token = this.#tokens.get(operation.id);
    this.#tokens.delete(operation.id);
    if (token === undefined) throw new Error('an operation was started that nobody had claimed');
    const active: Active = {
      agent,
      token,
      stop: new AbortController(),
      ended,
      wantsPause: undefined,
      run: undefined,
    };
    this.#active.set(operation.id, active);
    try {
      await this.#workOn(operation, active);
    } finally {
      this.#active.delete(operation.id);
      resolve();
      this.#deps.followers.show(operation.id, { kind: 'state' });
      this.#deps.onIdle(agent);
    }
  }

  /** It stops after the step that it is in. Resolves when it has; false when it does not run. */
  async pause(agent: string, { by, reason }: Why): Promise<boolean> {
    const found = [...this.#active.values()].find((one) => one.agent === agent);
    if (found === undefined) return false;
    found.wantsPause = { by, reason };
    await found.ended;
    return true;
  }

  /** Ends it here and now, if it runs. */
  stop(operation: string, why: AosError): void {
    this.#active.get(operation)?.stop.abort(why);
  }

  /** Resolves when this process does not work on it (any more). */
  async ended(operation: string): Promise<void> {
    await this.#active.get(operation)?.ended;
  }

  /** There may be mail for this agent. */
  mailFor(agent: string): void {
    const operation = this.#waitForMail.get(agent);
    if (operation === undefined) return;
    this.#waitForMail.delete(agent);
    this.#goOn(operation, Promise.resolve());
  }

  /** One that waits, of this process or of one before it. */
  awaitAgain({ id, agent, waits_for }: Pick<OperationRow, 'id' | 'agent' | 'waits_for'>): void {
    const callId = /^call:([0-9a-f]{32})$/.exec(waits_for ?? '')?.[1];
    if (callId !== undefined) {
      this.#goOn(id, this.#deps.calls.settled(callId, this.#closing.signal));
      return;
    }
    this.#waitForMail.set(agent, id);
    // What came before this was listened for.
    this.#mustWait({ id, agent }).then(
      (must) => (must ? undefined : this.mailFor(agent)),
      (failure: unknown) =>
        this.#deps.log.error({ err: failure, agent }, 'mail cannot be looked for'),
    );
  }

  async #mustWait(operation: Pick<OperationRow, 'id' | 'agent'>): Promise<boolean> {
    const { mailboxes, ledger } = this.#deps;
    if ((await mailboxes.list(operation.agent, { limit: 1 })).length > 0) return false;
    return hasToHear(ledger.committed, operation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // M2
    this.#closing.abort(early);
    const all = [...this.#active.values()];
    for (const { stop } of all) stop.abort(early);
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #workOn(operation: OperationRow, active: Active): Promise<void> {
    try {
      const run = await this.#open(operation, active);
      await using _wall = await this.#limitWall(run, active.stop);
      const worked = await work(this.#deps, run);
      if (worked.kind === 'done') {
        await this.#end(operation, active, { state: 'completed', text: worked.text });
      } else if (worked.kind === 'paused') await this.#setAside(operation, active);
      else await this.#wait(operation, active, waitsFor(worked));
    } catch (failure) {
      await this.#fail(operation, failure, active).catch((again: unknown) => {
        if (!isOfLedger(again)) throw again;
        return this.#putBackLater(operation, active, again);
      });
    }
  }

  async #open(operation: OperationRow, active: Active): Promise<ModelRun> {
    const { leases, ledger, clock, models } = this.#deps;
    const { agent } = operation;
    const subject = `agent:${agent}`;
    const { token } = active;
    checkKey(ledger.committed, operation);
    const lost = leases.keep(subject, token);
    lost.addEventListener('abort', () => active.stop.abort(lost.reason), { once: true });
    const spec = await specOf(ledger.committed, agent);
    const model = await models.open(spec.model);
    const journal = await RunJournal.open(this.#deps, { operation: operation.id, subject, token });
    const run: ModelRun = {
      ...{ operation, agent, spec, model, journal },
      output: new OutputShow(this.#deps, operation.id),
      signal: active.stop.signal,
      wantsPause: () => active.wantsPause !== undefined,
    };
    startRunTime(run, clock);
    active.run = run;
    return run;
  }

  /** Stops the run when the time of its budget is over. */
  async #limitWall(run: ModelRun, stop: AbortController): Promise<AsyncDisposable> {
    const { ledger, clock } = this.#deps;
    const over = new AbortController();
    const left = await runTimeLeft(ledger.committed, budgetsOf(run));
    const waited =
      left &&
      clock.sleep(left.ms, over.signal).then(
        () => stop.abort(left.error),
        // It was over before.
        () => {},
      );
    return {
      async [Symbol.asyncDispose]() {
        over.abort(early);
        await waited;
      },
    };
  }

  async #fail(operation: OperationRow, failure: unknown, active: Active): Promise<void> {
    const { stop } = active;
    const why: unknown = stop.signal.aborted ? stop.signal.reason : failure;
    // M2
    if (why === early) return;
    if (isLost(why)) return this.#leave(operation);
    if (isOfLedger(why)) return this.#putBackLater(operation, active, why);
    if (!(why instanceof AosError)) {
      this.#deps.log.error({ err: why, operation: operation.id }, 'a run broke');
      await this.#end(operation, active, { state: 'failed', error: broken(operation, why) });
      return;
    }
    if (why.code === 'operation.cancelled') {
      await this.#end(operation, active, { state: 'cancelled', error: why });
    } else if (!(await this.#tryLater(operation, active, why))) {
      await this.#end(operation, active, { state: 'failed', error: why });
    }
  }

  /**
   * The ledger cannot be written, as on a full disk. Nothing is wrong with the run: it goes on
   * from its journal when there is room again.
   */
  async #putBackLater(operation: OperationRow, active: Active, why: AosError): Promise<void> {
    const { ledger, leases, clock, log } = this.#deps;
    const { id, agent } = operation;
    const subject = `agent:${agent}`;
    log.error({ err: why, operation: id }, 'a run holds: the ledger cannot be written just now');
    let isLeft = false;
    for (let delayMs = againMs; ; delayMs = Math.min(delayMs * 2, longestAgainMs)) {
      const isClosing = await clock.sleep(delayMs, this.#closing.signal).catch(() => true);
      // M2
      if (isClosing === true) return;
      try {
        if (isLeft) return await this.#leave(operation);
        await ledger.transact(async (tx) => {
          await leases.check(tx, subject, active.token);
          const at = clock.now();
          const turn = { to: 'pending', from: ['running'], actor: 'system', at } as const;
          await turnTo(tx, agent, { ...turn, reason: 'it goes on from its journal' });
          await leases.releaseIn(tx, subject);
          await putBack(tx, id, { from: ['running'], actor: 'system', at });
        });
        leases.forget(subject);
        return;
      } catch (failure) {
        if (isLost(failure)) isLeft = true;
        else if (!isOfLedger(failure)) throw failure;
      }
    }
  }

  /** Every way out of a run counts the time since it was counted last. */
  async #under(tx: Transaction, { agent, token, run }: Active): Promise<void> {
    await this.#deps.leases.check(tx, `agent:${agent}`, token);
    if (run !== undefined) await chargeRunTime(this.#deps, tx, run);
  }

  async #end(operation: OperationRow, active: Active, ending: Ending): Promise<void> {
    const { ledger, leases, clock, log } = this.#deps;
    const subject = `agent:${operation.agent}`;
    try {
      const asked = await ledger.transact(async (tx) => {
        await this.#under(tx, active);
        const at = clock.now();
        await concludeIn(tx, { operation, ending, actor: subject, at });
        // No operation is left to hear of what was submitted for it.
        const isDone = ending.state === 'completed';
        return isDone ? [] : await endBelow(tx, operation.id, { actor: 'system', at });
      });
      leases.forget(subject);
      for (const { id, error } of asked) this.stop(id, error);
      this.#deps.toTell();
    } catch (failure) {
      if (!(failure instanceof AosError)) throw failure;
      if (isLost(failure)) return this.#leave(operation);
      log.error({ err: failure, operation: operation.id }, 'an operation could not be ended');
      if (!isOfLedger(failure)) return;
      // Or it would show `running` for ever. Being stopped is another way this ends.
      const isClosing = await clock.sleep(againMs, this.#closing.signal).catch(() => true);
      if (isClosing !== true) await this.#end(operation, active, ending);
    }
  }

  /**
   * What was taken over, another process ends. Where no process has the lease, its agent was
   * paused or ended just when this began, and it goes back to where it was.
   */
  async #leave({ id, agent }: OperationRow): Promise<void> {
    const { ledger, clock } = this.#deps;
    await ledger.transact(async (tx) => {
      if ((await findLease(tx, `agent:${agent}`)) !== undefined) return;
      await putBack(tx, id, { from: ['running'], actor: 'system', at: clock.now() });
    });
    this.#deps.toTell();
  }

  /** After its step, and until it is resumed. */
  async #setAside(operation: OperationRow, active: Active): Promise<void> {
    const { ledger, leases, clock } = this.#deps;
    const { id, agent } = operation;
    await ledger.transact(async (tx) => {
      await this.#under(tx, active);
      const at = clock.now();
      if (await endIfAsked(tx, operation, at)) return;
      await appendSteps(tx, id, [{ kind: 'checkpoint', why: 'paused' }], at);
      await changeOperation(tx, id, { from: ['running'], to: 'paused', at });
      const { by = 'system', reason = `paused by ${by}` } = active.wantsPause ?? {};
      await turnTo(tx, agent, { to: 'paused', from: ['running'], reason, actor: by, at });
      await leases.releaseIn(tx, `agent:${agent}`);
    });
    leases.forget(`agent:${agent}`);
    this.#deps.toTell();
  }

  async #wait(operation: OperationRow, active: Active, waits_for: string): Promise<void> {
    const { ledger, leases, clock } = this.#deps;
    const { id, agent } = operation;
    const change = { from: ['running'], to: 'waiting', waitsFor: waits_for } as const;
    const isOver = await ledger.transact(async (tx) => {
      await this.#under(tx, active);
      const at = clock.now();
      if (await endIfAsked(tx, operation, at)) return true;
      await changeOperation(tx, id, { ...change, at });
      await tx.record({
        actor: `agent:${agent}`,
        kind: 'operation.waiting',
        subject: `operation:${id}`,
        data: { for: waits_for },
      });
      return false;
    });
    if (!isOver) return this.awaitAgain({ id, agent, waits_for });
    leases.forget(`agent:${agent}`);
    this.#deps.toTell();
  }

  #goOn(operation: string, when: Promise<unknown>): void {
    when
      .then(() => this.#requeue(operation))
      .catch((failure: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.#deps.log.error({ err: failure, operation }, 'an operation could not go on');
      });
  }

  /** No other process would: it is tried until the ledger can be written again. */
  async #requeue(operation: string): Promise<void> {
    for (;;) {
      try {
        return await this.#deps.requeue(operation);
      } catch (failure) {
        this.#deps.log.error({ err: failure, operation }, 'an operation cannot go on just now');
        await this.#deps.clock.sleep(againMs, this.#closing.signal);
      }
    }
  }

  /** What may pass is tried again from where it was, as often as its agent's policy says. */
  async #tryLater(operation: OperationRow, active: Active, error: AosError): Promise<boolean> {
    if (!mayPass.has(error.code)) return false;
    const { ledger, leases, clock } = this.#deps;
    const { id, agent } = operation;
    const later = await ledger.transact(async (tx) => {
      await this.#under(tx, active);
      const innards = await agentInnards(tx, agent);
      const at = clock.now();
      const policy = readSpec(innards?.spec)?.restart ?? 'never';
      // Only this writes it.
      const restarts = JSON.parse(innards?.restarts ?? '[]') as number[];
      const decision = decideRestart({ policy, end: 'failed', restarts, now: at });
      if (decision.kind === 'give-up') await escalate(tx, { operation, error, at });
      if (decision.kind !== 'restart') return false;
      const why = `${error.code}: ${error.message}; tried again in ${decision.afterMs} ms`;
      await appendSteps(tx, id, [{ kind: 'checkpoint', why }], at);
      await putOff(tx, id, { at, dueAt: at + decision.afterMs });
      await setRestarts(tx, agent, JSON.stringify([...restarts.slice(-9), at]));
      const turn = { to: 'pending', from: ['running'], actor: 'system', at } as const;
      await turnTo(tx, agent, { ...turn, reason: why });
      await leases.releaseIn(tx, `agent:${agent}`);
      return true;
    });
    if (later) leases.forget(`agent:${agent}`);
    return later;
  }
}

/** After a restore its key may be gone: then it is not known what it was to do. */
function checkKey({ bodies }: Sql, { id, is_sealed }: OperationRow): void {
  if (is_sealed === 0 || bodies?.has(id) === true) return;
  throw new AosError('operation.erased', {
    message: `The key of operation ${id} is gone, and with it what it was to do`,
    fix: 'Let whoever submitted it submit it again',
  });
}

const againMs = 1000;
const longestAgainMs = 30_000;

/** Failures of others, which have nothing to do with what was asked. */
const mayPass: ReadonlySet<string> = new Set([
  'model.overloaded',
  'model.unreachable',
  'model.cut-off',
]);

/** That it is to end may have been asked after its last step: no process would look again. */
async function endIfAsked(
  tx: Transaction,
  { id, agent }: OperationRow,
  at: number,
): Promise<boolean> {
  const row = await findOperation(tx, id);
  return row !== undefined && endAsAsked(tx, row, { actor: `agent:${agent}`, at });
}

async function escalate(
  tx: Transaction,
  {
    operation,
    error,
    at,
  }: { readonly operation: OperationRow; readonly error: AosError; readonly at: number },
): Promise<void> {
  const { id, agent } = operation;
  const body = `Agent ${agent} was tried again several times and is given up.\nOPERATION: ${id}\n\n${error.code}: ${error.message}\n\naos inspect ${agent}\n`;
  await tellLater(tx, { to: 'owner', key: givenUpNoteKey(id), body }, { at });
}

async function turnToRunning(tx: Transaction, operation: OperationRow, at: number): Promise<void> {
  const { agent, id } = operation;
  const facts = { actor: 'system', at, data: { operation: id } };
  // One that was over has another goal now.
  await turnTo(tx, agent, { to: 'pending', from: ['completed', 'failed'], ...facts });
  await turnTo(tx, agent, { to: 'running', from: ['pending'], ...facts });
}

export async function specOf(
  sql: Parameters<typeof agentInnards>[0],
  agent: string,
): Promise<ModelSpec> {
  const spec = readSpec((await agentInnards(sql, agent))?.spec);
  if (spec?.body !== 'model') throw new Error(`${agent} has no model`);
  return spec;
}

function waitsFor(worked: { readonly kind: string; readonly callId?: string }): string {
  return worked.callId === undefined ? 'mail' : `call:${worked.callId}`;
}

function isOfLedger(why: unknown): why is AosError {
  return why instanceof AosError && why.code.startsWith('ledger.');
}

function isLost(why: unknown): boolean {
  return why instanceof AosError && why.code === 'lease.lost';
}

function broken({ id }: OperationRow, cause: unknown): AosError {
  return new AosError('operation.unread', {
    message: `Operation ${id.slice(0, 16)} broke where it should not have`,
    fix: 'Look for it in the log, and report it',
    cause,
  });
}
