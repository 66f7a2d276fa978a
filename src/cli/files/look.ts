/** A request that only looks: made, and shown. */
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { type AsOption, runFiles } from './call.ts';
import { lookWords } from './look-words.ts';
import { pathsOf } from './path.ts';

export interface LookWanted {
  readonly request: FileRequest;
  /** For `--json`, beside the answer. */
  readonly also?: object;
  readonly json: boolean;
}

export async function look(
  context: Context,
  { request, also = {}, json }: LookWanted,
  options: AsOption,
): Promise<void> {
  const answer = await runFiles(context, options, request);
  const data = { ...answer, ...also };
  if (json) return context.print({ data, text: '' });
  const isRead = request.action === 'read_file';
  if (isRead && request.options?.dry_run === true) {
    return context.print({ data, text: oneLine(answer.action_performed) });
  }
  if (isRead) return printContent(context, answer);
  const { text, notes } = lookWords(answer, {
    show: await pathsOf(context),
    limit: request.options?.limit,
  });
  context.print({ data, text });
  for (const note of notes) context.terminal.err(`${note}\n`);
}

interface Read {
  readonly path: string;
  readonly type: string;
  readonly size: string;
  readonly content?: string;
  readonly content_base64?: string;
}

/** Into a pipe or a file as it is; a terminal gets nothing that could move its cursor. */
async function printContent({ terminal }: Context, answer: FileAnswer): Promise<void> {
  // What the file agent of this version answers to `read_file`.
  const { content, content_base64, type, size } = answer.result as Read;
  if (content_base64 !== undefined) return terminal.out(`${content_base64}\n`);
  if (content === undefined) throw noText({ type, size });
  if (terminal.rawOut !== undefined) return await terminal.rawOut(Buffer.from(content));
  terminal.out(`${printable(content.replace(/\n$/, ''))}\n`);
}

function noText({ type, size }: Pick<Read, 'type' | 'size'>): AosError {
  return new AosError('files.not-text', {
    message: oneLine(`That is no text, but: ${type}, ${size}`),
    fix: 'aos files info PATH tells about it; aos files read PATH --base64 gives its bytes',
  });
}
