import type { Command } from 'commander';
import { oneLine } from '../kernel/quote.ts';
import { withHome } from './connect.ts';
import type { Context } from './context.ts';
import { table } from './table.ts';
import { bytesWords } from './words.ts';

export function defineGc(command: Command, context: Context): void {
  command
    .option('--dry-run', 'only say what would go')
    .addHelpText(
      'after',
      '\nRemoves what interrupted work left behind, and copies that newer ones have replaced.\n\nExamples:\n  aos gc --dry-run\n  aos gc',
    )
    .action(async ({ dryRun }: { dryRun?: true }) => {
      const swept = await withHome(context, { holder: 'aos gc' }, (client) =>
        client.gc({ dry_run: dryRun === true }, { signal: context.signal }),
      );
      const rows = swept.items.map(({ path, bytes, why }) => [
        bytesWords(bytes).padStart(11),
        oneLine(path),
        oneLine(why),
      ]);
      const found = swept.items.reduce((sum, { bytes }) => sum + bytes, 0);
      const last =
        dryRun === true
          ? `${bytesWords(found)} would be freed. Nothing was removed.`
          : `${bytesWords(swept.freed_bytes)} were freed.`;
      const left = swept.failed.map(({ path, why }) => `left: ${oneLine(path)}: ${oneLine(why)}`);
      const text =
        rows.length === 0 ? 'There is nothing to remove.' : [table(rows), ...left, last].join('\n');
      context.print({ data: { ...swept, dry_run: dryRun === true }, text });
    });
}
