import type { Command } from 'commander';
import { oneLine } from '../kernel/quote.ts';
import { withHome } from './connect.ts';
import type { Context } from './context.ts';
import { table } from './table.ts';

export function defineRegister(command: Command, context: Context): void {
  command
    .argument('<name>', 'a letter, then letters, digits, "_" and "-"; 63 at most')
    .addHelpText(
      'after',
      '\nMakes the folder of an agent that lives elsewhere (a guest), its key, and the handle\nwith which it calls the daemon. The handle is shown this once: only its hash is kept.\n\nExamples:\n  aos register jean\n  aos register jean --json',
    )
    .action(async (name: string) => {
      const agent = await withHome(context, 'aos register', (client) =>
        client.register(name, { signal: context.signal }),
      );
      const rows = [
        ['  address', agent.address],
        ['  folder', oneLine(agent.folder)],
        ['  handle', agent.handle],
      ];
      const text = `Agent ${agent.name} is registered.\n${table(rows)}\nKeep the handle: it is not shown again.`;
      context.print({ data: agent, text });
    });
}
