/** The yes to a plan: from the owner at the terminal, or by its hash on the command line. */
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { must } from '../../kernel/must.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { askingAt, type Questions } from '../core/confirm.ts';
import type { Context } from '../core/context.ts';
import { commandWith } from '../core/group-command.ts';
import { pathsOf, type ShowPath } from './path.ts';
import { planOf, planText } from './plan-words.ts';

export interface YesGiver extends Disposable {
  /** The token of the plan in the answer; throws unless the owner says yes to it. */
  ask(answer: FileAnswer): Promise<string>;
}

export interface YesOptions {
  readonly json: boolean;
  /** The hashes that the owner has said yes to. */
  readonly plans: readonly string[] | undefined;
}

export async function yesGiver(context: Context, options: YesOptions): Promise<YesGiver> {
  const questions = askingAt(context);
  const show = await pathsOf(context);
  /** What stands on the screen already: its second question needs no second table. */
  const shown = new Set<string>();
  return {
    async ask(answer) {
      if (options.plans !== undefined) checkHash(answer, options.plans);
      else if (options.json) throw yesNeeded(context, answer);
      else {
        tell(context, answer, { show, shown });
        if (!context.terminal.input.isTerminal) throw yesNeeded(context, answer);
        await askOnce(questions, answer);
      }
      shown.add(planOf(answer).plan);
      return must(answer.confirmation_token, 'the token of a plan that needs a yes');
    },
    [Symbol.dispose]: () => questions[Symbol.dispose](),
  };
}

interface Shown {
  readonly show: ShowPath;
  readonly shown: ReadonlySet<string>;
}

function tell({ terminal }: Context, answer: FileAnswer, { show, shown }: Shown): void {
  const { plan } = planOf(answer);
  if (answer.error !== undefined) terminal.err(`${oneLine(answer.error.message)}.\n`);
  if (!shown.has(plan)) terminal.err(`${planText(answer, show)}\nPlan ${plan}\n`);
}

async function askOnce(questions: Questions, answer: FileAnswer): Promise<void> {
  if (await questions.confirm(oneLine(answer.confirmation_prompt ?? 'Do it?'))) return;
  throw new AosError('files.confirmation-required', {
    message: 'Nothing was done, because you did not say yes',
    fix: 'Answer "y" to do it',
  });
}

function checkHash(answer: FileAnswer, said: readonly string[]): void {
  const { plan } = planOf(answer);
  if (said.includes(plan)) return;
  throw new AosError('files.plan-changed', {
    message: `Nothing was done: what would be done now is plan ${plan}, which --plan does not name`,
    fix: 'Look at the new plan, by the same command without --yes and --plan',
    details: withoutToken(answer),
  });
}

function yesNeeded({ argv }: Context, answer: FileAnswer): AosError {
  return new AosError('files.confirmation-required', {
    message: `Nothing was done yet. ${oneLine(answer.confirmation_prompt ?? '')}`,
    fix: commandWith(argv, ['--yes', '--plan', planOf(answer).plan]),
    details: withoutToken(answer),
  });
}

/** The hash of the plan says yes here; a token in a log would be good for who reads it. */
function withoutToken({ confirmation_token: _, ...answer }: FileAnswer): FileAnswer {
  return answer;
}
