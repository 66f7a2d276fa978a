/**
 * A plan is begun, done and ended.
 *
 * B1. The steps are on disk before the row that says that they are being done, and that row before
 *     the first of them.
 * B2. A plan that undoes another and that other change their states together.
 * B3. Only a daemon that stops leaves a plan unended.
 */

import { removeQuietly } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { type FilePlanRow, insertFilePlan, moveFilePlan } from '../../ledger/file-plans.ts';
import type { Transaction } from '../../ledger/ledger.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { holdExactly } from '../follow-path.ts';
import { type FolderTime, hashOfPlan, type Plan } from '../plan/plan.ts';
import { toFilesError, wireCode } from '../refusals.ts';
import { type Applied, type Applying, applyPlan } from './apply-plan.ts';
import { contentPath, DoneLog, readDone, readPlan, type StepState, writePlan } from './journal.ts';
import { outcomeOfApplied, type PlanOutcome } from './outcome.ts';

export interface PlanStart {
  readonly id: string;
  readonly plan: Plan;
  readonly content?: Uint8Array | undefined;
  readonly callKey: string;
  readonly request: string;
  readonly prompt: string;
  /** The plan that this one undoes, and the state that it is in. */
  readonly undoes?: Pick<FilePlanRow, 'id' | 'state'> | undefined;
}

export async function begin(
  deps: FilesDeps,
  caller: FileCaller,
  beginning: PlanStart,
): Promise<PlanOutcome> {
  const { id, plan, content, undoes } = beginning;
  using _running = workingOn(deps, id);
  // B1
  await writePlan(deps, id, plan, content);
  await deps.ledger.transact((tx) => enter(deps, tx, caller, beginning));
  const applied = await appliedOrStopped(deps, caller, { id, plan, isAgain: false });
  return await end(deps, { id, plan, applied, principal: caller.principal, undoes });
}

/** So that no other call in this process takes it for one that was left. */
function workingOn({ running }: FilesDeps, id: string): Disposable {
  running.add(id);
  return { [Symbol.dispose]: () => void running.delete(id) };
}

async function enter(
  { clock }: FilesDeps,
  tx: Transaction,
  { principal }: FileCaller,
  { id, plan, callKey, request, prompt, undoes }: PlanStart,
): Promise<void> {
  const now = clock.now();
  await insertFilePlan(tx, {
    ...{ id, principal, call_key: callKey, action: plan.action, request, prompt },
    ...{ hash: hashOfPlan(plan), state: 'applying', files: plan.files, bytes: plan.bytes },
    ...{ token_hash: null, token_expires_at: null, yeses: 0, undoes: undoes?.id ?? null },
    ...{ created_at: now, started_at: now },
  });
  // B2
  if (undoes !== undefined) {
    const isOurs = await moveFilePlan(tx, undoes.id, {
      ...{ from: undoes.state, to: 'undoing', at: now },
    });
    if (!isOurs) throw undoneElsewhere(undoes.id);
  }
  const data = { action: plan.action, steps: plan.steps.length, hash: hashOfPlan(plan) };
  await tx.record({ actor: principal, kind: 'files.applying', subject: `plan:${id}`, data });
}

/** B3: whatever breaks on the way, it ends: what was done is on record, and can be undone. */
async function appliedOrStopped(
  deps: FilesDeps,
  caller: FileCaller,
  applying: Applying,
): Promise<Applied> {
  try {
    return await applyPlan(deps, caller, applying);
  } catch (failure) {
    const error = toFilesError(failure);
    const known = error instanceof AosError && error.code.startsWith('files.') ? error : broken();
    const report = { code: wireCode(known.code), message: known.message };
    const { steps } = await readDone(deps, applying.id);
    const states = [...applying.plan.steps.keys()].map((number) => steps.get(number) ?? unknown);
    const at = states.findIndex(({ ok }) => ok === undefined);
    const ended = at === -1 ? states : states.with(at, { ok: false, note: {}, error: report });
    return { end: 'stopped', steps: ended, reason: undefined };
  }
}

const unknown: StepState = { ok: undefined, note: {} };

function broken(): AosError {
  return new AosError('files.failed', {
    message: 'Something broke on the way, so I stopped',
    fix: 'aos files plans tells how far it came; aos files undo PLAN takes that back',
  });
}

function undoneElsewhere(id: string): AosError {
  return new AosError('files.not-undoable', {
    message: `Plan ${id} is being undone already`,
    fix: 'aos files plans',
  });
}

interface PlanEnd {
  readonly id: string;
  readonly plan: Plan;
  readonly applied: Applied;
  readonly principal: string;
  readonly undoes?: Pick<FilePlanRow, 'id'> | undefined;
}

/** Throws why it was interrupted: then the next start goes on with it. */
async function end(deps: FilesDeps, ending: PlanEnd): Promise<PlanOutcome> {
  const { id, plan, applied, undoes } = ending;
  if (applied.end === 'interrupted') throw applied.reason;
  const outcome = outcomeOfApplied(deps, { id, plan, applied });
  if (undoes !== undefined) await settleUndone(deps, undoes.id, ending);
  await deps.ledger.transact(async (tx) => {
    const at = deps.clock.now();
    const to = outcome.end;
    await moveFilePlan(tx, id, { from: 'applying', to, at, outcome: JSON.stringify(outcome) });
    if (undoes !== undefined) {
      const isAll = outcome.failed === 0 && to === 'done';
      await moveFilePlan(tx, undoes.id, { from: 'undoing', to: isAll ? 'undone' : 'stopped', at });
    }
    await tx.record({
      ...{ actor: ending.principal, kind: `files.${to}`, subject: `plan:${id}` },
      data: { action: plan.action, files: outcome.files, failed: outcome.failed },
    });
  });
  // It is not needed any more, and it may be a secret.
  await removeQuietly(deps.disk, contentPath(deps.home, id));
  return outcome;
}

/** What was taken back is no longer done, should the rest be tried again. */
async function settleUndone(
  deps: FilesDeps,
  undoneId: string,
  { plan, applied }: PlanEnd,
): Promise<void> {
  const { takesBack = [], times = [] } = plan;
  const failed = new Set(takesBack.filter((_, index) => applied.steps[index]?.ok !== true));
  if (failed.size === 0) {
    for (const time of times) await restoreTime(deps, time);
    return;
  }
  await using log = await DoneLog.open(deps, undoneId);
  for (const n of new Set(takesBack)) if (!failed.has(n)) await log.add({ n, ok: false });
  await log.sync();
}

/** Held: a process that swaps a folder on the path must not have another one changed. */
async function restoreTime(deps: FilesDeps, { path, modifiedNs }: FolderTime): Promise<void> {
  await using folder = await holdExactly(deps.disk, path);
  // It may have gone with what was in it, or belong to another user.
  if (folder === undefined) return;
  await deps.treeDisk.restore(`${folder.path}/.`, { modifiedNs }).catch(() => {});
}

/** What a process that died has left: it goes on where that one stopped. */
export async function finish(
  deps: FilesDeps,
  caller: FileCaller,
  row: FilePlanRow,
): Promise<PlanOutcome> {
  using _running = workingOn(deps, row.id);
  const plan = await readPlan(deps, row.id);
  const applied = await appliedOrStopped(deps, caller, { id: row.id, plan, isAgain: true });
  const undoes = row.undoes === null ? undefined : { id: row.undoes };
  return await end(deps, { id: row.id, plan, applied, principal: row.principal, undoes });
}
