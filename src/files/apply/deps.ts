/** What a step of a plan is given, and what it notes of itself. */
import type { FileCaller, FilesDeps } from '../deps.ts';
import type { Was } from '../plan/plan.ts';

/** What one step is done with. */
export interface StepRun {
  readonly deps: FilesDeps;
  readonly caller: FileCaller;
  /** Of the plan, and the step in it: names in between are made of both, and found again. */
  readonly planId: string;
  readonly number: number;
  /** What was noted of this step before the process died; undefined at the first try. */
  readonly before: StepNote | undefined;
  /** Each small file is made safe from a power cut by itself; in a long plan that takes too long. */
  readonly syncs: boolean;
  /** Notes it at once, so that it is known after a crash. */
  note(note: StepNote): Promise<void>;
}

/** What is known of a step beyond the plan. */
export interface StepNote {
  /** What stands at its target now. */
  readonly made?: Was | undefined;
  /** Where what was thrown away or replaced lies now. */
  readonly trashed?: Trashed | undefined;
  /** A copy on another disk is there, and what it was made of too. */
  readonly isSourceLeft?: boolean | undefined;
  /** Of a folder that could not go as a whole: what has gone for ever. */
  readonly gone?: { readonly files: number; readonly bytes: number } | undefined;
  /** A folder that was to be made was there already. */
  readonly wasThere?: boolean | undefined;
}

export interface Trashed {
  readonly file: string;
  readonly info: string;
}

/** What has been done about what has the name that something else gets. */
export interface FreedName {
  readonly trashed?: Trashed | undefined;
  /** It still has the name, and a second one in the trash: what comes is renamed over it. */
  readonly over?: Was | undefined;
}

/** A name that only this step uses, in the folder of what it is for. */
export function pendingName({ planId, number }: Pick<StepRun, 'planId' | 'number'>): string {
  return `.aos-${planId.slice(-12)}-${number.toString(36)}.tmp`;
}
