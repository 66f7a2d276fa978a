/** `aos op logs` and `aos op cancel`. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import {
  type Operation,
  type OpOptions,
  operationIdOf,
  operationText,
  opVerb,
  withOperations,
} from './verb.ts';

interface LogsOptions extends OpOptions {
  readonly follow?: true;
}

interface CancelOptions extends OpOptions {
  readonly reason?: string;
}

export function defineOpLogs(group: Command, context: Context): void {
  opVerb(group, 'logs', 'show what was done for an operation, a line for each step')
    .argument('<id>', 'of the operation')
    .option('-f, --follow', 'go on until it is over; with --json a line for everything')
    .addHelpText('after', '\nExamples:\n  aos op logs 0199c1f2\n  aos op logs 0199c1f2 -f')
    .action((id: string, options: LogsOptions) => logs(context, id, options));
  opVerb(group, 'cancel', 'end an operation that is not over')
    .argument('<id>', 'of the operation')
    .option('--reason <why>', 'told to whoever it concerns')
    .addHelpText('after', '\nExample:\n  aos op cancel 0199c1f2 --reason "no longer needed"')
    .action((id: string, options: CancelOptions) => cancel(context, id, options));
}

async function logs(context: Context, typed: string, options: LogsOptions): Promise<void> {
  const id = operationIdOf(typed);
  await withOperations(context, options, async ({ client }) => {
    if (options.follow === true) return streamLog(context, client, id);
    const lines = await allLines(client, id, context.signal);
    const text =
      lines.length === 0 ? 'Nothing was done for it yet.' : lines.map(oneLine).join('\n');
    context.print({ data: { logs: lines }, text });
  });
}

async function allLines(client: Client, id: string, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for (let after = 0; ; ) {
    const page = await client.operationLogs(id, { after }, { signal });
    lines.push(...page.logs);
    if (page.next === null) return lines;
    after = page.next;
  }
}

async function streamLog(context: Context, client: Client, id: string): Promise<void> {
  for await (const update of client.followOperation(id, { signal: context.signal })) {
    if (update.kind === 'log') context.stream({ data: update, text: oneLine(update.line) });
    else context.stream({ data: update, text: `${update.kind}: ${update.status}` });
  }
}

async function cancel(context: Context, typed: string, options: CancelOptions): Promise<void> {
  const id = operationIdOf(typed);
  const { signal } = context;
  const operation = await withOperations(context, options, ({ client }) =>
    client.cancelOperation(id, { reason: options.reason, signal }),
  );
  context.print({ data: operation, text: cancelledText(operation) });
}

function cancelledText(operation: Operation): string {
  if (operation.status === 'running') {
    return `Operation ${operation.id} is asked to end, and does so when its step is over.`;
  }
  return operationText(operation);
}
