import type { Command } from 'commander';
import { checkAgentName } from '../kernel/agent-name.ts';
import { oneLine } from '../kernel/quote.ts';
import { withHome } from './connect.ts';
import type { Context } from './context.ts';
import { table } from './table.ts';

export function defineRegister(command: Command, context: Context): void {
  command
    .argument('<name>', 'a letter, then letters, digits, "_" and "-"; 63 at most')
    .option(
      '--new-handle',
      'for an agent that is registered: replace its handle, should it be lost',
    )
    .addHelpText(
      'after',
      '\nMakes the folder of an agent that lives elsewhere (a guest), its key, and the handle\nwith which it calls the daemon. The handle is shown this once: only its hash is kept.\n\nExamples:\n  aos register jean\n  aos register jean --json\n  aos register jean --new-handle',
    )
    .action((name: string, { newHandle }: { newHandle?: true }) =>
      newHandle === true ? renew(context, name) : register(context, name),
    );
}

async function register(context: Context, name: string): Promise<void> {
  const agent = await withHome(context, { holder: 'aos register', mayCreate: true }, (client) =>
    client.register(name, { signal: context.signal }),
  );
  const rows = [
    ['  address', agent.address],
    ['  folder', oneLine(agent.folder)],
    ['  handle', agent.handle],
  ];
  const text = `Agent ${agent.name} is registered.\n${table(rows)}\n${keepIt}`;
  context.print({ data: agent, text });
}

async function renew(context: Context, name: string): Promise<void> {
  // Here and not by the daemon: an empty name would be another path.
  checkAgentName(name);
  const renewed = await withHome(context, { holder: 'aos register', mayCreate: true }, (client) =>
    client.renewHandle(name, { signal: context.signal }),
  );
  const text = `Agent ${renewed.name} has a new handle, and the old one is refused from now on.\n  handle  ${renewed.handle}\n${keepIt}`;
  context.print({ data: renewed, text });
}

const keepIt = 'Keep the handle: it is not shown again.';
