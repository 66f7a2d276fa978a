import type { Command } from 'commander';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { idOf } from '../core/names.ts';
import { goalIds } from './goal-words.ts';

export function defineRetry(command: Command, context: Context): void {
  command
    .argument('<id>', 'a goal, by its id or the beginning of it')
    .option('--from <step>', 'the last step that is kept (the last one before its end)')
    .addHelpText(
      'after',
      '\nMakes a new goal that goes on from a step of another one. "aos inspect ID" lists the\nsteps. What was done after that step was done, and may be done again.\n\nExamples:\n  aos retry 018d3e4b7a10\n  aos retry 018d3e4b7a10 --from 4',
    )
    .action((typed: string, { from }: { readonly from?: string }) => retry(context, typed, from));
}

const mostSteps = 999_999_999;

async function retry(context: Context, typed: string, text: string | undefined): Promise<void> {
  const id = idOf(goalIds, typed);
  const from =
    text === undefined ? undefined : numberOf('--from', text, { least: 1, most: mostSteps });
  const answer = await withHome(context, { holder: 'aos retry' }, (client) =>
    client.retryGoal(id, { from, signal: context.signal }),
  );
  const { operation, agent } = answer;
  const what = `Goal ${operation} goes on from step ${answer.from}; ${agent} takes it.`;
  context.print({ data: answer, text: `${what}\nTo look at it: aos inspect ${operation}` });
}
