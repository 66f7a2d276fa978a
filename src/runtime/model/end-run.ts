/**
 * The ways out of a run: it is done, fails, is put off, is set aside or waits. Each is one
 * transaction under the lease of its agent, and counts the time since it was counted last.
 */
import { decideRestart, readSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { early } from '../../kernel/turns.ts';
import { agentInnards, setRestarts } from '../../ledger/agents.ts';
import type { Transaction } from '../../ledger/ledger.ts';
import { givenUpNoteKey } from '../../ledger/operations/finish.ts';
import { findLease } from '../../ledger/operations/leases.ts';
import {
  changeOperation,
  findOperation,
  type OperationRow,
  putOff,
} from '../../ledger/operations/operations.ts';
import { appendSteps } from '../../ledger/operations/steps.ts';
import { tellLater } from '../../relay/tell.ts';
import { concludeIn, type Ending } from '../conclude.ts';
import { turnTo, type Why } from '../life.ts';
import { endAsAsked, endBelow, putBack } from '../submit.ts';
import { chargeRunTime } from './ask.ts';
import type { ModelRun, ModelRunDeps } from './deps.ts';

export interface RunExitDeps extends Pick<ModelRunDeps, 'ledger' | 'leases' | 'clock' | 'log'> {
  /** A note was left for tellAll(). */
  toTell(): void;
  /** Ends a run of this process, if it is one. */
  stop(operation: string, why: AosError): void;
  /** Aborts when this process ends: nothing more is written then. */
  readonly closing: AbortSignal;
}

/** A run of this process. */
export interface ActiveRun {
  readonly agent: string;
  /** Of the lease. */
  readonly token: number;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  wantsPause: Why | undefined;
  /** Once its journal is open. */
  run: ModelRun | undefined;
}

export async function failRun(
  deps: RunExitDeps,
  operation: OperationRow,
  failure: unknown,
  active: ActiveRun,
): Promise<void> {
  const { stop } = active;
  const why: unknown = stop.signal.aborted ? stop.signal.reason : failure;
  // model-runs.ts, M2
  if (why === early) return;
  if (isLost(why)) return leaveRun(deps, operation);
  if (isOfLedger(why)) return putBackLater(deps, operation, active, why);
  if (!(why instanceof AosError)) {
    deps.log.error({ err: why, operation: operation.id }, 'a run broke');
    await endRun(deps, operation, active, { state: 'failed', error: broken(operation, why) });
    return;
  }
  if (why.code === 'operation.cancelled') {
    await endRun(deps, operation, active, { state: 'cancelled', error: why });
  } else if (!(await tryLater(deps, operation, active, why))) {
    await endRun(deps, operation, active, { state: 'failed', error: why });
  }
}

/**
 * The ledger cannot be written, as on a full disk. Nothing is wrong with the run: it goes on
 * from its journal when there is room again.
 */
export async function putBackLater(
  deps: RunExitDeps,
  operation: OperationRow,
  active: ActiveRun,
  why: AosError,
): Promise<void> {
  const { ledger, leases, clock, log } = deps;
  const { id, agent } = operation;
  const subject = `agent:${agent}`;
  log.error({ err: why, operation: id }, 'a run holds: the ledger cannot be written just now');
  let isLeft = false;
  for (let delayMs = againMs; ; delayMs = Math.min(delayMs * 2, longestAgainMs)) {
    const isClosing = await clock.sleep(delayMs, deps.closing).catch(() => true);
    // model-runs.ts, M2
    if (isClosing === true) return;
    try {
      if (isLeft) return await leaveRun(deps, operation);
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
async function underLease(
  deps: RunExitDeps,
  tx: Transaction,
  { agent, token, run }: ActiveRun,
): Promise<void> {
  await deps.leases.check(tx, `agent:${agent}`, token);
  if (run !== undefined) await chargeRunTime(deps, tx, run);
}

export async function endRun(
  deps: RunExitDeps,
  operation: OperationRow,
  active: ActiveRun,
  ending: Ending,
): Promise<void> {
  const { ledger, leases, clock, log } = deps;
  const subject = `agent:${operation.agent}`;
  try {
    const asked = await ledger.transact(async (tx) => {
      await underLease(deps, tx, active);
      const at = clock.now();
      await concludeIn(tx, { operation, ending, actor: subject, at });
      // No operation is left to hear of what was submitted for it.
      const isDone = ending.state === 'completed';
      return isDone ? [] : await endBelow(tx, operation.id, { actor: 'system', at });
    });
    leases.forget(subject);
    for (const { id, error } of asked) deps.stop(id, error);
    deps.toTell();
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    if (isLost(failure)) return leaveRun(deps, operation);
    log.error({ err: failure, operation: operation.id }, 'an operation could not be ended');
    if (!isOfLedger(failure)) return;
    // Or it would show `running` for ever. Being stopped is another way this ends.
    const isClosing = await clock.sleep(againMs, deps.closing).catch(() => true);
    if (isClosing !== true) await endRun(deps, operation, active, ending);
  }
}

/**
 * What was taken over, another process ends. Where no process has the lease, its agent was
 * paused or ended just when this began, and it goes back to where it was.
 */
async function leaveRun(deps: RunExitDeps, { id, agent }: OperationRow): Promise<void> {
  const { ledger, clock } = deps;
  await ledger.transact(async (tx) => {
    if ((await findLease(tx, `agent:${agent}`)) !== undefined) return;
    await putBack(tx, id, { from: ['running'], actor: 'system', at: clock.now() });
  });
  deps.toTell();
}

/** After its step, and until it is resumed. */
export async function setAside(
  deps: RunExitDeps,
  operation: OperationRow,
  active: ActiveRun,
): Promise<void> {
  const { ledger, leases, clock } = deps;
  const { id, agent } = operation;
  await ledger.transact(async (tx) => {
    await underLease(deps, tx, active);
    const at = clock.now();
    if (await endIfAsked(tx, operation, at)) return;
    await appendSteps(tx, id, [{ kind: 'checkpoint', why: 'paused' }], at);
    await changeOperation(tx, id, { from: ['running'], to: 'paused', at });
    const { by = 'system', reason = `paused by ${by}` } = active.wantsPause ?? {};
    await turnTo(tx, agent, { to: 'paused', from: ['running'], reason, actor: by, at });
    await leases.releaseIn(tx, `agent:${agent}`);
  });
  leases.forget(`agent:${agent}`);
  deps.toTell();
}

/** False when it was asked to end meanwhile, and has. */
export async function letWait(
  deps: RunExitDeps,
  operation: OperationRow,
  active: ActiveRun,
  waits_for: string,
): Promise<boolean> {
  const { ledger, leases, clock } = deps;
  const { id, agent } = operation;
  const change = { from: ['running'], to: 'waiting', waitsFor: waits_for } as const;
  const isOver = await ledger.transact(async (tx) => {
    await underLease(deps, tx, active);
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
  if (!isOver) return true;
  leases.forget(`agent:${agent}`);
  deps.toTell();
  return false;
}

/** What may pass is tried again from where it was, as often as its agent's policy says. */
async function tryLater(
  deps: RunExitDeps,
  operation: OperationRow,
  active: ActiveRun,
  error: AosError,
): Promise<boolean> {
  if (!mayPass.has(error.code)) return false;
  const { ledger, leases, clock } = deps;
  const { id, agent } = operation;
  const later = await ledger.transact(async (tx) => {
    await underLease(deps, tx, active);
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

export const againMs = 1000;
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

export function isOfLedger(why: unknown): why is AosError {
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
