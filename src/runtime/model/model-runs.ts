/**
 * The model agents that this process works for: starts their operations, lets them wait, puts
 * them off, pauses and ends them.
 *
 * M1. An agent is `running` under a lease that is taken in the same transaction. One that
 *     waits, for a human or for its children, keeps it, and holds no slot.
 * M2. A run that is stopped with its daemon writes nothing more: where it stands is in its
 *     journal, and recover.ts puts it back into the queue, here or at the next start.
 */
import { type ModelSpec, readSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { early } from '../../kernel/turns.ts';
import { agentInnards } from '../../ledger/agents.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import type { OperationRow } from '../../ledger/operations/operations.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';
import { turnTo, type Why } from '../life.ts';
import type { SpawnOrder } from '../spawn.ts';
import type { Goal } from '../submit.ts';
import { budgetsOf, runTimeLeft, startRunTime } from './ask.ts';
import type { ModelRun, ModelRunDeps } from './deps.ts';
import {
  type ActiveRun,
  againMs,
  endRun,
  failRun,
  isOfLedger,
  letWait,
  putBackLater,
  type RunExitDeps,
  setAside,
} from './end-run.ts';
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

export class ModelRuns implements AsyncDisposable {
  readonly #deps: ModelRunsDeps;
  readonly #active = new Map<string, ActiveRun>();
  /** By operation: the tokens of leases that were taken for them. */
  readonly #tokens = new Map<string, number>();
  /** By agent: the operation that waits for mail. */
  readonly #waitForMail = new Map<string, string>();
  /** Ends all waiting. */
  readonly #closing = new AbortController();

  readonly #exits: RunExitDeps;

  constructor(deps: ModelRunsDeps) {
    this.#deps = deps;
    this.#exits = {
      ...deps,
      closing: this.#closing.signal,
      stop: (operation, why) => this.stop(operation, why),
    };
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
    const active: ActiveRun = {
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

  async #workOn(operation: OperationRow, active: ActiveRun): Promise<void> {
    try {
      const run = await this.#open(operation, active);
      await using _wall = await this.#limitWall(run, active.stop);
      const worked = await work(this.#deps, run);
      if (worked.kind === 'done') {
        await endRun(this.#exits, operation, active, { state: 'completed', text: worked.text });
      } else if (worked.kind === 'paused') await setAside(this.#exits, operation, active);
      else await this.#wait(operation, active, waitsFor(worked));
    } catch (failure) {
      await failRun(this.#exits, operation, failure, active).catch((again: unknown) => {
        if (!isOfLedger(again)) throw again;
        return putBackLater(this.#exits, operation, active, again);
      });
    }
  }

  async #open(operation: OperationRow, active: ActiveRun): Promise<ModelRun> {
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

  async #wait(operation: OperationRow, active: ActiveRun, waits_for: string): Promise<void> {
    const { id, agent } = operation;
    if (await letWait(this.#exits, operation, active, waits_for)) {
      this.awaitAgain({ id, agent, waits_for });
    }
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
}

/** After a restore its key may be gone: then it is not known what it was to do. */
function checkKey({ bodies }: Sql, { id, is_sealed }: OperationRow): void {
  if (is_sealed === 0 || bodies?.has(id) === true) return;
  throw new AosError('operation.erased', {
    message: `The key of operation ${id} is gone, and with it what it was to do`,
    fix: 'Let whoever submitted it submit it again',
  });
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
