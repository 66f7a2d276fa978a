/** `aos op submit`. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { problemError } from '../../gateway/client/exchange.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, printable, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { textOf } from '../core/input.ts';
import { isJson } from '../transfer/verb.ts';
import { type Operation, type OpOptions, opVerb, withOperations } from './verb.ts';

interface SubmitOptions extends OpOptions {
  readonly agent?: string;
  readonly for?: string;
  readonly wait?: true;
}

export function defineOpSubmit(group: Command, context: Context): void {
  const command = opVerb(group, 'submit', 'submit a goal, for an agent that is made for it');
  command
    .argument('<goal>', 'what is to be done, in words; "-" reads what is piped in')
    .option('--agent <template>', 'the template to make the agent from')
    .option('--for <address>', 'for the owner: the outsider for whom it is, as 0x…')
    .option('--wait', 'follow it until it is over, and print what came of it')
    .addHelpText(
      'after',
      '\nPrints the id. With --wait only the result goes to stdout, Ctrl-C ends the waiting and not\nthe operation, and the exit code is 0 when it has succeeded, 5 when it was cancelled, else\nthat of the error.\n\nExamples:\n  aos op submit "Write the report" --wait\n  id=$(aos op submit "Write the report")\n  aos op submit "Write the report" --for 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    )
    .action((goal: string, options: SubmitOptions) =>
      submit(context, { goal, options, json: isJson(command) }),
    );
}

interface Submitting {
  readonly goal: string;
  readonly options: SubmitOptions;
  readonly json: boolean;
}

const mostBytes = 256 * 1024;

async function submit(context: Context, { goal, options, json }: Submitting): Promise<void> {
  const { terminal, signal } = context;
  const piped = { what: 'What was piped in', mostBytes };
  const text = goal === '-' ? await textOf(terminal.input.read(), piped) : goal;
  const { agent } = options;
  const grantee_address = options.for === undefined ? undefined : addressOf(options.for);
  await withOperations(context, options, async ({ client }) => {
    const order = { goal: text, agent, grantee_address };
    const submitted = await client.submitOperation(order, { signal });
    if (options.wait !== true) {
      context.print({ data: submitted, text: submitted.id });
      return;
    }
    if (!json) terminal.err(`operation ${submitted.id}\n`);
    const ended = await untilOver(context, client, { id: submitted.id, json });
    if (ended.status !== 'succeeded') throw failureOf(ended);
    context.print({ data: ended, text: printable(ended.result?.summary.trimEnd() ?? '') });
  });
}

/** Here and not by the daemon, whose words are about a body that the user has not typed. */
function addressOf(text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text;
  throw new AosError('usage.bad-value', {
    message: `--for wants an address, and got ${quote(text.slice(0, 100))}`,
    fix: 'Write 0x and 40 hex digits, as a wallet shows it',
  });
}

async function untilOver(
  { terminal, signal, stream }: Context,
  client: Client,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<Operation> {
  try {
    for await (const update of client.followOperation(id, { signal })) {
      if (json) stream({ data: update, text: '' });
      else if (update.kind === 'log') terminal.err(`${oneLine(update.line)}\n`);
    }
    return await client.operation(id, { signal });
  } catch (failure) {
    if (signal.aborted) {
      terminal.err(`\nThe operation goes on: aos op get ${id}\nTo end it: aos op cancel ${id}\n`);
    }
    throw failure;
  }
}

/** The error that ended it: its code stands in front of what the result says. */
export function failureOf(operation: Operation): AosError {
  const { id, status, result } = operation;
  const [, code, detail] = /^([a-z]+\.[a-z-]+): ([\s\S]*)$/.exec(result?.summary ?? '') ?? [];
  const fallback = status === 'cancelled' ? 'operation.cancelled' : 'gateway.strange-answer';
  return problemError(0, {
    code: code ?? fallback,
    detail: detail ?? `Operation ${id} is ${status}, and does not say why`,
    fix: `aos op logs ${id}`,
    details: { operation },
  });
}
