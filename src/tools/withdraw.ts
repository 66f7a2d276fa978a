/** Calls that wait for a human, of a run that is over: nobody wants them any more. */
import { AosError, toReport } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { answerApproval, findApprovalOfCall } from '../ledger/security/approvals.ts';
import { endCall, waitingCallsUnder } from '../ledger/security/journal.ts';

/** All whose key begins so; their approvals can be answered no longer. */
export async function withdrawCalls(
  tx: Transaction,
  {
    principal,
    keyPrefix,
    at,
  }: { readonly principal: string; readonly keyPrefix: string; readonly at: Instant },
): Promise<void> {
  for (const { call_id, tool } of await waitingCallsUnder(tx, principal, keyPrefix)) {
    const error = new AosError('tool.interrupted', {
      message: `The run that asked for ${tool} is over, so it is not called`,
    });
    const result = JSON.stringify(toReport(error));
    if (!(await endCall(tx, call_id, { from: 'waiting', to: 'failed', result, at }))) continue;
    const approval = await findApprovalOfCall(tx, call_id);
    if (approval !== undefined) {
      const answer = { state: 'expired', by: 'system', answer: error.message } as const;
      await answerApproval(tx, approval.id, { ...answer, scope: null, at });
    }
    const data = { call: call_id, code: error.code };
    await tx.record({ actor: 'system', kind: 'tool.failed', subject: `tool:${tool}`, data });
  }
}
