/** What became of a call, in the fields of the file agent's interface. */
import { answered, refusal } from '../../files/answer.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { findApprovalOfCall } from '../../ledger/security/approvals.ts';
import type { CallOutcome } from '../../tools/outcome.ts';

/** Throws what is no answer of the file agent: an abort, a bug. */
export async function answerOfOutcome(sql: Sql, outcome: CallOutcome): Promise<FileAnswer> {
  if (outcome.kind === 'answered') return outcome.output as FileAnswer;
  if (outcome.kind === 'failed') return answerOfFailure(outcome.error);
  const approval = await findApprovalOfCall(sql, outcome.callId);
  const isWaiting = outcome.kind === 'waiting';
  const words = isWaiting ? 'Nothing was done yet: a human has been asked' : 'It is under way';
  return {
    ...answered(
      {
        status: 'confirmation_required',
        ...{ words, result: { call_id: outcome.callId }, prompt: approval?.reason },
      },
      0,
    ),
    ...(approval === undefined ? {} : { approval_id: approval.id }),
  };
}

/** What was refused before it was run is an answer too. */
export function answerOfFailure(failure: unknown): FileAnswer {
  const refused = refusal(failure);
  if (refused === undefined) throw failure;
  return answered(refused, 0);
}
