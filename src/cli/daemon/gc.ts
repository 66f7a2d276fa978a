/** `aos gc`: removes what is no longer needed. */
import type { Command } from 'commander';
import { findFullDisk, reserveSize } from '../../app/doctor/disk.ts';
import { answers, type ReachedHome, refuseNoHome } from '../../app/home/use-home.ts';
import { withRoom } from '../../app/upkeep/reserve.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { agentDoor, reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, table } from '../core/words.ts';

export function defineGc(command: Command, context: Context): void {
  command
    .option('--dry-run', 'only say what would go')
    .addHelpText(
      'after',
      '\nRemoves what interrupted work left behind, and copies that newer ones have replaced. On a\nfull disk it first gives back the room that the home keeps for this (.reserve).\n\nExamples:\n  aos gc --dry-run\n  aos gc',
    )
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const swept = dryRun ? await find(context) : await sweep(context);
      const rows = swept.items.map(({ path, bytes, why }) => [
        bytesWords(bytes).padStart(11),
        oneLine(path),
        oneLine(why),
      ]);
      const found = swept.items.reduce((sum, { bytes }) => sum + bytes, 0);
      const last = dryRun
        ? `${bytesWords(found)} would be freed. Nothing was removed.`
        : `${bytesWords(swept.freed_bytes)} were freed.`;
      const left = swept.failed.map(({ path, why }) => `left: ${oneLine(path)}: ${oneLine(why)}`);
      const text =
        rows.length === 0 ? 'There is nothing to remove.' : [table(rows), ...left, last].join('\n');
      const room = dryRun ? [] : await roomWords(context, swept);
      context.print({ data: { ...swept, dry_run: dryRun }, text: [text, ...room].join('\n') });
    });
}

type Swept = Answer<'gc'> & {
  /** What was given back of the room that is kept for a full disk. */
  readonly reserve_bytes: number;
  /** What is kept now: some is kept again, of what was given back. */
  readonly kept_bytes: number;
  readonly free_bytes: number;
};

async function roomWords(context: Context, swept: Swept): Promise<string[]> {
  const { engines, settings } = await reach(context);
  const full = await findFullDisk(engines, settings.home);
  const still = full && `The disk ${full.is}: ${full.fix}.`;
  if (swept.reserve_bytes === 0) return still === undefined ? [] : [still];
  const free = 'Free some space there; "aos du" shows what the home takes.';
  return [`The disk was full. ${givenWords(swept)}`, still ?? free];
}

/** How much is free after a full disk, and how much of what was kept for it still is. */
function givenWords({ reserve_bytes, kept_bytes, free_bytes }: Swept): string {
  const free = `${bytesWords(free_bytes)} are free now`;
  const kept = bytesWords(kept_bytes);
  if (kept_bytes >= reserve_bytes) return `${free}, and ${kept} are kept for the next time.`;
  const given = bytesWords(reserve_bytes - kept_bytes);
  return `Of the ${bytesWords(reserve_bytes)} that were kept for this, ${given} are given back and ${kept} still kept: ${free}.`;
}

/** The room first, and by this process: without it neither a home is opened nor a daemon asked. */
async function sweep(context: Context): Promise<Swept> {
  const reached = await reach(context);
  const { engines, settings } = reached;
  const work = () =>
    withHome(context, { holder: 'aos gc' }, (client) =>
      client.gc({ dry_run: false }, { signal: context.signal }),
    );
  const isOwner = agentDoor(context) === undefined;
  const { result, givenBytes } = isOwner
    ? await withRoom(engines, settings.home, work)
    : { result: await work(), givenBytes: 0 };
  return { ...result, reserve_bytes: givenBytes, ...(await roomOf(reached)) };
}

/** Without a daemon it only looks, so that it works on a full disk. */
async function find(context: Context): Promise<Swept> {
  const reached = await reach(context);
  const { engines, settings, client } = reached;
  const { signal } = context;
  const nothing = { freed_bytes: 0, failed: [], reserve_bytes: 0 };
  const room = await roomOf(reached);
  if (agentDoor(context) !== undefined || (await answers(client, signal))) {
    return { ...nothing, ...(await client.gc({ dry_run: true }, { signal })), ...room };
  }
  await refuseNoHome(engines, settings.home);
  const { inside } = await import('../../app/inside.ts');
  const items = await inside.findGarbage(engines, settings.home, signal);
  return { ...nothing, items, ...room };
}

async function roomOf({
  engines,
  settings: { home },
}: ReachedHome): Promise<Pick<Swept, 'kept_bytes' | 'free_bytes'>> {
  const { writableBytes } = await engines.volume.usage(home);
  return { kept_bytes: await reserveSize(engines, home), free_bytes: writableBytes };
}
