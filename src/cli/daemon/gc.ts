import type { Command } from 'commander';
import { answers, type ReachedHome, refuseNoHome } from '../../app/home/use-home.ts';
import { freeReserve } from '../../app/upkeep/reserve.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { agentDoor, reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/table.ts';
import { bytesWords } from '../core/words.ts';

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
      const { reserve_bytes, free_bytes } = swept;
      const given = `The disk was full. The ${bytesWords(reserve_bytes)} that were kept for this are given back`;
      const room = `${given}: ${bytesWords(free_bytes)} are free now.\nFree some space there; "aos du" shows what the home takes.`;
      context.print({
        data: { ...swept, dry_run: dryRun },
        text: reserve_bytes > 0 ? `${text}\n${room}` : text,
      });
    });
}

type Swept = Answer<'gc'> & {
  /** What was given back of the room that is kept for a full disk. */
  readonly reserve_bytes: number;
  readonly free_bytes: number;
};

/** The room first, and by this process: without it neither a home is opened nor a daemon asked. */
async function sweep(context: Context): Promise<Swept> {
  const reached = await reach(context);
  const { engines, settings } = reached;
  const isOwner = agentDoor(context) === undefined;
  const reserve_bytes = isOwner ? await freeReserve(engines, settings.home) : 0;
  const swept = await withHome(context, { holder: 'aos gc' }, (client) =>
    client.gc({ dry_run: false }, { signal: context.signal }),
  );
  return { ...swept, reserve_bytes, free_bytes: await freeBytes(reached) };
}

/** Without a daemon it only looks, so that it works on a full disk. */
async function find(context: Context): Promise<Swept> {
  const reached = await reach(context);
  const { engines, settings, client } = reached;
  const { signal } = context;
  const nothing = { freed_bytes: 0, failed: [], reserve_bytes: 0 };
  const free_bytes = await freeBytes(reached);
  if (agentDoor(context) !== undefined || (await answers(client, signal))) {
    return { ...nothing, ...(await client.gc({ dry_run: true }, { signal })), free_bytes };
  }
  await refuseNoHome(engines, settings.home);
  const { inside } = await import('../../app/inside.ts');
  const items = await inside.findGarbage(engines, settings.home, signal);
  return { ...nothing, items, free_bytes };
}

async function freeBytes({ engines, settings }: ReachedHome): Promise<number> {
  return (await engines.volume.usage(settings.home)).writableBytes;
}
