import type { Command } from 'commander';
import { oneLine } from '../kernel/quote.ts';
import { withHome } from './connect.ts';
import type { Context } from './context.ts';
import { table } from './table.ts';
import { bytesWords, counted } from './words.ts';

export function defineDu(command: Command, context: Context): void {
  command.addHelpText('after', '\nExamples:\n  aos du\n  aos du --json').action(async () => {
    const usage = await withHome(context, 'aos du', (client) =>
      client.usage({ signal: context.signal }),
    );
    const rows = usage.items
      .filter(({ files }) => files > 0)
      .map(({ name, bytes, files }) => [
        bytesWords(bytes).padStart(11),
        counted(files, 'file'),
        oneLine(name),
      ]);
    const total = [bytesWords(usage.total_bytes).padStart(11), '', 'altogether'];
    context.print({ data: usage, text: table([...rows, total]) });
  });
}
