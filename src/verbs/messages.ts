/** Messages and mailboxes. */
import * as z from 'zod';
import { messageKinds, messageLimits, priorities } from '../kernel/message/message.ts';
import { jsonBytes, longestRequestMs, longestWaitMs, mostItems, patientMs } from './limits.ts';
import { at, hashes, ids } from './sample.ts';
import { agentParams, count, get, idParams, post, time, type Verb, wholeNumber } from './verb.ts';

// What may stand in these, and how much, is said in better words by who checks them
// (kernel/message/text.ts). Here they are kept from being absurd.
export const word = z.string().max(300);

export const actedFor = word.describe('For the owner: the agent to act for');

const messageId = z.string().max(100);

const text = z.string().max(messageLimits.wholeBytes);

const kind = z.enum(messageKinds);

const state = z.enum(['accepted', 'delivered', 'read', 'acked', 'expired', 'dead']);

const chunk = z.strictObject({ index: count, end: z.boolean() });

export const outgoing = z
  .strictObject({
    to: word.describe('A name, "*", "#channel", "Lead", "owner" or "__orchestrator__"'),
    body: z.optional(text),
    kind: z.optional(kind),
    thread: z.optional(word),
    priority: z.optional(
      z.int().min(priorities.highest).max(priorities.lowest).describe('0 comes first; 5 is usual'),
    ),
    re: z.optional(messageId.describe('The message that this one answers')),
    ttl_ms: z.optional(z.int().min(1)),
    dedup_key: z.optional(word.describe('Of one sender’s messages with a key, one is sent')),
    attachments: z.optional(z.array(word).max(100).describe('The hash of each')),
    event_type: z.optional(word),
    chunk: z.optional(chunk),
    receipt: z.optional(z.literal('read')),
    headers: z.optional(z.record(z.string(), z.string())),
    checksum: z.optional(word.describe('The SHA-256 of the body, 64 hex digits')),
    from: z.optional(actedFor),
  })
  .meta({ id: 'OutgoingMessage' });

const item = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    recipient: z.string(),
    kind,
    state,
    priority: z.int(),
    thread: z.nullable(z.string()),
    re: z.nullable(z.string()),
    event_type: z.nullable(z.string()),
    chunk: z.nullable(z.object({ index: count, end: z.boolean() })),
    attachments: z.array(z.string()),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    body: z.string(),
    sent_at: time,
    expires_at: time,
    attempts: count,
  })
  .meta({ id: 'Message' });

const history = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    kind,
    status: z.enum(['pending', 'processing', 'completed', 'failed', 'archived']),
    error: z.nullable(z.string()),
    size_bytes: count,
    source_name: z.nullable(z.string()),
    thread: z.nullable(z.string()),
    re: z.nullable(z.string()),
    deliveries: z.array(
      z.object({
        recipient: z.string(),
        state,
        attempts: count,
        via: z.nullable(z.string()),
        error: z.nullable(z.string()),
      }),
    ),
    steps: z.array(z.object({ at: time, what: z.string() })),
  })
  .meta({ id: 'MessageHistory' });

const filter = {
  kind: z.optional(kind),
  re: z.optional(messageId.describe('Only answers to this message')),
  from: z.optional(word),
  event_type: z.optional(word),
};

const items = z.object({ items: z.array(item) });

const settled = z
  .object({
    id: z.string(),
    state,
    answer: z.string().describe('The message that told the sender'),
  })
  .meta({ id: 'SettledMessage' });

const questionExample = {
  id: ids.message,
  from: 'owner',
  to: 'jean',
  recipient: 'jean',
  kind: 'request',
  state: 'delivered',
  priority: 5,
  thread: 'report',
  re: null,
  event_type: null,
  chunk: null,
  attachments: [hashes.plain],
  headers: [{ name: 'X-Topic', value: 'sales' }],
  body: 'How many orders came in today?',
  sent_at: at('12:00:00'),
  expires_at: '2030-02-07T12:00:00.000Z',
  attempts: 1,
};

const inboxExample = { items: [questionExample] };

export const messageVerbs = {
  send: {
    ...post,
    path: '/api/v1/messages',
    timeoutMs: patientMs,
    summary: 'Send a message; answered once it cannot be lost. "Idempotency-Key" is its dedup_key',
    mayBeMissing: true,
    who: 'any',
    ownKey: true,
    input: outgoing,
    bodyBytes: jsonBytes,
    status: 202,
    output: z.object({
      id: z.string(),
      state: z.enum(['accepted', 'duplicate']),
      recipients: z.nullable(count).describe('null when it had been accepted before'),
    }),
    examples: {
      input: {
        to: 'jean',
        body: 'How many orders came in today?',
        kind: 'message',
        thread: 'report',
        priority: 5,
        ttl_ms: 3_600_000,
        attachments: [hashes.plain],
        headers: { 'X-Topic': 'sales' },
      },
      output: { id: ids.message, state: 'accepted', recipients: 1 },
    },
  },
  message: {
    ...get,
    path: '/api/v1/messages/{id}',
    summary: 'The whole path of a message, for the owner, its sender and its recipients',
    who: 'any',
    params: idParams,
    output: history,
    examples: {
      output: {
        id: ids.message,
        from: 'owner',
        to: 'jean',
        kind: 'message',
        status: 'completed',
        error: null,
        size_bytes: 30,
        source_name: null,
        thread: 'report',
        re: null,
        deliveries: [{ recipient: 'jean', state: 'acked', attempts: 1, via: 'inbox', error: null }],
        steps: [{ at: at('12:00:00'), what: 'accepted' }],
      },
    },
  },
  ack: {
    ...post,
    path: '/api/v1/messages/{id}/ack',
    summary: 'What the message asked for is done; its sender is told',
    who: 'any',
    params: idParams,
    input: z.strictObject({ as: z.optional(actedFor), body: z.optional(text) }),
    bodyBytes: jsonBytes,
    output: settled,
    examples: {
      input: { body: '42' },
      output: { id: ids.message, state: 'acked', answer: ids.reply },
    },
  },
  nack: {
    ...post,
    path: '/api/v1/messages/{id}/nack',
    summary: 'What the message asked for will not be done; its sender is told why',
    who: 'any',
    params: idParams,
    input: z.strictObject({ as: z.optional(actedFor), reason: text }),
    bodyBytes: jsonBytes,
    output: settled,
    examples: {
      input: { reason: 'I cannot see the orders' },
      output: { id: ids.message, state: 'dead', answer: ids.reply },
    },
  },
  request: {
    ...post,
    path: '/api/v1/requests',
    summary: 'Send a request and wait for the response',
    mayBeMissing: true,
    who: 'any',
    input: z.strictObject({
      to: outgoing.shape.to,
      body: text,
      timeout_ms: z.optional(z.int().min(1).max(longestRequestMs).describe('60000 when not said')),
      thread: outgoing.shape.thread,
      priority: outgoing.shape.priority,
      from: outgoing.shape.from,
    }),
    bodyBytes: jsonBytes,
    output: z.object({ id: z.string(), response: item }),
    examples: {
      input: { to: 'jean', body: 'How many orders came in today?', timeout_ms: 10_000 },
      output: {
        id: ids.message,
        response: {
          ...questionExample,
          id: ids.reply,
          from: 'jean',
          to: 'owner',
          recipient: 'owner',
          kind: 'response',
          re: ids.message,
          attachments: [],
          headers: [],
          body: '42',
        },
      },
    },
  },
  inbox: {
    ...get,
    path: '/api/v1/agents/{name}/inbox',
    timeoutMs: patientMs,
    summary: 'What somebody has not read yet; nothing is read by that. "owner" is a name here',
    who: 'any',
    params: agentParams,
    query: z.strictObject({
      limit: z.optional(wholeNumber.describe('At most 1000; 100 when not said')),
      wait_ms: z.optional(wholeNumber.describe('How long to wait for one; at most 30000')),
      ...filter,
    }),
    output: items,
    examples: { output: inboxExample },
  },
  takeInbox: {
    ...post,
    path: '/api/v1/agents/{name}/inbox/take',
    timeoutMs: patientMs,
    summary: 'Read messages: each is handed out once. Waits for one when there is none',
    who: 'any',
    params: agentParams,
    input: z.strictObject({
      limit: z.optional(z.int().min(1).max(mostItems)),
      wait_ms: z.optional(z.int().min(0).max(longestWaitMs)),
      ...filter,
    }),
    output: items,
    examples: { input: { limit: 10, wait_ms: 1000 }, output: inboxExample },
  },
  readInbox: {
    ...post,
    path: '/api/v1/agents/{name}/inbox/read',
    summary: 'Say that messages have been read',
    who: 'any',
    params: agentParams,
    input: z.strictObject({ ids: z.array(messageId).max(mostItems) }),
    output: z.object({ read: z.array(z.string()).describe('Those that were unread until now') }),
    examples: { input: { ids: [ids.message] }, output: { read: [ids.message] } },
  },
} as const satisfies Record<string, Verb>;
