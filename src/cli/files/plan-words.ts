/** A plan of the file agent before it is done, and what came of it, as a person reads it. */
import type { FileAnswer } from '../../kernel/files/request.ts';
import { countWords, sizeWords, thousands } from '../../kernel/files/words.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { table } from '../core/words.ts';
import { folderOf, type ShowPath } from './path.ts';

interface Step {
  readonly do: string;
  readonly from?: string;
  readonly to?: string;
  readonly replaces?: true;
  readonly status?: 'done' | 'failed' | 'not_done';
  readonly error?: { readonly message: string };
}

interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** What is going to be done. */
interface PlanShown {
  /** Its hash, which a yes is bound to. */
  readonly plan: string;
  readonly files: number;
  readonly bytes: number;
  readonly steps: readonly Step[];
  /** Of them only the first are told. */
  readonly steps_total: number;
  readonly replaced_total: number;
  readonly left_out: readonly LeftOut[];
}

/** What was done. */
interface Done {
  readonly plan_id: string;
  readonly failed: number;
  readonly items: readonly Step[];
  readonly left_out: readonly LeftOut[];
  readonly undo?: string;
}

export function planOf({ result }: FileAnswer): PlanShown {
  // What the file agent of this version answers where something is going to be done.
  return result as PlanShown;
}

const mostShown = 20;

export function planText(answer: FileAnswer, show: ShowPath): string {
  const plan = planOf(answer);
  const steps = stepsText(plan, show);
  return [steps, totals(plan), ...leftOutLines(plan.left_out, show)].join('\n');
}

/** The first of them. */
export function stepsText(
  {
    steps,
    steps_total = steps.length,
  }: { readonly steps: readonly Step[]; readonly steps_total?: number },
  show: ShowPath,
): string {
  const rows = steps.slice(0, mostShown).map((step) => stepRow(step, show));
  const more = steps_total - rows.length;
  return more > 0 ? `${table(rows)}\n… and ${thousands(more)} more` : table(rows);
}

function stepRow(step: Step, show: ShowPath): readonly string[] {
  const { from, to, replaces } = step;
  const isRename = from !== undefined && to !== undefined && folderOf(from) === folderOf(to);
  const what = step.do === 'move' && isRename ? 'rename' : step.do.replaceAll('-', ' ');
  const words = `  ${replaces === true ? `${what}, replacing` : what}`;
  if (from === undefined || to === undefined) return [words, show(from ?? to ?? '')];
  return [words, show(from), `→ ${isRename ? oneLine(nameOf(to)) : show(to)}`];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function totals({ files, bytes, steps, replaced_total: replaced }: PlanShown): string {
  // They come first, so that none is beyond what is told.
  const made = steps.filter((step) => step.do === 'make-folder').length;
  return [
    `${countWords(files, 'file')}, ${sizeWords(bytes)}`,
    ...(made > 0 ? [`${countWords(made, 'folder')} made`] : []),
    ...(replaced > 0 ? [`${countWords(replaced, 'file')} replaced`] : []),
  ].join('; ');
}

function leftOutLines(leftOut: readonly LeftOut[], show: ShowPath): readonly string[] {
  const shown = leftOut
    .slice(0, mostShown)
    .map(({ path, why }) => `  left out: ${show(path)} (${oneLine(why)})`);
  const more = leftOut.length - shown.length;
  return more > 0 ? [...shown, `  … and ${thousands(more)} more left out`] : shown;
}

/** In one line, with the way back. */
export function doneText({ action_performed, result }: FileAnswer): string {
  const { undo } = (result ?? {}) as Partial<Done>;
  const back = undo === undefined ? '' : `. To take it back: ${oneLine(undo)}`;
  return `${oneLine(action_performed)}${back}`;
}

/** Of what did not go through: what was done all the same, and what failed. */
export function failedLines(answer: FileAnswer, show: ShowPath): readonly string[] {
  const { items = [], plan_id } = (answer.result ?? {}) as Partial<Done>;
  if (plan_id === undefined) return [];
  const failed = items.filter(({ status }) => status === 'failed');
  const lines = failed.slice(0, mostShown).map(({ from, to, error }) => {
    return `  failed: ${show(from ?? to ?? '')}: ${oneLine(error?.message ?? 'it could not be done')}`;
  });
  return [doneText(answer), ...lines];
}

export interface PlanState {
  readonly state: string;
  /** Steps that were done, and that were not. */
  readonly done: number;
  readonly failed: number;
  readonly can_undo: boolean;
}

/** A plan that is over may have come to nothing: that is not `done`. */
export function planStateWords({ state, done, failed, can_undo }: PlanState): string {
  const came = failed > 0 && done === 0 ? 'failed' : state;
  const some = failed > 0 && done > 0 ? `, ${countWords(failed, 'step')} failed` : '';
  return `${came}${some}${can_undo ? ', can be undone' : ''}`;
}
