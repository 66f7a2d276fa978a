/** `aos memory export` and `aos memory import`. */
import { type Command, Option } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { AosError } from '../../kernel/errors.ts';
import { memoryScopes } from '../../kernel/memory/memory.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { fileParts } from '../core/input.ts';
import { counted } from '../core/words.ts';
import { type WhoseOptions, whose, withMemory } from './verb.ts';

export function defineMemoryMoves(group: Command, context: Context): void {
  group
    .command('export')
    .description('print memories as lines of JSON, every version')
    .addOption(new Option('--scope <scope>', 'only this one').choices([...memoryScopes]))
    .option('--of <agent>', 'whose: an agent (your own)')
    .addHelpText(
      'after',
      '\nWhat was forgotten is not among them. What is shared comes with --scope shared. With --json\nit is the same lines.\n\nExamples:\n  aos memory export > memories.jsonl\n  aos memory export --of jean --scope long-term > jean.jsonl',
    )
    .action((options: WhoseOptions) => exportLines(context, options));
  group
    .command('import')
    .description('bring in what "aos memory export" has printed')
    .argument('[file]', 'the file; "-", or nothing, reads what is piped in')
    .option('--of <agent>', 'into whose memory: an agent’s (your own)')
    .addHelpText(
      'after',
      '\nAll of it or nothing, after a crash too. Who reads while it is brought in may see a part.\nWhat is there already stays as it is, so that it may be done twice.\n\nExamples:\n  aos memory import memories.jsonl\n  aos memory export --of jean | aos memory import --of samantha',
    )
    .action((file: string | undefined, { of }: WhoseOptions) => importLines(context, file, of));
}

async function exportLines(context: Context, options: WhoseOptions): Promise<void> {
  const { terminal } = context;
  const show =
    terminal.rawOut ??
    // In the middle of a character nothing is printed yet.
    printer((text) => terminal.out(text));
  await withMemory(context, {}, async (client, { signal }) => {
    for await (const bytes of await client.exportMemory(whose(options), { signal })) {
      await show(bytes);
    }
  });
}

/** For a terminal: line ends stay, and nothing else moves its cursor. */
function printer(print: (text: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    print(text.split('\n').map(oneLine).join('\n'));
  };
}

async function importLines(
  context: Context,
  file: string | undefined,
  of: string | undefined,
): Promise<void> {
  const { input } = context.terminal;
  if (file === undefined && input.isTerminal) throw nothingPiped();
  const isPiped = file === undefined || file === '-';
  const lines = isPiped ? input.read() : fileParts(composeEngines().disk, file);
  const done = await withMemory(context, {}, (client, { signal }) =>
    client.importMemory(lines, { of }, { signal }),
  );
  const known =
    done.known === 0 ? '' : ` ${done.known} ${done.known === 1 ? 'was' : 'were'} there already.`;
  context.print({ data: done, text: `Imported ${counted(done.imported, 'version')}.${known}` });
}

function nothingPiped(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'There is nothing to import',
    fix: 'aos memory import FILE, or pipe it in; "-" reads what you type until Ctrl-D',
  });
}
