/** What a process that died has left in the middle: it is finished, or taken back. */
import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import { type FilePlanRow, findFilePlan, unfinishedFilePlans } from '../ledger/file-plans.ts';
import { begin, finish } from './apply/begin.ts';
import { readDone, readPlan } from './apply/journal.ts';
import { undoPlan } from './apply/undo.ts';
import { callerOf, type FileAgentDeps, viaOf } from './file-agent.ts';
import type { PlanStep } from './plan/plan.ts';

/** Before anything is asked for, and now and then: a full disk may have kept one from ending. */
export async function recoverPlans(
  deps: FileAgentDeps,
  log: { error(facts: object, words: string): void },
): Promise<void> {
  for (const row of await unfinishedFilePlans(deps.ledger.committed)) {
    if (row.state !== 'applying' || deps.running.has(row.id)) continue;
    try {
      await finishOrTakeBack(deps, row);
    } catch (failure) {
      if (failure instanceof AosError && failure.code === 'tool.interrupted') throw failure;
      // One that cannot be ended must not keep everything else from starting.
      log.error({ err: failure, plan: row.id }, 'a plan of the file agent could not be ended');
    }
  }
}

// For the daemon, which is about to start there.
const keptFreeBytes = 4 * 1024 * 1024;

/**
 * Whether what is still to be copied fits. Where it does not, to go on would take the last of a
 * disk and fail all the same; stopped, it can be undone, and that gives the room back.
 */
async function hasRoom(deps: FileAgentDeps, { id }: FilePlanRow): Promise<boolean> {
  const { steps } = await readPlan(deps, id);
  const done = await readDone(deps, id);
  const copies = steps.filter(
    (step, number) => step.do === 'copy' && done.steps.get(number)?.ok === undefined,
  );
  const [first] = copies;
  if (first?.do !== 'copy') return true;
  const bytes = copies.reduce((sum, step) => sum + bytesOf(step), 0);
  return (await deps.volume.usage(first.to)).writableBytes >= bytes + keptFreeBytes;
}

function bytesOf(step: PlanStep): number {
  return step.do === 'copy' ? (step.was.tree?.bytes ?? step.was.sizeBytes) : 0;
}

function noMore(): AbortSignal {
  return AbortSignal.abort(
    new AosError('files.no-space', {
      message: "There isn't enough disk space to complete this",
      fix: 'Undo it, or free some space and ask again',
    }),
  );
}

async function finishOrTakeBack(deps: FileAgentDeps, row: FilePlanRow): Promise<void> {
  const signal = (await hasRoom(deps, row)) ? new AbortController().signal : noMore();
  const { principal } = row;
  const via = viaOf(row.call_key ?? undefined);
  const caller = callerOf(deps, { principal, signal, via }, async () => true);
  const { firstError } = await finish(deps, caller, row);
  // The caller may not do it any more: what was done is taken back, by the owner's right.
  if (firstError?.code !== 'PERMISSION_DENIED' || principal === 'owner') return;
  const ended = await findFilePlan(deps.ledger.committed, row.id);
  if (ended?.state !== 'stopped' || ended.undoes !== null) return;
  const back = await undoPlan(
    deps.disk,
    await readPlan(deps, row.id),
    await readDone(deps, row.id),
  );
  if (back.steps.length === 0) return;
  const unstopped = new AbortController().signal;
  const owner = callerOf(deps, { principal: 'owner', signal: unstopped }, async () => true);
  // The workspace of the agent is no root of the owner's.
  const everywhere = { ...owner, roots: caller.roots };
  await begin(deps, everywhere, {
    ...{ id: newId(deps.clock.now(), deps.random), plan: back, callKey: `take-back-${row.id}` },
    ...{ request: JSON.stringify({ undo: row.id }), prompt: `Undo plan ${row.id}`, undoes: ended },
  });
}
