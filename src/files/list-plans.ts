/** What was changed, the newest first, and what of it can be taken back. */
import type { FileAnswer } from '../kernel/files/request.ts';
import { countWords } from '../kernel/files/words.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { type FilePlanRow, listFilePlans } from '../ledger/file-plans.ts';
import { outcomeOf } from './apply/outcome.ts';
import { answering, type FileAgentDeps, type FileRun } from './file-agent.ts';
import { isUndoable } from './undo-plan.ts';

export interface PlansPage {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

const usualPage = 20;

/** Everybody's for the owner, and one's own for everybody else. */
export function listPlans(
  deps: FileAgentDeps,
  { before, limit = usualPage }: PlansPage,
  { principal }: FileRun,
): Promise<FileAnswer> {
  return answering(deps, deps.clock.monotonicMs(), async () => {
    const whose = principal === 'owner' ? undefined : principal;
    const rows = await listFilePlans(deps.ledger.committed, {
      principal: whose,
      before,
      limit: limit + 1,
    });
    const plans = rows.slice(0, limit).map(wirePlan);
    const next = rows.length > limit ? (plans.at(-1)?.id ?? null) : null;
    return { status: 'success', words: countWords(plans.length, 'plan'), result: { plans, next } };
  });
}

export function wirePlan(row: FilePlanRow) {
  const { id, principal, action, state, prompt, undoes } = row;
  const outcome = outcomeOf(row);
  return {
    ...{ id, by: principal, action, state, prompt, files: outcome?.files ?? row.files },
    ...{ done: outcome?.done ?? 0, failed: outcome?.failed ?? 0 },
    ...(undoes === null ? {} : { undoes }),
    can_undo: isUndoable(row),
    created_at: timeText(row.created_at),
    ended_at: row.ended_at === null ? null : timeText(row.ended_at),
  };
}
