import type { Command } from 'commander';
import { answers, refuseNoHome } from '../../app/home/use-home.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, counted, table } from '../core/words.ts';

export function defineDu(command: Command, context: Context): void {
  command.addHelpText('after', '\nExamples:\n  aos du\n  aos du --json').action(async () => {
    const usage = await measure(context);
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

/** Without a daemon it only looks, so that it works on a full disk, where nothing else does. */
async function measure(context: Context): Promise<Answer<'usage'>> {
  const { engines, settings, client } = await reach(context);
  if (await answers(client, context.signal)) return client.usage({ signal: context.signal });
  await refuseNoHome(engines, settings.home);
  const { inside } = await import('../../app/inside.ts');
  return inside.measureHome(engines, settings.home, context.signal);
}
