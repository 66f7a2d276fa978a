import * as z from 'zod';
import { priorities } from '../../kernel/message/message.ts';
import { partyOf } from '../../relay/envelope.ts';
import { request } from '../../relay/send.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import type { MessageToolDeps } from './deps.ts';
import { cutToFit, mailOf, roomIn } from './mail.ts';
import * as argument from './message-arguments.ts';

const longestMs = 600_000;

const schema = z.strictObject({
  to: argument.to,
  body: argument.body,
  thread: argument.thread,
  priority: argument.priority,
  timeout_ms: z
    .int()
    .min(1)
    .max(longestMs)
    .default(60_000)
    .describe('How long to wait for the answer; the call itself may end before'),
});

/** `message.request` */
export function messageRequest(deps: MessageToolDeps): Tool {
  return defineTool({
    name: 'message.request',
    summary: 'Ask somebody by a message and wait for the answer',
    schema,
    effect: 'external',
    deeds: (args) => [argument.sendingTo(args.to)],
    run: (args, call) => ask(deps, args, call),
  });
}

async function ask(
  deps: MessageToolDeps,
  { timeout_ms: timeoutMs, ...args }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  checkSize(call.permits[0], args.body, 'The message');
  const message = {
    ...args,
    kind: 'request',
    priority: args.priority ?? priorities.usual,
    attachments: [],
    headers: [],
  } as const;
  // The door has asked, and counted it.
  const patience = { timeoutMs, signal: call.signal, isPermitted: true } as const;
  const { id, response } = await request(deps, partyOf(call.principal), message, patience);
  return { id, response: cutToFit(mailOf(response), roomIn(call.outputBytes)) };
}
