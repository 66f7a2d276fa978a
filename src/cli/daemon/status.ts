import type { Command } from 'commander';
import { isFull } from '../../app/doctor/disk.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/table.ts';
import { durationWords } from '../core/words.ts';

export function defineStatus(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      '\nExit code 0 when the daemon runs, 7 when none does, 8 when it does not answer.\n\nExamples:\n  aos status\n  aos status --json',
    )
    .action(async () => {
      const status = await ask(context);
      if (status.role !== 'owner') throw notOurs();
      const { version, pid, home, uptime_ms, agents, ledger, disk, feed_clients } = status;
      const rows = [
        ['running', `Agent OS ${version}, process ${pid}, for ${durationWords(uptime_ms)}`],
        ['ready', readyWords(status)],
        ['home', oneLine(home)],
        ['agents', `${agents.active} active of ${agents.total}`],
        ['events', `${ledger.seq}, the last one ${ledger.hash.slice(0, 12)}…`],
        ['disk', `${disk.used_percent} % used (${disk.state})`],
        ['readers', `${feed_clients} of the event feed`],
      ];
      context.print({ data: status, text: table(rows) });
    });
}

function readyWords({ ready, disk }: Pick<OwnerStatus, 'ready' | 'disk'>): string {
  if (ready) return 'yes';
  return disk.state === 'full' ? 'no: the disk is full (try: aos gc)' : 'no';
}

type OwnerStatus = Extract<Answer<'status'>, { role: 'owner' }>;

/** Where no daemon runs, a full disk is why none can be started as the usual words tell. */
async function ask(context: Context): Promise<Answer<'status'>> {
  const { client, engines, settings } = await reach(context);
  try {
    return await client.status({ signal: context.signal });
  } catch (failure) {
    if (!(failure instanceof AosError) || failure.code !== 'daemon.down') throw failure;
    if (!isFull(await engines.volume.usage(settings.home))) throw failure;
    throw new AosError('daemon.down', {
      message: `${failure.message}, and the disk under it is full`,
      fix: 'aos gc, then aos up --detach',
      cause: failure,
    });
  }
}

function notOurs(): AosError {
  return new AosError('gateway.strange-answer', {
    message: 'The daemon does not take this command for the owner',
    fix: 'aos down && aos up --detach',
  });
}
