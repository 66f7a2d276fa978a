/**
 * One step of a plan.
 *
 * S1. A step may be begun again after the process died at any point of it: it looks at both ends
 *     first, and goes on from what it finds.
 * S2. What is at its source is what the plan says, or nothing is done.
 * S3. The caller may still reach both ends at the moment in which it is done.
 */
import type { Step } from '../plan/plan.ts';
import { copyStep } from './copy-step.ts';
import type { StepNote, StepRun } from './deps.ts';
import { makeFolderStep, removeFolderStep } from './folder-steps.ts';
import { moveStep } from './move-step.ts';
import { removeStep, trashStep } from './remove-steps.ts';
import { restoreStep } from './restore-step.ts';
import { writeStep } from './write-step.ts';

/** Resolves to what is to be remembered of it. */
export async function doStep(run: StepRun, step: Step): Promise<StepNote> {
  run.caller.signal.throwIfAborted();
  switch (step.do) {
    case 'make-folder':
      return makeFolderStep(run, step.to);
    case 'move':
      return moveStep(run, step);
    case 'copy':
      return copyStep(run, step);
    case 'write':
      return writeStep(run, step);
    case 'trash':
      return trashStep(run, step);
    case 'remove':
      return removeStep(run, step);
    case 'remove-folder':
      return removeFolderStep(run, step.from);
    case 'restore':
      return restoreStep(run, step);
  }
}
