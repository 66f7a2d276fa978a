/** A request that changes something, from the plan to what came of it. */
import { AosError } from '../kernel/errors.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import { countWords } from '../kernel/files/words.ts';
import { newId } from '../kernel/new-id.ts';
import { type FilePlanRow, findFilePlanOfCall } from '../ledger/file-plans.ts';
import type { FileAnswerParts } from './answer.ts';
import { begin } from './apply/begin.ts';
import { outcomeOf, type PlanOutcome } from './apply/outcome.ts';
import { askOwner, recordMisuse, requestText, takeYes } from './confirmation.ts';
import type { FileCaller, FilesDeps } from './deps.ts';
import { fitting } from './look/look.ts';
import type { ChangePlan } from './plan/change-plan.ts';
import { makePlan } from './plan/make-plan.ts';
import { straight } from './plan/order.ts';
import { hashOfPlan } from './plan/plan.ts';
import { capital, planWords, promptOf } from './plan/plan-words.ts';
import { wireCode } from './refusals.ts';

/** One change that a caller asks for. */
export interface Change {
  readonly deps: FilesDeps;
  readonly caller: FileCaller;
  readonly request: FileRequest;
  /** Equal whenever the same call is made again: it is done once. */
  readonly key: string;
  /** What a human has said yes to; undefined where none was asked. */
  approvedReason(): Promise<string | undefined>;
}

export async function change(work: Change): Promise<FileAnswerParts> {
  const { deps, caller, request } = work;
  const before = await outcomeBefore(work);
  if (before !== undefined) return doneWords(before);
  const isDry = request.options?.dry_run === true;
  const isOwner = caller.principal === 'owner';
  // Before the files are looked at: a yes that is not good is told, whatever became of them.
  const hasYes = !isDry && request.options?.confirmation_token !== undefined;
  const yes = hasYes ? await takeYes(deps, caller.principal, request) : undefined;
  const made = await makePlan(deps, caller, request);
  if (isDry) return wouldBe(work, made);
  if (yes !== undefined) return withOwnersYes(work, made, yes);
  if (!needsYes(request, made)) return apply(work, made);
  return isOwner ? ask(work, made, 0) : withApproval(work, made);
}

/** A call that is run again after a crash: its plan was finished when we started. */
async function outcomeBefore({ deps, caller, key }: Change): Promise<PlanOutcome | undefined> {
  const row = await findFilePlanOfCall(deps.ledger.committed, caller.principal, key);
  return row === undefined ? undefined : outcomeOf(row);
}

/**
 * What cannot be undone always does, and what many files are part of; else where the caller wants
 * it so.
 */
export function needsYes({ options = {} }: FileRequest, { plan, isBatch }: ChangePlan): boolean {
  return plan.isDestructive || options.confirm_required === true || (isBatch && plan.files > 1);
}

/**
 * What a human is asked on behalf of another principal: it names the plan, so that the yes is to
 * this one.
 */
export async function reasonToAsk(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
): Promise<string | undefined> {
  if (request.options?.dry_run === true) return undefined;
  const made = await makePlan(deps, caller, request);
  return needsYes(request, made) ? reasonFor(caller, made) : undefined;
}

function reasonFor({ roots }: FileCaller, made: ChangePlan): string {
  return `${promptOf(roots, made)} Plan ${hashOfPlan(made.plan)}`;
}

async function withApproval(work: Change, made: ChangePlan): Promise<FileAnswerParts> {
  const reason = await work.approvedReason();
  if (reason === reasonFor(work.caller, made)) return apply(work, made);
  const { code } = planChanged();
  if (reason !== undefined) await recordChanged(work, undefined);
  const message = 'The files have changed since somebody said yes. Ask again, and so is a human';
  return {
    status: 'error',
    words: 'Nothing was done',
    result: shownPlan(work.deps, made),
    prompt: promptOf(work.caller.roots, made),
    error: { code: wireCode(code), message },
  };
}

async function withOwnersYes(
  work: Change,
  made: ChangePlan,
  row: FilePlanRow,
): Promise<FileAnswerParts> {
  if (row.hash !== hashOfPlan(made.plan)) {
    await recordChanged(work, row.id);
    const question = await ask(work, made, 0);
    const { code, message } = planChanged();
    return { ...question, error: { code: wireCode(code), message } };
  }
  // For ever takes a second yes.
  if (made.plan.isPermanent && row.yeses === 0) return ask(work, made, 1);
  return apply(work, made);
}

/** A yes was to another plan than what would be done now. */
function recordChanged(
  { deps, caller: { principal }, request: { action } }: Change,
  plan: string | undefined,
): Promise<void> {
  const { code } = planChanged();
  return deps.ledger.transact((tx) => recordMisuse(tx, { principal, plan, code, action }));
}

async function ask(
  { deps, caller, request }: Change,
  made: ChangePlan,
  yeses: number,
): Promise<FileAnswerParts> {
  const { plan } = made;
  const prompt = promptOf(caller.roots, made, { isSecond: yeses > 0 });
  const token = await askOwner(deps, { request, plan, prompt, yeses });
  return {
    status: 'confirmation_required',
    words: 'Nothing was done yet',
    result: shownPlan(deps, made),
    prompt,
    token,
  };
}

function wouldBe({ deps, caller }: Change, made: ChangePlan): FileAnswerParts {
  const { what, notes } = planWords(caller.roots, made);
  return {
    status: 'success',
    words: [`Would ${what}.`, ...notes].join(' '),
    result: { ...shownPlan(deps, made), description: `${capital(what)}. ${notes.join(' ')}` },
  };
}

const mostShown = 1000;

/** The plan as it is shown before the yes. */
function shownPlan({ limits }: FilesDeps, { plan }: ChangePlan): object {
  const whole = straight(plan.steps);
  const all = whole.slice(0, mostShown).map((step) => ({
    do: step.do,
    ...('from' in step ? { from: step.from } : {}),
    ...('to' in step ? { to: step.to } : {}),
    ...('replaces' in step && step.replaces !== undefined ? { replaces: true } : {}),
  }));
  const { kept: steps } = fitting(all, limits.answerBytes / 2);
  const { kept: leftOut } = fitting(plan.leftOut.slice(0, mostShown), limits.answerBytes / 4);
  return {
    plan: hashOfPlan(plan),
    ...{ files: plan.files, bytes: plan.bytes, steps, steps_total: whole.length },
    replaced_total: whole.filter((step) => 'replaces' in step && step.replaces !== undefined)
      .length,
    truncated: whole.length > steps.length,
    left_out: leftOut,
  };
}

async function apply(work: Change, made: ChangePlan): Promise<FileAnswerParts> {
  const { deps, caller, request, key } = work;
  const id = newId(deps.clock.now(), deps.random);
  const outcome = await begin(deps, caller, {
    ...{ id, plan: made.plan, content: made.content, callKey: key },
    request: requestText(request),
    prompt: promptOf(caller.roots, made),
  });
  return doneWords(outcome);
}

export function doneWords(outcome: PlanOutcome): FileAnswerParts {
  const { failed, total, firstError } = outcome;
  const facts = { files: outcome.files, bytes: outcome.bytes };
  if (firstError === undefined && outcome.end === 'done') {
    return { status: 'success', words: outcome.words, result: outcome.result, ...facts };
  }
  const { code, message } = firstError ?? stopped;
  const many = total === 1 ? '' : `${countWords(failed, 'step')} of ${total} failed: `;
  const error = { code, message: `${many}${message}` };
  return { status: 'error', words: outcome.words, result: outcome.result, error, ...facts };
}

const stopped = {
  code: 'INTERRUPTED',
  message: 'It was stopped before it was through; what was done can be undone',
};

function planChanged(): AosError {
  return new AosError('files.plan-changed', {
    message: 'The files have changed since the plan was made, so I ask again',
    fix: 'Look at the new plan',
  });
}
