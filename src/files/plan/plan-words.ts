/**
 * A plan in plain words, for the person who says yes or no to it. Names are quoted, and the counts
 * are those of the plan: no name can change what the sentence says.
 */

import { folderOf, nameOf } from '../../kernel/files/file-path.ts';
import { otherNamesWords } from '../../kernel/files/names.ts';
import { countWords, sizeWords, someNames } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type Roots, shownPath } from '../paths.ts';
import type { ChangePlan } from './change-plan.ts';
import { straight } from './order.ts';
import type { Plan, PlanStep } from './plan.ts';

export interface PlanWords {
  /** e.g. "move 12 files (3.4 MB) from "~/Downloads" to "~/Archive"". */
  readonly what: string;
  /** What else there is to know, a sentence each. */
  readonly notes: readonly string[];
}

export function planWords(roots: Roots, made: ChangePlan): PlanWords {
  const { plan } = made;
  return { what: whatWords(roots, plan), notes: notesOf(roots, made) };
}

/** The whole question. */
export function promptOf(roots: Roots, made: ChangePlan, { isSecond = false } = {}): string {
  const { what, notes } = planWords(roots, made);
  const again = isSecond ? 'This is the last question, and there is no way back. ' : '';
  return [`${again}${capital(what)}?`, ...notes].join(' ');
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function whatWords(roots: Roots, plan: Plan): string {
  const steps = straight(plan.steps).filter((step) => step.do !== 'make-folder');
  const [first] = steps;
  if (first === undefined) return 'do nothing';
  if (steps.length === 1) return oneWords(roots, first, plan);
  const verb = verbs[first.do] ?? first.do;
  const many = `${things(plan, steps)} (${sizeWords(plan.bytes)})`;
  const names = someNames(steps.flatMap((step) => ('from' in step ? [nameOf(step.from)] : [])));
  if (first.do === 'trash') return `move ${many} to the trash: ${names}`;
  if (first.do === 'remove') return `delete ${many} for ever: ${names}`;
  if (isRename(steps)) return `rename ${many}: ${renames(steps)}`;
  const from = oneFolder(steps.flatMap((step) => ('from' in step ? [step.from] : [])));
  const to = oneFolder(steps.flatMap((step) => ('to' in step ? [step.to] : [])));
  const shown = (path: string | undefined) =>
    path === undefined ? 'several folders' : quote(shownPath(roots, path));
  return `${verb} ${many} from ${shown(from)} to ${shown(to)}: ${names}`;
}

const verbs: Partial<Record<PlanStep['do'], string>> = { move: 'move', copy: 'copy' };

function things(plan: Plan, steps: readonly PlanStep[]): string {
  const folders = steps.filter((step) => 'was' in step && step.was.kind === 'folder').length;
  if (folders === 0) return countWords(plan.files, 'file');
  const files = steps.length - folders;
  const inAll = `${countWords(folders, 'folder')} with ${countWords(plan.files - files, 'file')}`;
  return files === 0 ? inAll : `${countWords(files, 'file')} and ${inAll}`;
}

function oneWords(roots: Roots, step: PlanStep, plan: Plan): string {
  const shown = (path: string) => quote(shownPath(roots, path));
  const size = sizeWords(plan.bytes);
  const isFolder = 'was' in step && step.was.kind === 'folder';
  const facts = isFolder ? `a folder with ${countWords(plan.files, 'file')}, ${size}` : size;
  switch (step.do) {
    case 'write':
      return step.replaces === undefined
        ? `write ${shown(step.to)} (${size})`
        : `replace what is in ${shown(step.to)} (${sizeWords(step.replaces.sizeBytes)}) with ${size}`;
    case 'trash':
      return `move ${shown(step.from)} (${facts}) to the trash`;
    case 'remove':
      return `delete ${shown(step.from)} (${facts}) for ever`;
    case 'move':
      return `${isRename([step]) ? 'rename' : 'move'} ${shown(step.from)} (${facts}) to ${isRename([step]) ? quote(nameOf(step.to)) : shown(step.to)}`;
    case 'copy':
      return `copy ${shown(step.from)} (${facts}) to ${shown(step.to)}`;
    default:
      return 'do nothing';
  }
}

function isRename(steps: readonly PlanStep[]): boolean {
  return steps.every((step) => step.do === 'move' && folderOf(step.from) === folderOf(step.to));
}

const mostShown = 5;

function renames(steps: readonly PlanStep[]): string {
  const shown = steps
    .slice(0, mostShown)
    .flatMap((step) =>
      step.do === 'move' ? [`${quote(nameOf(step.from))} to ${quote(nameOf(step.to))}`] : [],
    );
  const left = steps.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}

function notesOf(roots: Roots, { plan, numbered }: ChangePlan): readonly string[] {
  const shown = (paths: readonly string[]) =>
    someNames(paths.map((path) => shownPath(roots, path)));
  const made = plan.steps.flatMap((step) => (step.do === 'make-folder' ? [step.to] : []));
  const replaced = plan.steps.flatMap((step) =>
    'replaces' in step && step.replaces !== undefined ? [step.to] : [],
  );
  const linked = plan.steps.flatMap((step) => linkedWords(roots, step));
  const unseen = plan.steps.reduce((sum, step) => sum + unseenIn(step), 0);
  const undoable = plan.isPermanent ? 'This cannot be undone.' : 'This can be undone.';
  return [
    ...(made.length === 0 ? [] : [`New: the folder ${shown(made)}.`]),
    ...(replaced.length === 0 ? [] : [`Replaced, and moved to the trash: ${shown(replaced)}.`]),
    ...linked,
    ...(numbered === 0
      ? []
      : [`${countWords(numbered, 'gets', 'get')} a number, because the name is taken.`]),
    ...(unseen === 0
      ? []
      : [`Not counted: ${countWords(unseen, 'thing')} that cannot be looked into.`]),
    ...leftOutWords(roots, plan),
    undoable,
  ];
}

function linkedWords(roots: Roots, step: PlanStep): readonly string[] {
  if (step.do !== 'write' || step.otherNames === undefined) return [];
  return [`${quote(shownPath(roots, step.to))} has ${otherNamesWords(step.otherNames)}.`];
}

function unseenIn(step: PlanStep): number {
  return 'was' in step ? (step.was.tree?.unseen ?? 0) : 0;
}

function leftOutWords(roots: Roots, { leftOut }: Plan): readonly string[] {
  const [first] = leftOut;
  if (first === undefined) return [];
  const names = someNames(
    leftOut.map(({ path }) => shownPath(roots, path)),
    3,
  );
  return [`Left out: ${names} (${first.why}).`];
}

/** Undefined where they lie in several. */
function oneFolder(paths: readonly string[]): string | undefined {
  const folders = new Set(paths.map(folderOf));
  return folders.size === 1 ? [...folders][0] : undefined;
}
