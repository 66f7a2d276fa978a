/**
 * Questions to a human. What is shown is what is hashed, and what is hashed is what is
 * approved: an answer names the hash, and the call is compared with it once more when it runs.
 */
import { hash } from 'node:crypto';
import { AosError, type ErrorCode } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { type ApprovalRow, findApproval } from '../ledger/security/approvals.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import type { Grants } from './grants/grants.ts';

export interface ApprovalQuestion {
  readonly principal: string;
  readonly tool: string;
  readonly effect: string;
  readonly reason: string;
  /** JSON of the arguments. */
  readonly arguments: string;
  readonly argumentsDigest: string;
  readonly resources: readonly string[];
}

const longestShown = 16 * 1024;

/** All that a human needs to decide; the digest stands for what is too long to be read. */
export function shownText(question: ApprovalQuestion): string {
  const { arguments: whole } = question;
  const args = whole.length <= longestShown ? whole : `${whole.slice(0, longestShown)}…`;
  return [
    `WHO: ${question.principal}`,
    `TOOL: ${question.tool} (${question.effect})`,
    `WHY: ${question.reason}`,
    ...question.resources.map((resource) => `WANTS: ${quote(resource)}`),
    `ARGUMENTS: ${args}`,
    `DIGEST: ${question.argumentsDigest}`,
  ].join('\n');
}

export function hashOfShown(shown: string): string {
  return hash('sha256', shown);
}

export interface AnswerToApproval {
  readonly id: string;
  /** Of what was shown. */
  readonly hash: string;
  /** Who answers: a principal. */
  readonly by: string;
}

/** The approval that may be answered so; throws why not. */
export async function checkAnswer(
  grants: Grants,
  sql: Sql,
  answer: AnswerToApproval,
  now: Instant,
): Promise<ApprovalRow> {
  const approval = await findApproval(sql, answer.id);
  if (approval === undefined) throw unknownApproval(answer.id);
  if (!(await mayAnswer(grants, sql, answer.by))) throw notYours(answer.by);
  if (approval.state !== 'waiting') throw alreadyAnswered(approval);
  if (approval.expires_at <= now) throw alreadyAnswered({ ...approval, state: 'expired' });
  if (answer.hash !== approval.hash || hashOfShown(approval.shown) !== approval.hash) {
    throw new AosError('approval.changed', {
      message: `What is approved is not what approval ${approval.id} shows`,
      fix: `Look again: aos approvals show ${approval.id}`,
    });
  }
  return approval;
}

/** Humans only: the owner, or one who holds the capability. No agent, also not a parent. */
async function mayAnswer(grants: Grants, sql: Sql, by: string): Promise<boolean> {
  if (by === 'owner') return true;
  if ((await findPrincipal(sql, by))?.kind !== 'human') return false;
  const action = { resource: 'tool', action: 'call', name: 'approval.answer' } as const;
  return (await grants.decide(sql, by, action)).kind === 'allowed';
}

/** Refusals of an answer to an approval that there is. */
const misuses: ReadonlySet<ErrorCode> = new Set([
  'approval.not-yours',
  'approval.answered',
  'approval.changed',
]);

/** Whether it is an answer by who may not, a second one, a late one, or one to something else. */
export function isMisuse(failure: unknown): failure is AosError {
  return failure instanceof AosError && misuses.has(failure.code);
}

/** That is on record. */
export function recordRefusedAnswer(
  tx: Transaction,
  { id, by }: Pick<AnswerToApproval, 'id' | 'by'>,
  { code }: AosError,
): Promise<void> {
  const subject = `approval:${id}`;
  return tx.record({ actor: by, kind: 'approval.refused', subject, data: { code } });
}

export function unknownApproval(id: string): AosError {
  return new AosError('approval.unknown', {
    message: `There is no approval ${quote(id.slice(0, 100))}`,
    fix: 'aos approvals',
  });
}

function alreadyAnswered({ id, state }: Pick<ApprovalRow, 'id' | 'state'>): AosError {
  return new AosError('approval.answered', {
    message: `Approval ${id} is ${state} already`,
    fix: 'The call has to be made again',
    details: { state },
  });
}

export function notYours(by: string): AosError {
  return new AosError('approval.not-yours', {
    message: `${quote(by)} may not answer approvals: only a human may, never an agent`,
    fix: 'Let the owner answer: aos approvals',
  });
}
