/** What a human has to approve. */
import * as z from 'zod';
import { at, hashes, ids } from './sample.ts';
import { before, next } from './tools.ts';
import { get, idParams, post, time, type Verb, wholeNumber } from './verb.ts';

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

const hash = z.string().max(100).describe('Of what was shown');

const askedExample = {
  id: ids.approval,
  call_id: ids.call,
  agent: 'jean',
  tool: 'http.request',
  reason: 'Every use of this grant is asked for',
  hash: hashes.plain,
  state: 'waiting',
  asked_at: at('12:00:00'),
  expires_at: '2030-02-01T12:00:00.000Z',
  answered_at: null,
  answered_by: null,
  answer: null,
  scope: null,
} as const;

const shownExample = 'POST https://api.shop.example/orders\n{"item":7}';

const answeredExample = {
  ...askedExample,
  shown: shownExample,
  answered_at: at('12:02:00'),
  answered_by: 'owner',
};

export const approvalVerbs = {
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
    output: z.object({ items: z.array(approvalSummary), next }),
    examples: { output: { items: [askedExample], next: null } },
  },
  approval: {
    ...get,
    path: '/api/v1/approvals/{id}',
    summary: 'One question to a human',
    who: 'any',
    params: idParams,
    output: approval,
    examples: { output: { ...askedExample, shown: shownExample } },
  },
  approve: {
    ...post,
    path: '/api/v1/approvals/{id}/approve',
    summary: 'Say yes, once or always; by a human only',
    who: 'any',
    params: idParams,
    input: z.strictObject({ hash, scope: z.enum(['once', 'always']) }),
    output: approval,
    examples: {
      input: { hash: hashes.plain, scope: 'once' },
      output: { ...answeredExample, state: 'approved', scope: 'once' },
    },
  },
  deny: {
    ...post,
    path: '/api/v1/approvals/{id}/deny',
    summary: 'Say no, and why; by a human only',
    who: 'any',
    params: idParams,
    input: z.strictObject({ hash, reason: z.string().min(1).max(2000) }),
    output: approval,
    examples: {
      input: { hash: hashes.plain, reason: 'Not before Monday' },
      output: { ...answeredExample, state: 'denied', answer: 'Not before Monday' },
    },
  },
} as const satisfies Record<string, Verb>;
