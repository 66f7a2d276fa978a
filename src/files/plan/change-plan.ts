/** A plan as it is made, with what is said of it. */

import { ignoreMissing } from '../../kernel/disk/errors.ts';
import { folderOf } from '../../kernel/files/file-path.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { Disk } from '../../kernel/ports.ts';
import type { FilesDeps } from '../deps.ts';
import type { FolderTime, Plan, PlanStep } from './plan.ts';
import type { PlanSource } from './select.ts';

export interface ChangePlan {
  readonly plan: Plan;
  /** Many were asked for, also where one fits. */
  readonly isBatch: boolean;
  /** What `write_file` writes. */
  readonly content?: Uint8Array | undefined;
  /** How many got a number because their name was taken. */
  readonly numbered: number;
}

export interface Made {
  readonly steps: readonly PlanStep[];
  readonly leftOut: Plan['leftOut'];
  readonly sources: readonly PlanSource[];
  readonly isBatch: boolean;
  readonly numbered: number;
}

export async function finished(
  deps: FilesDeps,
  request: FileRequest,
  made: Made,
): Promise<ChangePlan> {
  const { steps, leftOut, sources, isBatch, numbered } = made;
  const written = steps.reduce((sum, step) => sum + (step.do === 'write' ? step.sizeBytes : 0), 0);
  const plan: Plan = {
    ...{ action: request.action, steps, leftOut },
    folders: await folderTimes(deps.disk, steps),
    files: sources.length === 0 ? 1 : sources.reduce((sum, { files }) => sum + files, 0),
    bytes: written + sources.reduce((sum, { bytes }) => sum + bytes, 0),
    onError: request.options?.on_error ?? 'stop',
    isDestructive: steps.some(isDestructive),
    isPermanent: steps.some((step) => step.do === 'remove'),
  };
  return { plan, isBatch, numbered };
}

function isDestructive(step: PlanStep): boolean {
  if (step.do === 'trash' || step.do === 'remove') return true;
  return 'replaces' in step && step.replaces !== undefined;
}

/** Of every folder in which a name comes or goes, as far as it is there. */
export async function folderTimes(disk: Disk, steps: readonly PlanStep[]): Promise<FolderTime[]> {
  const paths = new Set(steps.flatMap(placesOf).map((path) => folderOf(path)));
  const times: FolderTime[] = [];
  for (const path of paths) {
    const there = await disk.stat(path).catch(ignoreMissing);
    if (there?.kind === 'folder') times.push({ path, modifiedNs: there.modifiedNs });
  }
  return times;
}

function placesOf(step: PlanStep): readonly string[] {
  if (step.do === 'copy') return [step.to];
  return [...('from' in step ? [step.from] : []), ...('to' in step ? [step.to] : [])];
}
