/**
 * All the steps of a plan, one after another, written down as they are done.
 *
 * A1. The plan is on disk before the first step, and what came of the last one before the caller
 *     hears of it.
 * A2. A process that dies leaves every file whole, under its old name, its new one, or both: the
 *     next start goes on with the step that it died in.
 * A3. A run that is told to stop stops between two steps. What was done stays done, and can be
 *     undone.
 * A4. Of two steps on one name the second looks at what the first has left.
 */
import { AosError } from '../../kernel/errors.ts';
import { endOfTurn } from '../../kernel/ports.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { holdExactly } from '../follow-path.ts';
import { circlesOf } from '../plan/order.ts';
import type { FolderTime, Plan, PlanStep } from '../plan/plan.ts';
import { toFilesError, wireCode } from '../refusals.ts';
import type { StepNote, StepRun } from './deps.ts';
import { doStep } from './do-step.ts';
import { DoneLog, type DoneSteps, readDone, type StepState } from './journal.ts';

export interface Applying {
  readonly id: string;
  readonly plan: Plan;
  /** It was begun before, by a process that died. */
  readonly isAgain: boolean;
}

export interface Applied {
  /** `interrupted`: the next start goes on with it. */
  readonly end: 'done' | 'stopped' | 'interrupted';
  /** In the order of the steps; those after the end are missing. */
  readonly steps: readonly StepState[];
  /** Why it was stopped from outside. */
  readonly reason?: AosError | undefined;
}

const fewSteps = 200;
const turnEvery = 16;

export async function applyPlan(
  deps: FilesDeps,
  caller: FileCaller,
  { id, plan, isAgain }: Applying,
): Promise<Applied> {
  const done = await readDone(deps, id);
  await using log = await DoneLog.open(deps, id);
  const results: StepState[] = [];
  let reason: AosError | undefined;
  for (const [number, step] of plan.steps.entries()) {
    const known = done.steps.get(number);
    const isSettled = known?.ok !== undefined;
    // What was done before counts, also where nothing more is.
    reason = isSettled ? undefined : whyStopped(caller.signal);
    if (reason !== undefined) break;
    const state = isSettled
      ? known
      : await tryStep({ deps, caller, id, plan, isAgain, log, done }, number, step);
    results.push(state);
    caller.onProgress?.(results.length, plan.steps.length);
    if (number % turnEvery === turnEvery - 1) await endOfTurn(deps.eventLoop);
    if (state.ok === false && plan.onError === 'stop') break;
  }
  reason ??= whyStopped(caller.signal);
  const end = endOf(results, plan, reason);
  if (end !== 'interrupted') {
    await takeBackCircles({ deps, caller, id, plan, isAgain, log, done }, results);
  }
  await settleFolders(deps, plan, log);
  return { end, steps: results, reason };
}

function whyStopped({ aborted, reason }: AbortSignal): AosError | undefined {
  if (!aborted) return undefined;
  if (reason instanceof AosError) return reason;
  return new AosError('files.interrupted', {
    message: 'It was stopped before it was through',
    fix: 'aos files plans tells how far it came; aos files undo PLAN takes that back',
  });
}

function endOf(
  results: readonly StepState[],
  { steps, onError }: Plan,
  reason: AosError | undefined,
): Applied['end'] {
  // The daemon stops, and is going to come back.
  if (reason?.code === 'tool.interrupted') return 'interrupted';
  // Also where it was told to stop in the middle of the last step.
  if (results.length < steps.length || results.at(-1)?.ok === undefined) return 'stopped';
  return onError === 'stop' && results.at(-1)?.ok === false ? 'stopped' : 'done';
}

interface Work extends Applying {
  readonly deps: FilesDeps;
  readonly caller: FileCaller;
  readonly log: DoneLog;
  readonly done: DoneSteps;
}

async function tryStep(work: Work, number: number, step: PlanStep): Promise<StepState> {
  const { deps, caller, id, plan, isAgain, log, done } = work;
  let noted: StepNote = {};
  const run: StepRun = {
    ...{ deps, caller, planId: id, number },
    before: isAgain ? (done.steps.get(number)?.note ?? {}) : undefined,
    syncs: plan.steps.length <= fewSteps,
    note: (note: StepNote) => {
      noted = { ...noted, ...note };
      return log.add({ n: number, note });
    },
  };
  try {
    const note = await inTurn(deps.names, namesOf(step), () => doStep(run, step));
    await log.add({ n: number, ok: true, note });
    return { ok: true, note };
  } catch (failure) {
    const error = toFilesError(failure);
    if (!(error instanceof AosError)) throw failure;
    // A3: it was not tried to its end, and may be tried again.
    if (caller.signal.aborted) return { ok: undefined, note: noted };
    const report = { code: wireCode(error.code), message: error.message };
    await log.add({ n: number, ok: false, error: report });
    return { ok: false, note: noted, error: report };
  }
}

/** In one order for all plans, so that no two wait for each other. */
function namesOf(step: PlanStep): readonly string[] {
  const both = ['from' in step ? step.from : '', 'to' in step ? step.to : ''];
  return [...new Set(both)].filter((name) => name !== '').sort();
}

/** A4 */
function inTurn<T>(
  names: FilesDeps['names'],
  [first, ...others]: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  return first === undefined ? work() : names.run(first, () => inTurn(names, others, work));
}

/**
 * Names that change places go over one in between. Where that stops in the middle, no file stays
 * there: what was done of it is taken back.
 */
async function takeBackCircles(work: Work, results: StepState[]): Promise<void> {
  const { plan, log } = work;
  for (const { first, last } of circlesOf(plan.steps)) {
    if (results[first]?.ok !== true || results[last]?.ok === true) continue;
    for (let number = Math.min(last, results.length) - 1; number >= first; number--) {
      const step = plan.steps[number];
      const state = results[number];
      if (step?.do !== 'move' || state?.ok !== true) continue;
      const back: PlanStep = {
        ...step,
        from: step.to,
        to: step.from,
        was: state.note.made ?? step.was,
      };
      const taken = await tryBack(work, number, back);
      if (!taken) break;
      results[number] = { ok: false, note: {}, error: takenBack };
      await log.add({ n: number, ok: false, error: takenBack });
    }
  }
}

const takenBack = {
  code: 'INTERRUPTED',
  message: 'It was taken back, because others that change names with it could not be renamed',
};

async function tryBack(
  { deps, caller, id }: Work,
  number: number,
  step: PlanStep,
): Promise<boolean> {
  const run = { deps, planId: id, number, before: undefined, syncs: true, note: async () => {} };
  // Also for who was told to stop: it is only half without it.
  const signal = new AbortController().signal;
  try {
    await doStep({ ...run, caller: { ...caller, signal } }, step);
    return true;
  } catch {
    // It stays under the name in between, which the answer tells.
    return false;
  }
}

/** A folder that cannot be read, or has gone, cannot be synced; what was done stays done. */
function unsynced(failure: unknown): void {
  if (!(failure instanceof AosError)) throw failure;
}

/** The names are made safe, and the times are noted that an undo compares. */
async function settleFolders({ disk }: FilesDeps, plan: Plan, log: DoneLog): Promise<void> {
  const folders: FolderTime[] = [];
  for (const { path } of plan.folders) {
    await using folder = await holdExactly(disk, path);
    if (folder === undefined) continue;
    // Not the held path itself, which is a symlink to the folder.
    await disk.syncFolder(`${folder.path}/.`).catch(unsynced);
    const there = await disk.stat(`${folder.path}/.`);
    if (there !== undefined) folders.push({ path, modifiedNs: there.modifiedNs });
  }
  await log.add({ n: -1, folders });
  await log.sync();
}
