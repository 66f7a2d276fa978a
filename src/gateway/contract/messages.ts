/** The part of the contract that is about messages. */
import * as z from 'zod';
import { messageKinds, messageLimits, priorities } from '../../kernel/message/message.ts';
import { jsonBytes, longestRequestMs, longestWaitMs, mostItems } from './message-limits.ts';
import {
  agentParams,
  count,
  get,
  listLimit,
  listNext,
  post,
  type Route,
  time,
  wholeNumber,
} from './route.ts';

// What may stand in these, and how much, is said in better words by who checks them
// (kernel/message/check.ts). Here they are kept from being absurd.
const word = z.string().max(300);
const party = word.describe('For the owner: the agent to act for');
const messageId = z.string().max(100);
const text = z.string().max(messageLimits.wholeBytes);
const kind = z.enum(messageKinds);
const state = z.enum(['accepted', 'delivered', 'read', 'acked', 'expired', 'dead']);
const chunk = z.strictObject({ index: count, end: z.boolean() });
const idParams = z.strictObject({
  id: z.string().max(100).describe('The id, or at least four digits with which only it begins'),
});

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
    from: z.optional(party),
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

const subscription = z
  .object({
    id: z.int(),
    agent: z.string(),
    event_type: z.string(),
    cursor: z.int(),
  })
  .meta({ id: 'Subscription' });

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
const channelParams = z.strictObject({ name: z.string().max(200).describe('Without the "#"') });
const membership = z.strictObject({ agent: z.optional(party) });

export const messageRoutes = {
  send: {
    ...post,
    path: '/api/v1/messages',
    summary: 'Send a message; answered once it cannot be lost. "Idempotency-Key" is its dedup_key',
    who: 'any',
    ownKey: true,
    body: outgoing,
    bodyBytes: jsonBytes,
    status: 202,
    answer: z.object({
      id: z.string(),
      state: z.enum(['accepted', 'duplicate']),
      recipients: z.nullable(count).describe('null when it had been accepted before'),
    }),
  },
  message: {
    ...get,
    path: '/api/v1/messages/{id}',
    summary: 'The whole path of a message, for the owner, its sender and its recipients',
    who: 'any',
    params: idParams,
    answer: history,
  },
  ack: {
    ...post,
    path: '/api/v1/messages/{id}/ack',
    summary: 'What the message asked for is done; its sender is told',
    who: 'any',
    params: idParams,
    body: z.strictObject({ as: z.optional(party), body: z.optional(text) }),
    bodyBytes: jsonBytes,
    answer: settled,
  },
  nack: {
    ...post,
    path: '/api/v1/messages/{id}/nack',
    summary: 'What the message asked for will not be done; its sender is told why',
    who: 'any',
    params: idParams,
    body: z.strictObject({ as: z.optional(party), reason: text }),
    bodyBytes: jsonBytes,
    answer: settled,
  },
  request: {
    ...post,
    path: '/api/v1/requests',
    summary: 'Send a request and wait for the response',
    who: 'any',
    body: z.strictObject({
      to: outgoing.shape.to,
      body: text,
      timeout_ms: z.optional(z.int().min(1).max(longestRequestMs).describe('60000 when not said')),
      thread: outgoing.shape.thread,
      priority: outgoing.shape.priority,
      from: outgoing.shape.from,
    }),
    bodyBytes: jsonBytes,
    answer: z.object({ id: z.string(), response: item }),
  },
  inbox: {
    ...get,
    path: '/api/v1/agents/{name}/inbox',
    summary: 'What somebody has not read yet; nothing is read by that. "owner" is a name here',
    who: 'any',
    params: agentParams,
    query: z.strictObject({
      limit: z.optional(wholeNumber.describe('At most 1000; 100 when not said')),
      wait_ms: z.optional(wholeNumber.describe('How long to wait for one; at most 30000')),
      ...filter,
    }),
    answer: items,
  },
  takeInbox: {
    ...post,
    path: '/api/v1/agents/{name}/inbox/take',
    summary: 'Read messages: each is handed out once. Waits for one when there is none',
    who: 'any',
    params: agentParams,
    body: z.strictObject({
      limit: z.optional(z.int().min(1).max(mostItems)),
      wait_ms: z.optional(z.int().min(0).max(longestWaitMs)),
      ...filter,
    }),
    answer: items,
  },
  readInbox: {
    ...post,
    path: '/api/v1/agents/{name}/inbox/read',
    summary: 'Say that messages have been read',
    who: 'any',
    params: agentParams,
    body: z.strictObject({ ids: z.array(messageId).max(mostItems) }),
    answer: z.object({ read: z.array(z.string()).describe('Those that were unread until now') }),
  },
  channels: {
    ...get,
    path: '/api/v1/channels',
    summary: 'The channels and who has joined them; an agent sees those that it has joined',
    who: 'any',
    query: z.strictObject({
      after: z.optional(word.describe('Only channels behind this one')),
      limit: listLimit,
    }),
    answer: z.object({
      items: z.array(
        z.object({ channel: z.string(), agents: z.array(z.string()) }).meta({ id: 'Channel' }),
      ),
      next: listNext,
    }),
  },
  joinChannel: {
    ...post,
    path: '/api/v1/channels/{name}/join',
    summary: 'Join a channel, which is there as long as somebody has joined it',
    who: 'any',
    params: channelParams,
    body: membership,
    answer: z.object({ channel: z.string(), agent: z.string(), joined: z.boolean() }),
  },
  leaveChannel: {
    ...post,
    path: '/api/v1/channels/{name}/leave',
    summary: 'Leave a channel',
    who: 'any',
    params: channelParams,
    body: membership,
    answer: z.object({ channel: z.string(), agent: z.string(), left: z.boolean() }),
  },
  lead: {
    ...get,
    path: '/api/v1/lead',
    summary: 'Whom messages to "Lead" reach',
    who: 'any',
    answer: z.object({ name: z.nullable(z.string()) }),
  },
  setLead: {
    ...post,
    path: '/api/v1/lead',
    summary: 'Say whom messages to "Lead" reach; those that were held are sent on',
    who: 'owner',
    body: z.strictObject({ name: z.string() }),
    answer: z.object({ name: z.string(), released: count }),
  },
  subscriptions: {
    ...get,
    path: '/api/v1/subscriptions',
    summary: 'The kinds of events that an agent gets',
    who: 'any',
    query: z.strictObject({
      agent: z.optional(party),
      after: z.optional(word.describe('Only types of events behind this one')),
      limit: listLimit,
    }),
    answer: z.object({ items: z.array(subscription), next: listNext }),
  },
  subscribe: {
    ...post,
    path: '/api/v1/subscriptions',
    summary: 'Get the events of a type from now on, also after restarts',
    who: 'any',
    body: z.strictObject({ agent: z.optional(party), event_type: word }),
    answer: subscription,
  },
  unsubscribe: {
    ...post,
    path: '/api/v1/subscriptions/remove',
    summary: 'Get the events of a type no more',
    who: 'any',
    body: z.strictObject({ agent: z.optional(party), event_type: word }),
    answer: z.object({ removed: z.boolean() }),
  },
  putAttachment: {
    ...post,
    path: '/api/v1/attachments',
    summary: 'Store bytes that a message may refer to: the body as application/octet-stream',
    who: 'any',
    streams: true,
    bodyBytes: 10 * 1024 ** 3,
    status: 201,
    answer: z.object({ hash: z.string().describe('The SHA-256'), bytes: count }),
  },
  attachment: {
    ...get,
    path: '/api/v1/attachments/{hash}',
    summary: 'The bytes of an attachment; an agent gets those of its own messages',
    who: 'any',
    params: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
    answer: z.string(),
    contentType: 'application/octet-stream',
    head: true,
  },
} as const satisfies Record<string, Route>;
