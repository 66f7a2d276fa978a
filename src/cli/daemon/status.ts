/** `aos status`: whether a daemon runs, and how it is. */
import type { Command } from 'commander';
import { type FullDisk, findFullDisk } from '../../app/doctor/disk.ts';
import type { ReachedHome } from '../../app/home/use-home.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationWords, table } from '../core/words.ts';

export function defineStatus(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      '\nExit code 0 when the daemon runs, 7 when none does, 8 when it does not answer.\n\nExamples:\n  aos status\n  aos status --json',
    )
    .action(async () => {
      const reached = await reach(context);
      const status = await ask(context, reached);
      if (status.role !== 'owner') throw notOurs();
      const { version, pid, home, uptime_ms, agents, ledger, disk, feed_clients } = status;
      const full = disk.state === 'full' ? await findFullHere(reached) : undefined;
      const rows = [
        ['running', `Agent OS ${version}, process ${pid}, for ${durationWords(uptime_ms)}`],
        ['ready', readyWords(status, full)],
        ['home', oneLine(home)],
        ['agents', `${agents.active} active of ${agents.total}`],
        ['events', `${ledger.seq}, the last one ${ledger.hash.slice(0, 12)}…`],
        ['disk', `${disk.used_percent} % used (${disk.state})`],
        ['readers', `${feed_clients} of the event feed`],
      ];
      context.print({ data: status, text: table(rows) });
    });
}

function readyWords({ ready }: Pick<OwnerStatus, 'ready'>, full: FullDisk | undefined): string {
  if (ready) return 'yes';
  return full === undefined ? 'no' : `no: the disk ${full.is} (try: ${full.fix})`;
}

type OwnerStatus = Extract<Answer<'status'>, { role: 'owner' }>;

/** Where no daemon runs, a full disk is why none can be started as the usual words tell. */
async function ask({ signal }: Context, reached: ReachedHome): Promise<Answer<'status'>> {
  try {
    return await reached.client.status({ signal });
  } catch (failure) {
    if (!(failure instanceof AosError) || failure.code !== 'daemon.down') throw failure;
    const full = await findFullHere(reached);
    if (full === undefined) throw failure;
    throw new AosError('daemon.down', {
      message: `${failure.message}, and the disk under it ${full.is}`,
      fix: `${full.fix}; then aos up --detach`,
      cause: failure,
    });
  }
}

function findFullHere({ engines, settings }: ReachedHome): Promise<FullDisk | undefined> {
  return findFullDisk(engines, settings.home);
}

function notOurs(): AosError {
  return new AosError('gateway.strange-answer', {
    message: 'The daemon does not take this command for the owner',
    fix: 'aos down && aos up --detach',
  });
}
