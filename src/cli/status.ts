import type { Command } from 'commander';
import { AosError } from '../kernel/errors.ts';
import { oneLine } from '../kernel/quote.ts';
import { reach } from './connect.ts';
import type { Context } from './context.ts';
import { table } from './table.ts';
import { durationWords } from './words.ts';

export function defineStatus(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      '\nExit code 0 when the daemon runs, 7 when none does, 8 when it does not answer.\n\nExamples:\n  aos status\n  aos status --json',
    )
    .action(async () => {
      const { client } = await reach(context);
      const status = await client.status({ signal: context.signal });
      if (status.role !== 'owner') throw notOurs();
      const { version, pid, home, uptime_ms, agents, ledger, disk, feed_clients } = status;
      const rows = [
        ['running', `Agent OS ${version}, process ${pid}, for ${durationWords(uptime_ms)}`],
        ['ready', status.ready ? 'yes' : 'no'],
        ['home', oneLine(home)],
        ['agents', `${agents.active} active of ${agents.total}`],
        ['events', `${ledger.seq}, the last one ${ledger.hash.slice(0, 12)}…`],
        ['disk', `${disk.used_percent} % used (${disk.state})`],
        ['readers', `${feed_clients} of the event feed`],
      ];
      context.print({ data: status, text: table(rows) });
    });
}

function notOurs(): AosError {
  return new AosError('gateway.strange-answer', {
    message: 'The daemon does not take this command for the owner',
    fix: 'aos down && aos up --detach',
  });
}
