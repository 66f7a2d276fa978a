/**
 * The owner's yes.
 *
 * Y1. A yes is to one plan: its token is good for what the plan says, for who was asked, for a
 *     while, and once.
 * Y2. Only the owner ever gets a token. For every other caller a human is asked by an approval,
 *     which names the hash of the plan.
 * Y3. The request that comes with a token is the one that it was given for.
 * Y4. Whatever else a token is used for is an event, also where nothing came of it.
 */
import { hash } from 'node:crypto';
import { AosError, type ErrorCode } from '../kernel/errors.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import { newId } from '../kernel/new-id.ts';
import type { Instant } from '../kernel/ports.ts';
import { canonicalJson } from '../kernel/text/quote.ts';
import {
  type FilePlanRow,
  findFilePlanByToken,
  insertFilePlan,
  useFilePlanToken,
} from '../ledger/file-plans.ts';
import type { Transaction } from '../ledger/ledger.ts';
import type { FilesDeps } from './deps.ts';
import { hashOfPlan, type Plan } from './plan/plan.ts';

export interface PlanQuestion {
  readonly request: FileRequest;
  readonly plan: Plan;
  readonly prompt: string;
  /** How often the owner has said yes to it. */
  readonly yeses: number;
}

/** Resolves to the token. */
export async function askOwner(deps: FilesDeps, question: PlanQuestion): Promise<string> {
  const { clock, random, ledger, limits } = deps;
  const { request, plan, prompt, yeses } = question;
  const token = `yes-${Buffer.from(random.bytes(24)).toString('base64url')}`;
  const now = clock.now();
  await ledger.transact(async (tx) => {
    await insertFilePlan(tx, {
      ...{ id: newId(now, random), principal: 'owner', call_key: null, action: plan.action },
      ...{ request: requestText(request), hash: hashOfPlan(plan), state: 'planned', prompt },
      ...{ files: plan.files, bytes: plan.bytes, token_hash: hash('sha256', token) },
      ...{ token_expires_at: now + limits.tokenMs, yeses, undoes: null },
      ...{ created_at: now, started_at: null },
    });
  });
  return token;
}

/** The yes is used up by this, whatever comes of it. Throws `files.token-*`, which is on record. */
export async function takeYes(
  { ledger, clock }: FilesDeps,
  principal: string,
  request: FileRequest,
): Promise<FilePlanRow> {
  const tokenHash = hash('sha256', request.options?.confirmation_token ?? '');
  const taken = await ledger.transact(async (tx) => {
    const row = await findFilePlanByToken(tx, tokenHash);
    const now = clock.now();
    const refusal = refusalOf(row, { principal, request, now });
    const isTaken = refusal === undefined && (await useFilePlanToken(tx, tokenHash, now));
    if (isTaken && row !== undefined) return row;
    const why = refusal ?? refusals.used();
    // The transaction has to end well for that.
    await recordMisuse(tx, { principal, plan: row?.id, code: why.code, action: request.action });
    return why;
  });
  if (taken instanceof AosError) throw taken;
  return taken;
}

interface Using {
  readonly principal: string;
  readonly request: FileRequest;
  readonly now: Instant;
}

function refusalOf(
  row: FilePlanRow | undefined,
  { principal, request, now }: Using,
): AosError | undefined {
  if (row === undefined) return refusals.unknown();
  // Y1
  if (row.principal !== principal) return refusals.notYours();
  if (row.token_used_at !== null) return refusals.used();
  if ((row.token_expires_at ?? 0) <= now) return refusals.expired();
  // Y3
  return row.request === requestText(request) ? undefined : refusals.otherRequest();
}

export interface Misuse {
  readonly principal: string;
  /** What the yes was to, where that is known. */
  readonly plan: string | undefined;
  readonly code: ErrorCode;
  readonly action: string;
}

/** A yes was used for what it is not good for. */
export function recordMisuse(
  tx: Transaction,
  { principal, plan, code, action }: Misuse,
): Promise<void> {
  const subject = plan === undefined ? principal : `plan:${plan}`;
  const kind = 'files.confirmation-refused';
  return tx.record({ actor: principal, kind, subject, data: { code, action } });
}

/** Without what confirms it, and with a hash for what is to be written, which may be a secret. */
export function requestText({ options, content, content_base64, ...request }: FileRequest): string {
  const { confirmation_token: _, confirm_required: __, ...kept } = options ?? {};
  const written = [content, content_base64].map((text) => text && hash('sha256', text));
  return canonicalJson({
    ...request,
    options: kept,
    ...((content ?? content_base64) ? { written } : {}),
  });
}

const refusals = {
  unknown: () =>
    new AosError('files.token-unknown', {
      message: 'Nobody was given that confirmation',
      fix: 'Ask without it, and confirm what is asked then',
    }),
  notYours: () =>
    new AosError('files.token-not-yours', {
      message: 'That confirmation was given to somebody else',
      fix: 'Let whoever was asked confirm it',
    }),
  used: () =>
    new AosError('files.token-used', {
      message: 'That confirmation was used already, and is good once',
      fix: 'Ask again',
    }),
  expired: () =>
    new AosError('files.token-expired', {
      message: 'That confirmation has expired',
      fix: 'Ask again',
    }),
  otherRequest: () =>
    new AosError('files.token-other-request', {
      message: 'That confirmation was given for another request',
      fix: 'Confirm the request that was shown, unchanged',
    }),
};
