import { hash } from 'node:crypto';
import * as z from 'zod';
import { checkMessage } from '../../kernel/message/check.ts';
import { priorities } from '../../kernel/message/message.ts';
import { partyOf } from '../../relay/envelope.ts';
import { send } from '../../relay/send.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import type { MessageToolDeps } from './deps.ts';
import * as argument from './message-arguments.ts';

// Streams and events come in many messages, and have their own interface.
const kinds = [
  ...(['message', 'request', 'response', 'ack', 'nack'] as const),
  ...(['status', 'continuity', 'spawn', 'release'] as const),
] as const;

const schema = z.strictObject({
  to: argument.to,
  body: argument.body,
  kind: z.optional(z.enum(kinds)),
  thread: argument.thread,
  re: z.optional(z.string().max(100).describe('The message that this one answers')),
  priority: argument.priority,
  ttl_ms: z.optional(z.int().min(1)),
});

/** `message.send` */
export function messageSend(deps: MessageToolDeps): Tool {
  return defineTool({
    name: 'message.send',
    summary: 'Send a message to an agent, a channel, Lead or the owner',
    schema,
    effect: 'external',
    repeatable: true,
    deeds: (args) => [argument.sendingTo(args.to)],
    run: (args, call) => sendOnce(deps, args, call),
  });
}

async function sendOnce(
  deps: MessageToolDeps,
  { ttl_ms: ttlMs, ...args }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  checkSize(call.permits[0], args.body, 'The message');
  const message = {
    ...args,
    kind: args.kind ?? 'message',
    priority: args.priority ?? priorities.usual,
    ttlMs,
    dedupKey: dedupKeyOf(call),
    attachments: [],
    headers: [],
  };
  checkMessage(message);
  // The door has asked, and counted it.
  const options = { signal: call.signal, isPermitted: true } as const;
  const accepted = await send(deps, partyOf(call.principal), message, options);
  return {
    id: accepted.id,
    state: accepted.kind,
    recipients: accepted.kind === 'accepted' ? accepted.recipients : null,
  };
}

/** Hashed, because a key may be any text, and equal to one that the sender uses elsewhere. */
function dedupKeyOf({ key }: ToolCall): string {
  return `tool-call:${hash('sha256', key)}`;
}
