/** `aos register`: an agent whose program runs elsewhere. */
import type { Command } from 'commander';
import type { HandleOptions } from '../../gateway/client/own-calls.ts';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf } from '../core/input.ts';
import { table } from '../core/words.ts';

interface RegisterOptions {
  readonly newHandle?: true;
  readonly expires?: string;
}

export function defineRegister(command: Command, context: Context): void {
  command
    .argument('<name>', 'a letter, then letters, digits, "_" and "-"; 63 at most')
    .option(
      '--new-handle',
      'for an agent that is registered: replace its handle, should it be lost',
    )
    .option('--expires <time>', 'how long the handle is good, as 12h or 30d; the port wants that')
    .addHelpText(
      'after',
      '\nMakes the folder of an agent that lives elsewhere (a guest), its key, and the handle\nwith which it calls the daemon. The handle is shown this once: only its hash is kept.\n\nExamples:\n  aos register jean\n  aos register jean --json\n  aos register jean --new-handle --expires 30d',
    )
    .action((name: string, { newHandle, expires }: RegisterOptions) => {
      const expires_ms = expires === undefined ? undefined : durationOf('--expires', expires);
      const options = { expires_ms, signal: context.signal };
      return newHandle === true ? renew(context, name, options) : register(context, name, options);
    });
}

async function register(context: Context, name: string, options: HandleOptions): Promise<void> {
  const agent = await withHome(context, { holder: 'aos register', mayCreate: true }, (client) =>
    client.register(name, options),
  );
  const rows = [
    ['  address', agent.address],
    ['  folder', oneLine(agent.folder)],
    ['  handle', agent.handle],
  ];
  const text = `Agent ${agent.name} is registered.\n${table(rows)}\n${keepIt}`;
  context.print({ data: agent, text });
}

async function renew(context: Context, name: string, options: HandleOptions): Promise<void> {
  // Here and not by the daemon: an empty name would be another path.
  checkAgentName(name);
  const renewed = await withHome(context, { holder: 'aos register', mayCreate: true }, (client) =>
    client.renewHandle(name, options),
  );
  const text = `Agent ${renewed.name} has a new handle, and the old one is refused from now on.\n  handle  ${renewed.handle}\n${keepIt}`;
  context.print({ data: renewed, text });
}

const keepIt = 'Keep the handle: it is not shown again.';
