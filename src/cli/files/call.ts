/** How the commands about files reach the file agent, and what they make of its answers. */
import type { Command } from 'commander';
import { AosError, type ErrorCode, errorCodes } from '../../kernel/errors.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import type { Understanding } from '../../kernel/files/understanding.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { actingAs, agentDoor, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { whileStoppable } from '../core/signals.ts';

export interface AsOption {
  readonly as?: string | undefined;
}

const holder = 'aos files';

export function filesVerb(group: Command, name: string, description: string): Command {
  const command = group
    .command(name)
    .description(description)
    .option('--as <agent>', 'as this agent (AOS_AGENT, else owner)')
    .allowExcessArguments();
  return command.hook('preAction', () => refuseSentence(command));
}

/** More words than it takes are a sentence, most likely. */
function refuseSentence(command: Command): void {
  const { args, registeredArguments } = command;
  const takes = registeredArguments.length;
  if (args.length <= takes || registeredArguments.at(-1)?.variadic === true) return;
  const typed = oneLine([command.name(), ...args].join(' '));
  throw new AosError('usage.extra-argument', {
    message: `"aos files ${command.name()}" was given more than it takes`,
    fix: `In quotes it is a sentence: aos files ${quote(typed)}`,
  });
}

/** Whether it is the owner who asks, who answers questions here; for agents a human is asked. */
export function isOwner(context: Context, { as }: AsOption): boolean {
  const who = actingAs(context, as);
  return agentDoor(context) === undefined && (who === undefined || who === 'owner');
}

/** One request, one answer; throws where the answer is that it cannot be. */
export async function runFiles(
  context: Context,
  { as }: AsOption,
  request: FileRequest,
): Promise<FileAnswer> {
  return successOf(await answerTo(context, { as }, request));
}

/** The same, with the answer that it cannot be. */
export function answerTo(
  context: Context,
  { as }: AsOption,
  request: FileRequest,
): Promise<FileAnswer> {
  const who = actingAs(context, as);
  return whileStoppable(context, (stoppable) =>
    withHome(stoppable, { holder }, (client) =>
      client.runFiles(request, { as: who, signal: stoppable.signal }),
    ),
  );
}

export type MoreTool =
  | 'undo_plan'
  | 'list_plans'
  | 'list_trash'
  | 'restore_file'
  | 'index_folder'
  | 'drop_index'
  | 'list_indexes';

/** What came later than the ten actions. */
export async function callFilesTool(
  context: Context,
  { as }: AsOption,
  { tool, args = {} }: { readonly tool: MoreTool; readonly args?: object },
): Promise<FileAnswer> {
  // The tools of these names answer nothing else.
  return successOf((await call(context, { as, tool, args })) as FileAnswer);
}

export type UnderstoodSentence = Understanding & { readonly by: 'rules' | 'model' };

export async function understand(
  context: Context,
  { as }: AsOption,
  asked: { readonly sentence: string; readonly here: string },
): Promise<UnderstoodSentence> {
  // The tool of that name answers nothing else.
  return (await call(context, { as, tool: 'understand', args: asked })) as UnderstoodSentence;
}

interface FilesCall extends AsOption {
  readonly tool: MoreTool | 'understand';
  readonly args: object;
}

async function call(context: Context, { as, tool, args }: FilesCall): Promise<unknown> {
  const who = actingAs(context, as);
  const { output } = await whileStoppable(context, (stoppable) =>
    withHome(stoppable, { holder }, (client) =>
      client.callTool(`files.${tool}`, { args, as: who }, { signal: stoppable.signal }),
    ),
  );
  return output;
}

function successOf(answer: FileAnswer): FileAnswer {
  if (answer.status === 'error') throw errorOfAnswer(answer);
  return answer;
}

/** `NOT_FOUND` of an answer is `files.not-found` of the table. */
export function errorOfAnswer(answer: FileAnswer): AosError {
  const { code = 'FAILED', message = answer.action_performed, fix } = answer.error ?? {};
  return new AosError(codeOf(code), { message, fix, details: answer });
}

function codeOf(wire: string): ErrorCode {
  const code = `files.${wire.toLowerCase().replaceAll('_', '-')}`;
  return isCode(code) ? code : 'files.failed';
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
