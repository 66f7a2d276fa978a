/** Tools, calls of them, and what a human has to approve. */
import * as z from 'zod';
import { at, ids } from './sample.ts';
import {
  count,
  errorReport,
  get,
  idParams,
  longestCallMs,
  post,
  time,
  tool,
  type Verb,
  wholeNumber,
} from './verb.ts';

const name = z.string().max(200);

const effect = z.enum(['read', 'write', 'external']);

const callState = z.enum(['waiting', 'started', 'answered', 'failed', 'denied', 'unsure']);

/** What a list tells: neither arguments nor results, which may be long. */
const callSummary = z
  .object({
    call_id: z.string(),
    agent: z.string(),
    tool: z.string(),
    effect,
    state: callState,
    idempotency_key: z.string(),
    asked_at: time,
    started_at: z.nullable(time),
    ended_at: z.nullable(time),
    runs: count,
    approval: z.nullable(z.string()).describe('The approval that it waits or waited for'),
    bytes: z.nullable(count).describe('Of the result'),
    error: z.nullable(errorReport),
  })
  .meta({ id: 'ToolCallSummary' });

const call = callSummary
  .extend({
    arguments: z.unknown().describe('null for a call that was denied'),
    trust: z.literal('data').describe('What a tool brings is data, whatever it says'),
    output: z.optional(z.unknown()),
  })
  .meta({ id: 'ToolCall' });

export const before = z.optional(
  z.string().max(100).describe('Only what was asked before this one'),
);

export const next = z.nullable(z.string()).describe('For "before"; null at the end');

// Room for a file of a MiB with its quotes escaped.
const callBytes = 4 * 1024 * 1024;

const oneCall = {
  ...post,
  timeoutMs: longestCallMs,
  who: 'any',
  ownKey: true,
  params: z.strictObject({ name }),
  input: z.strictObject({
    args: z.unknown(),
    as: z.optional(name.describe('For the owner: the agent to act for')),
    timeout_ms: z.optional(z.int().min(1).max(3_600_000)),
  }),
  bodyBytes: callBytes,
} as const;

const summaryExample = {
  call_id: ids.call,
  agent: 'jean',
  tool: 'file.read',
  effect: 'read',
  state: 'answered',
  idempotency_key: 'july-report',
  asked_at: at('12:00:00'),
  started_at: at('12:00:00'),
  ended_at: at('12:00:01'),
  runs: 1,
  approval: null,
  bytes: 31,
  error: null,
} as const;

const callExample = {
  ...summaryExample,
  arguments: { path: '/srv/reports/july.md' },
  trust: 'data',
  output: { text: '# July', bytes: 6 },
} as const;

const orderExample = { args: { path: '/srv/reports/july.md' }, as: 'jean', timeout_ms: 10_000 };

export const toolListVerb = tool({
  name: 'tool.list',
  summary: 'The tools that can be called, and what each takes',
  effect: 'looks',
  input: z.strictObject({
    name: z.optional(z.string().max(100).describe('Only the tool of that name')),
  }),
  // What a tool may do is asked when it is called; that it is there is no secret.
  permission: () => [],
});

export const toolVerbs = {
  tools: {
    ...get,
    path: '/api/v1/tools',
    summary: 'The tools that there are, and what they take',
    who: 'any',
    output: z.object({
      items: z.array(
        z
          .object({
            name: z.string(),
            summary: z.string(),
            input_schema: z.record(z.string(), z.unknown()),
          })
          .meta({ id: 'Tool' }),
      ),
    }),
    examples: {
      output: {
        items: [
          {
            name: 'file.read',
            summary: 'Read a file',
            input_schema: {
              type: 'object',
              properties: { path: { type: 'string' } },
              required: ['path'],
              additionalProperties: false,
            },
          },
        ],
      },
    },
  },
  callTool: {
    ...oneCall,
    path: '/api/v1/tools/{name}/call',
    summary:
      'Call a tool and wait for its end; "waiting" when a human has to approve. "Idempotency-Key" makes a repeated call one',
    output: z.object({
      call_id: z.string(),
      tool: z.string(),
      state: z.enum(['answered', 'waiting', 'started']),
      trust: z.literal('data'),
      output: z.optional(z.unknown()),
      bytes: z.nullable(count),
      approval: z.nullable(z.string()),
    }),
    examples: {
      input: orderExample,
      output: {
        call_id: ids.call,
        tool: 'file.read',
        state: 'answered',
        trust: 'data',
        output: callExample.output,
        bytes: 31,
        approval: null,
      },
    },
  },
  streamTool: {
    ...oneCall,
    path: '/api/v1/tools/{name}/stream',
    summary:
      'Call a tool and see what it shows: server-sent events "output" ("stream" and "text", or "base64" for what is no UTF-8), "dropped" ("bytes" that came too fast for this reader), and one last "answer" or "problem", as a call has it. What is refused before it starts is an ordinary problem',
    output: z.string(),
    contentType: 'text/event-stream',
    examples: { input: orderExample },
  },
  calls: {
    ...get,
    path: '/api/v1/calls',
    summary: 'Calls of tools, the newest first; an agent sees its own',
    who: 'any',
    query: z.strictObject({
      agent: z.optional(name),
      state: z.optional(callState),
      before,
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    output: z.object({ items: z.array(callSummary), next }),
    examples: { output: { items: [summaryExample], next: null } },
  },
  call: {
    ...get,
    path: '/api/v1/calls/{id}',
    summary: 'One call, and what came of it',
    who: 'any',
    params: idParams,
    query: z.strictObject({
      wait_ms: z.optional(wholeNumber.describe('How long to wait for its end; at most 30000')),
    }),
    output: call,
    examples: { output: callExample },
  },
  resolveCall: {
    ...post,
    path: '/api/v1/calls/{id}/resolve',
    summary: 'Say what became of a call that nobody is sure of',
    who: 'owner',
    params: idParams,
    input: z.strictObject({ as: z.enum(['done', 'redo', 'fail']) }),
    output: call,
    examples: { input: { as: 'done' }, output: callExample },
  },
} as const satisfies Record<string, Verb>;
