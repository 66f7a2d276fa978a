import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/table.ts';
import { defineCall } from './call.ts';
import { defineCalls } from './journal.ts';
import { argumentsText } from './schema.ts';

export function defineTool(command: Command, context: Context): void {
  command
    .command('ls')
    .description('list the tools, or tell what one takes')
    .argument('[name]', 'a tool, such as http.fetch')
    .addHelpText('after', '\nExamples:\n  aos tool ls\n  aos tool ls file.read')
    .action((name: string | undefined) => list(context, name));
  defineCall(command.command('call'), context);
  defineCalls(command.command('calls'), context);
}

type WireTool = Answer<'tools'>['items'][number];

async function list(context: Context, wanted: string | undefined): Promise<void> {
  const tools = await withHome(context, { holder: 'aos tool ls' }, (client) =>
    client.tools({ signal: context.signal }),
  );
  if (wanted === undefined) {
    const rows = tools.items.map(({ name, summary }) => [oneLine(name), oneLine(summary)]);
    context.print({ data: tools, text: table(rows) });
    return;
  }
  const tool = tools.items.find(({ name }) => name === wanted);
  if (tool === undefined) throw unknownTool(wanted, tools.items);
  const { name, summary, input_schema } = tool;
  const text = `${oneLine(name)}: ${oneLine(summary)}\n${argumentsText(input_schema)}`;
  context.print({ data: tool, text });
}

function unknownTool(typed: string, items: readonly WireTool[]): AosError {
  const names = items.map(({ name }) => name);
  return new AosError('tool.unknown', {
    message: `There is no tool ${quote(typed.slice(0, 100))}.${didYouMean(typed, names)}`,
    fix: 'aos tool ls',
  });
}
