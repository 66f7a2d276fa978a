/** What agents do among agents, as tools: messages, children, transfers. */
import * as z from 'zod';
import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { messageLimits, parseAddress, priorities } from '../kernel/message/message.ts';
import { transferStatuses } from '../kernel/transfer/transfer.ts';
import { longestRequestMs, usualRequestMs } from './limits.ts';
import { actionOnFile, type HomeFolder, tool } from './verb.ts';

// What else a message may have is checked by kernel/message/text.ts.
const to = z
  .string()
  .max(100)
  .refine(isAddress, 'No message can be sent there')
  .describe('A name, "*", "#channel", "Lead", "owner" or "__orchestrator__"');
const body = z.string().max(messageLimits.wholeBytes);
const thread = z.optional(z.string().max(200));
const priority = z.optional(
  z.int().min(priorities.highest).max(priorities.lowest).describe('0 comes first; 5 is usual'),
);
const metadata = z.record(z.string().max(200), z.unknown()).optional();

// Here already: what is no address could be no part of a capability either.
function isAddress(text: string): boolean {
  try {
    parseAddress(text);
    return true;
  } catch (failure) {
    if (failure instanceof AosError) return false;
    throw failure;
  }
}

function sendingTo(name: string): Action {
  return { resource: 'message', action: 'send', name };
}

// Streams and events come in many messages, and have their own interface.
const sentKinds = [
  ...(['message', 'request', 'response', 'ack', 'nack'] as const),
  ...(['status', 'continuity', 'spawn', 'release'] as const),
] as const;

export const messageTools = {
  send: tool({
    name: 'message.send',
    summary: 'Send a message to an agent, a channel, Lead or the owner',
    effect: 'changes',
    toolEffect: 'external',
    input: z.strictObject({
      to,
      body,
      kind: z.optional(z.enum(sentKinds)),
      thread,
      re: z.optional(z.string().max(100).describe('The message that this one answers')),
      priority,
      ttl_ms: z.optional(z.int().min(1)),
    }),
    permission: (args) => [sendingTo(args.to)],
  }),
  inbox: tool({
    name: 'message.inbox',
    summary: 'Read the messages that have come and were not read yet; each is handed out once',
    effect: 'changes',
    toolEffect: ({ take }) => (take ? 'write' : 'read'),
    input: z.strictObject({
      limit: z.int().min(1).max(100).default(20),
      take: z.boolean().default(true).describe('Whether they are read with that'),
    }),
    // The caller's own mailbox.
    permission: () => [],
  }),
  request: tool({
    name: 'message.request',
    summary: 'Ask an agent or the owner by a message and wait for the answer',
    effect: 'changes',
    toolEffect: 'external',
    input: z.strictObject({
      to,
      body,
      thread,
      priority,
      timeout_ms: z
        .int()
        .min(1)
        .max(longestRequestMs)
        .default(usualRequestMs)
        .describe('How long to wait for the answer; the call itself may end before'),
    }),
    permission: (args) => [sendingTo(args.to)],
  }),
};

export const agentTools = {
  spawn: tool({
    name: 'agent.spawn',
    summary: 'Make a child agent with a goal; its result comes to you as a message',
    effect: 'changes',
    input: z.strictObject({
      name: z.string().max(100).describe('Of the new agent; nobody else has it'),
      goal: z
        .string()
        .min(1)
        .max(64 * 1024)
        .describe('What it is to do'),
      instructions: z.optional(z.string().max(64 * 1024)).describe('What it is, and how it works'),
      model: z.optional(z.string().max(300)).describe('Yours where nothing is said'),
      tools: z
        .optional(z.array(z.string().max(100)).max(100))
        .describe('Names of tools, or areas as file.*; all where nothing is said'),
      grants: z
        .optional(z.array(z.string().max(2000)).max(100))
        .describe('Capabilities, each no wider than one of yours; none where nothing is said'),
      budget: z
        .optional(z.array(z.string().max(100)).max(5))
        .describe(
          'Taken out of yours, as tokens=50000, cost=0.10, wall=5m, tool_calls=20, children=0',
        ),
      max_output_tokens: z.optional(z.int().min(1).max(1_000_000)),
      priority: z.optional(z.int().min(0).max(9)),
    }),
    permission: ({ name }) => [{ resource: 'agent', action: 'spawn', name }],
  }),
  list: tool({
    name: 'agent.list',
    summary: 'List the agents that you have spawned, and how they are',
    effect: 'looks',
    input: z.strictObject({}),
    permission: () => [],
  }),
  terminate: tool({
    name: 'agent.terminate',
    summary: 'End an agent with all that it does and all that it has spawned',
    effect: 'destroys',
    input: z.strictObject({
      name: z.string().max(100),
      reason: z.optional(z.string().max(1000)),
    }),
    permission: ({ name }) => [{ resource: 'agent', action: 'release', name }],
  }),
};

const sendInput = z.strictObject({
  path: z.string().describe('The whole path of the file, from the root'),
  to: z.array(z.string().max(100)).min(1).max(100).describe('Names of agents, or "owner"'),
  name: z.string().max(300).optional().describe('The name under which it arrives'),
  metadata,
  expires_ms: z.int().min(1000).optional().describe('A week where nothing is said'),
});

const downloadInput = z.strictObject({
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('Of the transfer, as transfer.list tells it'),
  path: z.string().describe('Where it is to be: the whole path, from the root, with its new name'),
  force: z.boolean().default(false).describe('Replace what stands there'),
});

export const transferTools = {
  send: tool<z.output<typeof sendInput>, HomeFolder>({
    name: 'transfer.send',
    summary: 'Send a file to agents or to the owner, sealed for each of them',
    effect: 'changes',
    toolEffect: 'external',
    input: sendInput,
    permission: ({ path, to: recipients }, { home }) => [
      actionOnFile(home, path, 'read'),
      ...[...new Set(recipients)].map(
        (name) => ({ resource: 'transfer', action: 'send', name }) as const,
      ),
    ],
  }),
  list: tool({
    name: 'transfer.list',
    summary: 'List the files that were sent to you, or by you; the newest first',
    effect: 'looks',
    input: z.strictObject({
      box: z.enum(['received', 'sent']).default('received'),
      status: z
        .enum(transferStatuses)
        .optional()
        .describe('pending for what is not downloaded yet'),
      from: z.string().max(100).optional(),
      metadata: metadata.describe('What has to be in it'),
      limit: z.int().min(1).max(100).default(20),
    }),
    permission: () => [],
  }),
  download: tool<z.output<typeof downloadInput>, HomeFolder>({
    name: 'transfer.download',
    summary: 'Fetch a file or a folder that was sent to you; its sender is told',
    effect: 'changes',
    input: downloadInput,
    permission: ({ path }, { home }) => [actionOnFile(home, path, 'write')],
  }),
};
