/** A change that its owner has said yes to, with how far it is on a terminal. */
import type { Client } from '../../gateway/client/client.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import { textOfShown } from '../../kernel/text/quote.ts';
import { waitForEnd } from '../core/call-end.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { whileStoppable } from '../core/signals.ts';
import { answerTo } from './call.ts';

/** The request is the one that the token was given for. */
export function applyChange(
  context: Context,
  request: FileRequest,
  token: string,
): Promise<FileAnswer> {
  return whileStoppable(context, (stoppable) => apply(stoppable, request, token));
}

async function apply(context: Context, request: FileRequest, token: string): Promise<FileAnswer> {
  const options = { ...request.options, confirmation_token: token };
  const confirmed = { ...request, options };
  try {
    // Where no person looks on: one call, whose failures are answers too.
    if (context.terminal.errIsTerminal !== true) return await answerTo(context, {}, confirmed);
    return await withHome(context, { holder: 'aos files' }, (client) =>
      watched(client, context, confirmed),
    );
  } catch (failure) {
    if (context.signal.aborted) {
      context.terminal.err(
        'It stops with the file that it is at. How far it came: aos files plans\n',
      );
    }
    throw failure;
  }
}

async function watched(
  client: Client,
  { terminal, signal }: Context,
  { action, ...args }: FileRequest,
): Promise<FileAnswer> {
  using line = progressLine(terminal.err);
  for await (const { kind, ...event } of client.streamTool(
    `files.${action}`,
    { args },
    { signal },
  )) {
    if ('answer' in event) {
      const { answer } = event;
      const end =
        answer.state === 'answered' ? answer : await waitForEnd(client, answer.call_id, { signal });
      // The tools of these names answer nothing else.
      return end.output as FileAnswer;
    }
    if (!('bytes' in event)) line.show(textOfShown(event));
  }
  throw new Error('a call that is looked at ends with its answer');
}

interface ProgressLine extends Disposable {
  show(text: string): void;
}

const least = 100;

/** `1200 of 34000`, drawn anew, and gone at the end; nothing for what is soon done. */
function progressLine(write: (text: string) => void): ProgressLine {
  let isDrawn = false;
  return {
    show(text) {
      const [, done, total] = /(\d+) of (\d+)\n$/.exec(text) ?? [];
      if (done === undefined || total === undefined || Number(total) < least) return;
      isDrawn = true;
      write(`\r${done} of ${total}\u001b[K`);
    },
    [Symbol.dispose]() {
      if (isDrawn) write('\r\u001b[K');
    },
  };
}
