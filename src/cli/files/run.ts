/** `aos files run`: the request of the file agent's interface in, its answer out. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import { printable, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { textOf } from '../core/input.ts';
import { type AsOption, answerTo, errorOfAnswer, filesVerb } from './call.ts';

interface RunOptions extends AsOption {
  readonly args: string;
}

export function defineFilesRun(group: Command, context: Context): void {
  const command = filesVerb(group, 'run', 'one request as JSON in, one answer as JSON out')
    .requiredOption('--args <json>', 'the request; "-" reads what is piped in')
    .addHelpText(
      'after',
      '\nPaths are taken as they stand: what does not begin with a slash is below the root. Nobody\nis asked anything: exit code 5 when the answer is "confirmation_required", and its\nconfirmation_token goes into options.\n\nExample:\n  aos files run --args \'{"action":"list_files","path":"~/Downloads"}\'',
    )
    .action((options: RunOptions) => {
      const json = command.optsWithGlobals()['json'] === true;
      return run(context, options, { json });
    });
}

async function run(
  context: Context,
  { args, ...options }: RunOptions,
  { json }: { readonly json: boolean },
): Promise<void> {
  const answer = await answerTo(context, options, await requestOf(context, args));
  const isSuccess = answer.status === 'success';
  if (isSuccess || !json) {
    context.print({ data: answer, text: printable(JSON.stringify(answer, undefined, 2)) });
  }
  if (answer.status === 'error') throw errorOfAnswer(answer);
  if (isSuccess) return;
  throw new AosError('files.confirmation-required', {
    message: `Nothing was done yet. ${answer.confirmation_prompt ?? ''}`.trim(),
    fix: nextStep(answer.approval_id),
    details: answer,
  });
}

function nextStep(approvalId: string | undefined): string {
  return approvalId === undefined
    ? 'The same request with the answer’s confirmation_token in options.confirmation_token'
    : `aos approvals approve ${approvalId}`;
}

// What the daemon takes at most.
const mostBytes = 4 * 1024 * 1024;

/** What is in it is checked where it is taken. */
async function requestOf({ terminal }: Context, args: string): Promise<FileRequest> {
  const limits = { what: 'What was piped in', mostBytes };
  const text = args === '-' ? await textOf(terminal.input.read(), limits) : args;
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says of a place in the text does not help in a message of one line.
    throw new AosError('usage.bad-value', {
      message: `The request is no JSON: ${quote(text.slice(0, 100))}`,
      fix: `aos files run --args '{"action":"list_files","path":"~"}'`,
    });
  }
}
