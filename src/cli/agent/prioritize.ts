import type { Command } from 'commander';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { idOf } from '../core/names.ts';
import { goalIds } from './goal-words.ts';

export function definePrioritize(command: Command, context: Context): void {
  command
    .argument('<id>', 'a goal, by its id or the beginning of it')
    .argument('<n>', 'from 0, which comes first, to 9')
    .addHelpText(
      'after',
      '\nChanges which goal is worked on first. What is worked on already goes on.\n\nExample:\n  aos prioritize 018d3e4b7a10 0',
    )
    .action((typed: string, text: string) => prioritize(context, typed, text));
}

async function prioritize(context: Context, typed: string, text: string): Promise<void> {
  const id = idOf(goalIds, typed);
  const priority = numberOf('The priority', text, { least: 0, most: 9 });
  const goal = await withHome(context, { holder: 'aos prioritize' }, (client) =>
    client.prioritizeGoal(id, priority, { signal: context.signal }),
  );
  context.print({ data: goal, text: `Goal ${goal.id} has priority ${goal.priority} now.` });
}
