/**
 * A change from its plan to its end: it is shown, asked for, and done once somebody has said yes
 * to that very plan. Several changes of one command are shown together and asked for once.
 */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { repeated } from '../core/words.ts';
import { applyChange } from './apply.ts';
import { type AsOption, answerTo, errorOfAnswer, isOwner, runFiles } from './call.ts';
import { pathsOf } from './path.ts';
import { doneText, failedLines, planText } from './plan-words.ts';
import { type Asked, type Pending, yesGiver } from './yes.ts';

export interface ChangeOptions extends AsOption {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly plan?: readonly string[];
}

export function changeOptions(command: Command): Command {
  return command
    .option('--dry-run', 'say what would happen, and touch nothing')
    .option('--yes', 'do not ask; only together with --plan')
    .option('--plan <hash>', 'the plan that the yes is to, as it was shown', repeated);
}

export interface Wished {
  readonly requests: readonly FileRequest[];
  /** For `--json`, beside the answer. */
  readonly also?: object;
  readonly json: boolean;
}

export async function change(
  context: Context,
  wished: Wished,
  options: ChangeOptions,
): Promise<void> {
  checkYes(options);
  const isDry = options.dryRun === true;
  const doAll = isDry ? tryOut : isOwner(context, options) ? doForOwner : doForAgent;
  const answers: FileAnswer[] = [];
  try {
    await doAll({ context, wished, options, done: answers });
  } catch (failure) {
    // What was done before something went wrong stays done, and has to be known.
    if (isDry || answers.length === 0) throw failure;
    if (wished.json) throw withDone(failure, answers);
    for (const answer of answers) context.terminal.err(`${doneText(answer)}\n`);
    throw failure;
  }
  const show = await pathsOf(context);
  const texts = answers.map((answer) =>
    isDry ? `${planText(answer, show)}\n${oneLine(answer.action_performed)}` : doneText(answer),
  );
  context.print({ data: dataOf(answers, wished), text: texts.join('\n') });
}

interface Doing {
  readonly context: Context;
  readonly wished: Wished;
  readonly options: ChangeOptions;
  /** Grows. */
  readonly done: FileAnswer[];
}

function dataOf(answers: readonly FileAnswer[], { also = {} }: Wished): object {
  const [first] = answers;
  return answers.length === 1 ? { ...first, ...also } : { answers, ...also };
}

function checkYes({ yes, plan }: ChangeOptions): void {
  if ((yes === true) === (plan !== undefined)) return;
  const message =
    yes === true
      ? '--yes says yes to one plan, and --plan does not say to which'
      : '--plan is for --yes, and --yes is not there';
  throw new AosError('usage.bad-value', {
    message,
    fix: 'Look at the plan without --yes first; it shows its hash: --yes --plan HASH',
  });
}

async function tryOut({ context, wished, options, done }: Doing): Promise<void> {
  for (const request of wished.requests) {
    const dry = { ...request, options: { ...request.options, dry_run: true } };
    done.push(await runFiles(context, options, dry));
  }
}

async function doForOwner(doing: Doing): Promise<void> {
  const { context, wished, options, done } = doing;
  using giver = await yesGiver(context, { ...wished, plans: options.plan });
  let open: readonly Pending[] = wished.requests.map((request) => ({ request }));
  while (open.length > 0) {
    const asked: Asked[] = [];
    for (const { request, token } of open) {
      const answer =
        token === undefined
          ? await answerTo(context, options, request)
          : await applyChange(context, request, token);
      if (answer.status === 'confirmation_required') asked.push({ request, answer });
      else done.push(await fulfilled(doing, answer));
    }
    // Between two uses of the home: a question would keep it from everybody else.
    open = asked.length === 0 ? [] : await giver.ask(asked, done);
  }
}

/** For an agent a human is asked, wherever they are. */
async function doForAgent(doing: Doing): Promise<void> {
  const { context, wished, options, done } = doing;
  if (options.yes === true) throw notTheirs();
  for (const request of wished.requests) {
    const answer = await fulfilled(doing, await answerTo(context, options, request));
    if (answer.status === 'confirmation_required') throw approvalNeeded(answer);
    done.push(answer);
  }
}

/** Throws what went wrong, after telling what of it was done all the same. */
async function fulfilled({ context, wished }: Doing, answer: FileAnswer): Promise<FileAnswer> {
  if (answer.status !== 'error') return answer;
  const lines = wished.json ? [] : failedLines(answer, await pathsOf(context));
  for (const line of lines) context.terminal.err(`${line}\n`);
  throw errorOfAnswer(answer);
}

function withDone(failure: unknown, done: readonly FileAnswer[]): unknown {
  if (!(failure instanceof AosError)) return failure;
  const { code, message, fix, details } = failure;
  return new AosError(code, {
    message,
    fix,
    details: { done, stopped_at: details },
    cause: failure,
  });
}

function approvalNeeded(answer: FileAnswer): AosError {
  const { approval_id, confirmation_prompt = 'It needs a yes.' } = answer;
  return new AosError('files.confirmation-required', {
    message: `Nothing was done: a human has to approve it. ${confirmation_prompt}`,
    fix: approval_id === undefined ? 'aos approvals' : `aos approvals approve ${approval_id}`,
    details: answer,
  });
}

function notTheirs(): AosError {
  return new AosError('usage.bad-value', {
    message: 'No agent can say yes to a plan, so that --yes is for the owner',
    fix: 'Leave --yes and --plan out: a human is asked, and "aos approvals" shows it',
  });
}
