/** Back to how it was, and which plans there are. */
import { AosError } from '../kernel/errors.ts';
import type { FileAnswer } from '../kernel/files/request.ts';
import { countWords } from '../kernel/files/words.ts';
import { newId } from '../kernel/new-id.ts';
import { quote } from '../kernel/text/quote.ts';
import {
  type FilePlanRow,
  filePlanIdsFrom,
  findFilePlan,
  findFilePlanOfCall,
  listFilePlans,
} from '../ledger/file-plans.ts';
import type { Sql } from '../ledger/ledger.ts';
import type { FileAnswerParts } from './answer.ts';
import { begin } from './apply/begin.ts';
import { readDone, readPlan } from './apply/journal.ts';
import { outcomeOf } from './apply/outcome.ts';
import { undoPlan } from './apply/undo.ts';
import { doneWords } from './change.ts';
import { answering, callerOf, type FileAgentDeps, type FileRun, rootsOf } from './file-agent.ts';
import { shownPath } from './paths.ts';

export interface UndoRequest {
  /** The newest that can be undone, where none is named. */
  readonly plan?: string | undefined;
  readonly dryRun: boolean;
}

export async function undo(
  deps: FileAgentDeps,
  { plan: id, dryRun }: UndoRequest,
  run: FileRun,
): Promise<FileAnswer> {
  return answering(deps, deps.clock.monotonicMs(), async () => {
    const before = await findFilePlanOfCall(deps.ledger.committed, run.principal, run.key);
    const known = before === undefined ? undefined : outcomeOf(before);
    if (known !== undefined) return doneWords(known);
    const row = await planToUndo(deps, run, id);
    return takeBack(deps, row, { ...run, dryRun });
  });
}

async function takeBack(
  deps: FileAgentDeps,
  row: FilePlanRow,
  run: FileRun & { readonly dryRun: boolean },
): Promise<FileAnswerParts> {
  const own = callerOf(deps, run, async () => (await run.approvedReason()) !== undefined);
  // The owner takes back what an agent did in its workspace, too.
  const caller = { ...own, roots: rootsOf(deps, row.principal) };
  const [plan, done] = [await readPlan(deps, row.id), await readDone(deps, row.id)];
  const back = await undoPlan(deps.disk, plan, done);
  if (back.steps.length === 0) throw nothingToUndo(row);
  if (run.dryRun) {
    const steps = back.steps.map((step) => ({
      do: step.do,
      ...('from' in step ? { from: shownPath(caller.roots, step.from) } : {}),
      ...('to' in step ? { to: shownPath(caller.roots, step.to) } : {}),
    }));
    const words = `Would take back ${countWords(back.steps.length, 'step')} of plan ${row.id}`;
    return { status: 'success', words, result: { plan_id: row.id, steps, left_out: back.leftOut } };
  }
  const outcome = await begin(deps, caller, {
    ...{ id: newId(deps.clock.now(), deps.random), plan: back, callKey: run.key },
    ...{ request: JSON.stringify({ undo: row.id }), prompt: `Undo plan ${row.id}`, undoes: row },
  });
  return doneWords(outcome);
}

async function planToUndo(
  { ledger }: FileAgentDeps,
  { principal }: FileRun,
  id: string | undefined,
): Promise<FilePlanRow> {
  const sql = ledger.committed;
  const row = id === undefined ? await newest(sql, principal) : await planNamed(sql, id);
  const isVisible = row !== undefined && (principal === 'owner' || row.principal === principal);
  if (!isVisible || row.state === 'planned') throw unknownPlan(id);
  if (!isUndoable(row)) throw notUndoable(row);
  return row;
}

export function isUndoable(row: FilePlanRow): boolean {
  return isOver(row) && row.undoes === null && outcomeOf(row)?.canUndo !== false;
}

function isOver({ state }: FilePlanRow): boolean {
  return state === 'done' || state === 'stopped';
}

const looksBack = 100;

/** By a part of its id that fits no other. */
async function planNamed(sql: Sql, typed: string): Promise<FilePlanRow | undefined> {
  const [only, ...more] = await filePlanIdsFrom(sql, typed, 2);
  return only === undefined || (more.length > 0 && only !== typed)
    ? undefined
    : findFilePlan(sql, only);
}

/**
 * The newest plan of the caller: the owner means their own last one, and no agent's. Whether it can
 * be undone or not: a caller that has deleted something for ever does not mean what was done before
 * that.
 */
async function newest(sql: Sql, principal: string): Promise<FilePlanRow | undefined> {
  const rows = await listFilePlans(sql, { principal, limit: looksBack });
  return rows.find((row) => isOver(row) && row.undoes === null && outcomeOf(row)?.done !== 0);
}

function unknownPlan(id: string | undefined): AosError {
  return new AosError('files.unknown-plan', {
    message: id === undefined ? 'There is nothing to undo' : `There is no plan ${quote(id)}`,
    fix: 'aos files plans',
  });
}

function notUndoable(row: FilePlanRow): AosError {
  const { id, state, undoes } = row;
  const done = isOver(row) ? 'nothing that it did can be taken back' : `it is ${state}`;
  const why = undoes === null ? done : 'it is an undo itself';
  return new AosError('files.not-undoable', {
    message: `Plan ${id} cannot be undone: ${why}`,
    fix: 'aos files plans',
  });
}

function nothingToUndo({ id }: FilePlanRow): AosError {
  return new AosError('files.not-undoable', {
    message: `Nothing that plan ${id} did can be taken back`,
    fix: 'Either none of its steps was done, or what it deleted is gone for ever',
  });
}
