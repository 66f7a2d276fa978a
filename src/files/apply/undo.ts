/**
 * The way back of a plan: each step that was done, the last one first, turned round. It is a plan
 * itself, written down and done as any other; what was changed since stays as it is.
 */
import type { Disk } from '../../kernel/ports.ts';
import type { FolderTime, LeftOut, Plan, PlanStep, Was } from '../plan/plan.ts';
import type { StepNote } from './deps.ts';
import type { DoneSteps } from './journal.ts';

export async function undoPlan(disk: Disk, plan: Plan, done: DoneSteps): Promise<Plan> {
  const steps: PlanStep[] = [];
  const takesBack: number[] = [];
  const leftOut: LeftOut[] = [];
  for (const number of [...plan.steps.keys()].reverse()) {
    const step = plan.steps[number];
    const state = done.steps.get(number);
    if (step === undefined || state?.ok !== true) continue;
    if (step.do === 'remove') leftOut.push({ path: step.from, why: 'it was deleted for ever' });
    for (const back of turnedRound(step, state.note)) {
      steps.push(back);
      takesBack.push(number);
    }
  }
  return {
    ...{ action: 'undo_plan', steps, takesBack, leftOut, onError: 'continue' },
    ...{ files: countFiles(steps), bytes: plan.bytes, isDestructive: false, isPermanent: false },
    folders: plan.folders,
    times: await untouched(disk, plan.folders, done.folders),
  };
}

function countFiles(steps: readonly PlanStep[]): number {
  return steps.filter((step) => step.do !== 'remove-folder').length;
}

function turnedRound(step: PlanStep, note: StepNote): readonly PlanStep[] {
  switch (step.do) {
    case 'make-folder':
      return note.wasThere === true ? [] : [{ do: 'remove-folder', from: step.to }];
    case 'move':
      return [
        { do: 'move', from: step.to, to: step.from, was: note.made ?? step.was },
        ...broughtBack(step.to, step.replaces, note),
      ];
    case 'copy':
    case 'write':
      return takenAway(step.to, step.replaces, note);
    case 'trash':
      return broughtBack(step.from, step.was, note);
    case 'restore':
      return [{ do: 'trash', from: step.to, was: step.was }];
    default:
      return [];
  }
}

function broughtBack(to: string, was: Was | undefined, { trashed }: StepNote): readonly PlanStep[] {
  if (was === undefined || trashed === undefined) return [];
  return [{ do: 'restore', from: trashed.file, info: trashed.info, to, was }];
}

/** What was made goes, unless it was worked on since; what it had replaced comes back. */
function takenAway(to: string, replaced: Was | undefined, note: StepNote): readonly PlanStep[] {
  const { made } = note;
  if (made === undefined) return [];
  // Not for ever: it may be the last copy by now, and what came into a folder since cannot be told.
  return [{ do: 'trash', from: to, was: made }, ...broughtBack(to, replaced, note)];
}

/** Those that were not touched since the plan was through. */
async function untouched(
  disk: Disk,
  before: readonly FolderTime[],
  after: readonly FolderTime[],
): Promise<readonly FolderTime[]> {
  const left = new Map(after.map(({ path, modifiedNs }) => [path, modifiedNs]));
  const kept: FolderTime[] = [];
  for (const folder of before) {
    const there = await disk.stat(folder.path).catch(() => undefined);
    if (there !== undefined && there.modifiedNs === left.get(folder.path)) kept.push(folder);
  }
  return kept;
}
