/** What came of a plan, as it is told and kept. */
import { countWords, sizeWords } from '../../kernel/files/words.ts';
import type { FilePlanRow } from '../../ledger/file-plans.ts';
import type { FilesDeps } from '../deps.ts';
import { fitting } from '../look/look.ts';
import { betweenMark } from '../plan/order.ts';
import type { Plan, PlanStep } from '../plan/plan.ts';
import type { Applied } from './apply-plan.ts';

export interface PlanOutcome {
  readonly end: 'done' | 'stopped';
  readonly words: string;
  readonly result: unknown;
  readonly files: number;
  readonly bytes: number;
  readonly done: number;
  readonly failed: number;
  readonly total: number;
  /** False where nothing of it can be taken back. */
  readonly canUndo: boolean;
  readonly firstError?: { readonly code: string; readonly message: string } | undefined;
}

const mostShown = 1000;

export function outcomeOfApplied(
  { limits }: Pick<FilesDeps, 'limits'>,
  { id, plan, applied }: { readonly id: string; readonly plan: Plan; readonly applied: Applied },
): PlanOutcome {
  const states = applied.steps;
  const done = states.filter(({ ok }) => ok === true).length;
  const failed = states.filter(({ ok }) => ok === false).length;
  const { files, bytes } = doneFacts(plan, applied);
  const firstError = states.find(({ ok }) => ok === false)?.error;
  const all = plan.steps.slice(0, mostShown).map((step, index) => itemOf(step, applied, index));
  const { kept: items } = fitting(all, limits.answerBytes / 2);
  const { kept: leftOut } = fitting(plan.leftOut.slice(0, mostShown), limits.answerBytes / 4);
  const canUndo = done > 0 && !plan.isPermanent && plan.action !== 'undo_plan';
  return {
    ...{ end: applied.end === 'done' ? 'done' : 'stopped', done, failed, total: plan.steps.length },
    ...{ files, bytes, words: didWords(plan, { files, bytes, done }), canUndo, firstError },
    result: {
      ...{ plan_id: id, done, failed, not_done: plan.steps.length - done - failed },
      items,
      truncated: plan.steps.length > items.length,
      left_out: leftOut,
      ...(canUndo ? { undo: `aos files undo ${id}` } : {}),
    },
  };
}

function itemOf(step: PlanStep, { steps }: Applied, index: number): object {
  const state = steps[index];
  const status = state?.ok === undefined ? 'not_done' : state.ok ? 'done' : 'failed';
  return {
    ...{ do: step.do, status },
    ...('from' in step ? { from: step.from } : {}),
    ...('to' in step ? { to: step.to } : {}),
    ...(state?.error === undefined ? {} : { error: state.error }),
  };
}

/** Of what was done, and not of what was planned. */
function doneFacts(plan: Plan, { steps }: Applied): { files: number; bytes: number } {
  let [files, bytes] = [0, 0];
  for (const [index, step] of plan.steps.entries()) {
    const state = steps[index];
    if (state?.ok !== true) {
      files += state?.note.gone?.files ?? 0;
      bytes += state?.note.gone?.bytes ?? 0;
      continue;
    }
    if (step.do === 'make-folder') continue;
    // It goes on from there, and is counted then.
    if ('to' in step && step.to.includes(betweenMark)) continue;
    const was = 'was' in step ? step.was : undefined;
    files += was?.kind === 'folder' ? (was.tree?.files ?? 0) : step.do === 'remove-folder' ? 0 : 1;
    bytes += was?.tree?.bytes ?? was?.sizeBytes ?? (step.do === 'write' ? step.sizeBytes : 0);
  }
  return { files, bytes };
}

const did: Readonly<Record<Plan['action'], string>> = {
  move_file: 'Moved',
  rename_file: 'Renamed',
  copy_file: 'Copied',
  delete_file: 'Moved to the trash:',
  write_file: 'Wrote',
  undo_plan: 'Took back',
  restore_file: 'Restored',
  list_files: 'Listed',
  read_file: 'Read',
  search_files: 'Searched',
  get_metadata: 'Looked at',
  get_disk_usage: 'Measured',
};

interface Did {
  readonly files: number;
  readonly bytes: number;
  /** Steps. */
  readonly done: number;
}

function didWords(plan: Plan, { files, bytes, done }: Did): string {
  // What is in folders that come back has not been counted.
  if (plan.action === 'undo_plan') return `Took back ${countWords(done, 'step')}`;
  if (plan.action === 'restore_file') return done === 0 ? 'Restored nothing' : 'Restored it';
  if (done === 0 && files === 0) return 'Nothing was done';
  const verb = plan.isPermanent ? 'Deleted for ever:' : did[plan.action];
  return `${verb} ${countWords(files, 'file')} (${sizeWords(bytes)})`;
}

/** As it was kept; undefined while it is under way. */
export function outcomeOf({ outcome }: Pick<FilePlanRow, 'outcome'>): PlanOutcome | undefined {
  // Written by `begin` alone.
  return outcome === null ? undefined : (JSON.parse(outcome) as PlanOutcome);
}
