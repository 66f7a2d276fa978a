/** `aos pause` and `aos resume`. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { withAgent } from '../core/names.ts';

export function definePause(command: Command, context: Context): void {
  command
    .argument('<agent>', 'who')
    .option('--reason <text>', 'why, for whoever looks')
    .addHelpText(
      'after',
      '\nA model agent stops after its step, a program where it is, with all that it has started.\nA guest gets no messages, and its grants do not count. "aos resume" lets it go on.\n\nExamples:\n  aos pause worker\n  aos pause worker --reason "the disk is nearly full"',
    )
    .action((name: string, { reason }: { readonly reason?: string }) =>
      move(
        context,
        name,
        (client) => client.pauseAgent(name, { reason, signal: context.signal }),
        ({ state }) => (state === 'running' ? ', and stops after the step that it is in' : ''),
      ),
    );
}

export function defineResume(command: Command, context: Context): void {
  command
    .argument('<agent>', 'who')
    .addHelpText(
      'after',
      '\nLets an agent go on that was paused, where it stopped.\n\nExample:\n  aos resume worker',
    )
    .action((name: string) =>
      move(context, name, (client) => client.resumeAgent(name, { signal: context.signal })),
    );
}

type Moved = Awaited<ReturnType<Client['pauseAgent']>>;

async function move(
  context: Context,
  name: string,
  work: (client: Client) => Promise<Moved>,
  words: (moved: Moved) => string = () => '',
): Promise<void> {
  const { signal } = context;
  const answer = await withHome(context, { holder: 'aos pause' }, (client) =>
    withAgent(client, { name, signal }, () => work(client)),
  );
  context.print({ data: answer, text: `Agent ${answer.name} is ${answer.state}${words(answer)}.` });
}
