/** A change from its plan to its end: shown, asked for, and done once the owner said yes to it. */
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
import { yesGiver } from './yes.ts';

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

export interface ChangeWanted {
  readonly request: FileRequest;
  /** For `--json`, beside the answer. */
  readonly also?: object;
  readonly json: boolean;
}

export async function change(
  context: Context,
  wanted: ChangeWanted,
  options: ChangeOptions,
): Promise<void> {
  checkYes(options);
  const isDry = options.dryRun === true;
  const by = isDry ? tryOut : isOwner(context, options) ? doForOwner : doForAgent;
  const answer = await by({ context, wanted, options });
  const show = await pathsOf(context);
  const text = isDry
    ? `${planText(answer, show)}\n${oneLine(answer.action_performed)}`
    : doneText(answer);
  context.print({ data: { ...answer, ...wanted.also }, text });
}

interface Changing {
  readonly context: Context;
  readonly wanted: ChangeWanted;
  readonly options: ChangeOptions;
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

async function tryOut({ context, wanted: { request }, options }: Changing): Promise<FileAnswer> {
  return runFiles(context, options, {
    ...request,
    options: { ...request.options, dry_run: true },
  });
}

async function doForOwner(changing: Changing): Promise<FileAnswer> {
  const { context, wanted, options } = changing;
  const { request } = wanted;
  using giver = await yesGiver(context, { ...wanted, plans: options.plan });
  let answer = await answerTo(context, options, request);
  while (answer.status === 'confirmation_required') {
    // Between two uses of the home: a question would keep it from every other caller.
    const token = await giver.ask(answer);
    answer = await applyChange(context, request, token);
  }
  return fulfilled(changing, answer);
}

/** For an agent a human is asked, wherever they are. */
async function doForAgent(changing: Changing): Promise<FileAnswer> {
  const { context, wanted, options } = changing;
  if (options.yes === true) throw notTheirs();
  const answer = await fulfilled(changing, await answerTo(context, options, wanted.request));
  if (answer.status === 'confirmation_required') throw approvalNeeded(answer);
  return answer;
}

/** Throws what went wrong, after telling what of it was done all the same. */
async function fulfilled({ context, wanted }: Changing, answer: FileAnswer): Promise<FileAnswer> {
  if (answer.status !== 'error') return answer;
  const lines = wanted.json ? [] : failedLines(answer, await pathsOf(context));
  for (const line of lines) context.terminal.err(`${line}\n`);
  throw errorOfAnswer(answer);
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
