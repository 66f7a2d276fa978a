import { AosError } from '../../kernel/errors.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import {
  type ApprovalRow,
  approvalIdsFrom,
  findApproval,
  listApprovals,
} from '../../ledger/security/approvals.ts';
import { recordRefusedAnswer, unknownApproval } from '../../security/approvals.ts';
import type { AnswerRequest } from '../../tools/answer.ts';
import type { WireApproval } from '../contract/contract.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import { pageLimit } from '../streams/event-query.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { nameOf, timeOrNull } from './views/event-wire.ts';
import { findRow, nextPlace } from './views/rows.ts';

export function approvalRoutes({
  calls,
  ledger,
}: RouteDeps): Handles<'approvals' | 'approval' | 'approve' | 'deny'> {
  const sql = ledger.committed;
  const answer = async (
    caller: HomeCaller,
    typed: string,
    { hash, verdict }: Pick<AnswerRequest, 'hash' | 'verdict'>,
  ): Promise<WireApproval> => {
    const { id } = await approvalToAnswer(ledger, caller, typed);
    await calls.answer({ id, hash, by: caller.id, verdict });
    return wireApproval((await findApproval(sql, id)) ?? missing(id));
  };
  return {
    approvals: async ({ caller, query }) => {
      const principal = caller.kind === 'agent' ? caller.id : undefined;
      const limit = pageLimit(query.limit);
      const page = { principal, all: query.all === 'true', before: query.before };
      const rows = await listApprovals(sql, { ...page, limit: limit + 1 });
      const items = rows.slice(0, limit).map((row) => {
        const { shown: _, ...summary } = wireApproval(row);
        return summary;
      });
      return { items, next: nextPlace(items, { hasMore: rows.length > limit }, (item) => item.id) };
    },
    approval: async ({ caller, params }) =>
      wireApproval(await visibleApproval(sql, caller, params.id)),
    approve: ({ caller, params, body: { hash, scope } }) =>
      answer(caller, params.id, { hash, verdict: { kind: 'approve', scope } }),
    deny: ({ caller, params, body: { hash, reason } }) =>
      answer(caller, params.id, { hash, verdict: { kind: 'deny', reason } }),
  };
}

/** An agent does not learn whether there is one; that it tried to answer is on record. */
async function approvalToAnswer(
  ledger: Ledger,
  caller: HomeCaller,
  typed: string,
): Promise<ApprovalRow> {
  try {
    return await visibleApproval(ledger.committed, caller, typed);
  } catch (failure) {
    if (caller.kind === 'agent' && failure instanceof AosError) {
      await ledger.transact((tx) => recordRefusedAnswer(tx, { id: typed, by: caller.id }, failure));
    }
    throw failure;
  }
}

function visibleApproval(sql: Sql, caller: HomeCaller, typed: string): Promise<ApprovalRow> {
  return findRow(
    {
      what: 'approvals',
      find: (id) => findApproval(sql, id),
      idsFrom: (start, limit) => approvalIdsFrom(sql, start, limit),
      idOf: ({ id }) => id,
      isVisible: ({ principal }) => caller.kind === 'owner' || principal === caller.id,
      unknown: unknownApproval,
    },
    typed,
  );
}

function missing(id: string): never {
  throw unknownApproval(id);
}

function wireApproval(row: ApprovalRow): WireApproval {
  const { principal, asked_at, expires_at, answered_at, ...facts } = row;
  return {
    ...facts,
    agent: nameOf(principal),
    asked_at: timeText(asked_at),
    expires_at: timeText(expires_at),
    answered_at: timeOrNull(answered_at),
  };
}
