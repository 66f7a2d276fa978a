/** What nobody can say yes to any more, or undo, goes. */
import type { Instant } from '../kernel/ports.ts';
import { deleteFilePlan, dropUnanswered, filePlansBefore } from '../ledger/file-plans.ts';
import { dropPlan } from './apply/journal.ts';
import type { FilesDeps } from './deps.ts';

const dayMs = 86_400_000;
const atOnce = 100;

export async function forgetOldPlans(deps: FilesDeps, before: Instant): Promise<void> {
  const { ledger, clock } = deps;
  await ledger.transact((tx) => dropUnanswered(tx, clock.now() - dayMs));
  for (;;) {
    const ids = await filePlansBefore(ledger.committed, before, atOnce);
    if (ids.length === 0) return;
    for (const id of ids) {
      // The files first: a row without them says that it cannot be undone.
      await dropPlan(deps, id);
      await ledger.transact((tx) => deleteFilePlan(tx, id));
    }
  }
}
