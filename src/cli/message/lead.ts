import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';

export function defineLead(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      '\nMessages to "Lead" reach the agent that is named here. While there is none they wait.\n\nExamples:\n  aos lead\n  aos lead set jean',
    )
    .action(() => show(context));
  command
    .command('set')
    .description('say whom messages to "Lead" reach')
    .argument('<name>', 'an agent')
    .addHelpText('after', '\nExample:\n  aos lead set jean')
    .action((name: string) => set(context, name));
}

async function show(context: Context): Promise<void> {
  const lead = await withHome(context, { holder: 'aos lead' }, (client) =>
    client.lead({ signal: context.signal }),
  );
  if (lead.name === null) {
    throw new AosError('lead.none', { message: 'Nobody is Lead', fix: 'aos lead set NAME' });
  }
  context.print({ data: lead, text: lead.name });
}

async function set(context: Context, name: string): Promise<void> {
  const answer = await withHome(context, { holder: 'aos lead set' }, (client) =>
    client.setLead(name, { signal: context.signal }),
  );
  const { released } = answer;
  const sentOn =
    released === 0 ? '' : ` ${counted(released, 'message')} that had waited went on to it.`;
  context.print({ data: answer, text: `${answer.name} is Lead from now on.${sentOn}` });
}
