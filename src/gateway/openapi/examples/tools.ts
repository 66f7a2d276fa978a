import { at, type Examples, hashes, ids } from './example.ts';

const summary = {
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

const call = {
  ...summary,
  arguments: { path: '/srv/reports/july.md' },
  trust: 'data',
  output: { text: '# July', bytes: 6 },
} as const;

const asked = {
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

const shown = 'POST https://api.shop.example/orders\n{"item":7}';
const answered = { ...asked, shown, answered_at: at('12:02:00'), answered_by: 'owner' };
const order = { args: { path: '/srv/reports/july.md' }, as: 'jean', timeout_ms: 10_000 };

export const toolExamples = {
  tools: {
    answer: {
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
  callTool: {
    body: order,
    answer: {
      call_id: ids.call,
      tool: 'file.read',
      state: 'answered',
      trust: 'data',
      output: call.output,
      bytes: 31,
      approval: null,
    },
  },
  streamTool: { body: order },
  calls: { answer: { items: [summary], next: null } },
  call: { answer: call },
  resolveCall: { body: { as: 'done' }, answer: call },
  approvals: { answer: { items: [asked], next: null } },
  approval: { answer: { ...asked, shown } },
  approve: {
    body: { hash: hashes.plain, scope: 'once' },
    answer: { ...answered, state: 'approved', scope: 'once' },
  },
  deny: {
    body: { hash: hashes.plain, reason: 'Not before Monday' },
    answer: { ...answered, state: 'denied', answer: 'Not before Monday' },
  },
} satisfies Examples;
