/** The part of the contract that is about tools, calls and approvals. */
import * as z from 'zod';
import { idParams } from './grants.ts';
import { count, errorReport, get, post, type Route, time, wholeNumber } from './route.ts';

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

const approvalSummary = z
  .object({
    id: z.string(),
    call_id: z.string(),
    agent: z.string(),
    tool: z.string(),
    reason: z.string(),
    hash: z.string().describe('The SHA-256 of what is shown; an answer has to name it'),
    state: z.enum(['waiting', 'approved', 'denied', 'expired']),
    asked_at: time,
    expires_at: time,
    answered_at: z.nullable(time),
    answered_by: z.nullable(z.string()),
    answer: z.nullable(z.string()),
    scope: z.nullable(z.enum(['once', 'always'])),
  })
  .meta({ id: 'ApprovalSummary' });

const approval = approvalSummary
  .extend({
    shown: z.string().describe('What is approved, whole'),
  })
  .meta({ id: 'Approval' });

const before = z.optional(z.string().max(100).describe('Only what was asked before this one'));
const next = z.nullable(z.string()).describe('For "before"; null at the end');
const hash = z.string().max(100).describe('Of what was shown');

// Room for a file of a MiB with its quotes escaped.
const callBytes = 4 * 1024 * 1024;

const oneCall = {
  ...post,
  who: 'any',
  ownKey: true,
  params: z.strictObject({ name }),
  body: z.strictObject({
    args: z.unknown(),
    as: z.optional(name.describe('For the owner: the agent to act for')),
    timeout_ms: z.optional(z.int().min(1).max(3_600_000)),
  }),
  bodyBytes: callBytes,
} as const;

export const toolRoutes = {
  tools: {
    ...get,
    path: '/api/v1/tools',
    summary: 'The tools that there are, and what they take',
    who: 'any',
    answer: z.object({
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
  },
  callTool: {
    ...oneCall,
    path: '/api/v1/tools/{name}/call',
    summary:
      'Call a tool and wait for its end; "waiting" when a human has to approve. "Idempotency-Key" makes a repeated call one',
    answer: z.object({
      call_id: z.string(),
      tool: z.string(),
      state: z.enum(['answered', 'waiting', 'started']),
      trust: z.literal('data'),
      output: z.optional(z.unknown()),
      bytes: z.nullable(count),
      approval: z.nullable(z.string()),
    }),
  },
  streamTool: {
    ...oneCall,
    path: '/api/v1/tools/{name}/stream',
    summary:
      'Call a tool and see what it shows: server-sent events "output" ("stream" and "text", or "base64" for what is no UTF-8), "dropped" ("bytes" that came too fast for this reader), and one last "answer" or "problem", as a call has it. What is refused before it starts is an ordinary problem',
    answer: z.string(),
    contentType: 'text/event-stream',
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
    answer: z.object({ items: z.array(callSummary), next }),
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
    answer: call,
  },
  resolveCall: {
    ...post,
    path: '/api/v1/calls/{id}/resolve',
    summary: 'Say what became of a call that nobody is sure of',
    who: 'owner',
    params: idParams,
    body: z.strictObject({ as: z.enum(['done', 'redo', 'fail']) }),
    answer: call,
  },
  approvals: {
    ...get,
    path: '/api/v1/approvals',
    summary: 'What waits for a human, the newest first; an agent sees what it asked for',
    who: 'any',
    query: z.strictObject({
      all: z.optional(z.enum(['true', 'false']).describe('Those that were answered too')),
      before,
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    answer: z.object({ items: z.array(approvalSummary), next }),
  },
  approval: {
    ...get,
    path: '/api/v1/approvals/{id}',
    summary: 'One question to a human',
    who: 'any',
    params: idParams,
    answer: approval,
  },
  approve: {
    ...post,
    path: '/api/v1/approvals/{id}/approve',
    summary: 'Say yes, once or always; by a human only',
    who: 'any',
    params: idParams,
    body: z.strictObject({ hash, scope: z.enum(['once', 'always']) }),
    answer: approval,
  },
  deny: {
    ...post,
    path: '/api/v1/approvals/{id}/deny',
    summary: 'Say no, and why; by a human only',
    who: 'any',
    params: idParams,
    body: z.strictObject({ hash, reason: z.string().min(1).max(2000) }),
    answer: approval,
  },
} as const satisfies Record<string, Route>;
