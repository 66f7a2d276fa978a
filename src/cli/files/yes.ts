/** The yes to plans: from who sits at the terminal, or by their hashes on the command line. */
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { askingAt, type Questions } from '../core/confirm.ts';
import type { Context } from '../core/context.ts';
import { commandWith } from '../core/group-command.ts';
import { pathsOf, type ShowPath } from './path.ts';
import { planOf, planText } from './plan-words.ts';

/** A change with the yes to its plan, once there is one. */
export interface Pending {
  readonly request: FileRequest;
  readonly token?: string | undefined;
}

/** A change that waits for a yes to the plan in the answer. */
export interface Asked {
  readonly request: FileRequest;
  readonly answer: FileAnswer;
}

export interface YesGiver extends Disposable {
  /** Throws unless all of them get their yes. */
  ask(asked: readonly Asked[], done: readonly FileAnswer[]): Promise<readonly Pending[]>;
}

export interface YesOptions {
  readonly json: boolean;
  /** The hashes that somebody has said yes to. */
  readonly plans: readonly string[] | undefined;
}

export async function yesGiver(context: Context, options: YesOptions): Promise<YesGiver> {
  const questions = askingAt(context);
  const show = await pathsOf(context);
  /** What stands on the screen already: its second question needs no second table. */
  const shown = new Set<string>();
  return {
    async ask(asked, done) {
      const plans = asked.map(({ answer }) => planOf(answer).plan);
      if (options.plans !== undefined) checkHashes(asked, { said: options.plans, done });
      else if (options.json) throw yesNeeded(context, asked, done);
      else {
        for (const { answer } of asked) tell(context, answer, { show, shown });
        if (!context.terminal.input.isTerminal) throw yesNeeded(context, asked, done);
        await askOnce(questions, asked, done);
      }
      for (const plan of plans) shown.add(plan);
      return asked.map(({ request, answer }) => ({ request, token: answer.confirmation_token }));
    },
    [Symbol.dispose]: () => questions[Symbol.dispose](),
  };
}

interface Telling {
  readonly show: ShowPath;
  readonly shown: ReadonlySet<string>;
}

function tell({ terminal }: Context, answer: FileAnswer, { show, shown }: Telling): void {
  const { plan } = planOf(answer);
  if (answer.error !== undefined) terminal.err(`${oneLine(answer.error.message)}.\n`);
  if (!shown.has(plan)) terminal.err(`${planText(answer, show)}\nPlan ${plan}\n`);
}

async function askOnce(
  questions: Questions,
  asked: readonly Asked[],
  done: readonly FileAnswer[],
): Promise<void> {
  const prompts = asked.map(({ answer }) => oneLine(answer.confirmation_prompt ?? 'Do it?'));
  if (await questions.confirm(prompts.join('\n'))) return;
  throw new AosError('files.confirmation-required', {
    message: `${nothingWas(done)}, because you did not say yes`,
    fix: 'Answer "y" to do it',
  });
}

function checkHashes(
  asked: readonly Asked[],
  { said, done }: { readonly said: readonly string[]; readonly done: readonly FileAnswer[] },
): void {
  const other = asked.find(({ answer }) => !said.includes(planOf(answer).plan));
  if (other === undefined) return;
  throw new AosError('files.plan-changed', {
    message: `${nothingWas(done)}: what would be done now is plan ${planOf(other.answer).plan}, which --plan does not name`,
    fix: 'Look at the new plan, by the same command without --yes and --plan',
    details: withoutToken(other.answer),
  });
}

function yesNeeded(
  { argv }: Context,
  asked: readonly Asked[],
  done: readonly FileAnswer[],
): AosError {
  const prompts = asked.map(({ answer }) => oneLine(answer.confirmation_prompt ?? ''));
  const plans = asked.flatMap(({ answer }) => ['--plan', planOf(answer).plan]);
  const answers = asked.map(({ answer }) => withoutToken(answer));
  return new AosError('files.confirmation-required', {
    message: `${nothingWas(done)} yet. ${prompts.join(' ')}`,
    fix: commandWith(argv, ['--yes', ...plans]),
    details: answers.length === 1 ? answers[0] : { answers },
  });
}

/** The hash of the plan says yes here; a token in a log would be good for who reads it. */
function withoutToken({ confirmation_token: _, ...answer }: FileAnswer): FileAnswer {
  return answer;
}

function nothingWas(done: readonly FileAnswer[]): string {
  return done.length === 0 ? 'Nothing was done' : 'Nothing more was done';
}
