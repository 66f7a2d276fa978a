/** Whom messages reach: channels, Lead, subscriptions; and the attachments that they refer to. */
import * as z from 'zod';
import { patientMs } from './limits.ts';
import { actedFor, word } from './messages.ts';
import { hashes } from './sample.ts';
import { count, get, listLimit, listNext, post, type Verb } from './verb.ts';

const subscription = z
  .object({
    id: z.int(),
    agent: z.string(),
    event_type: z.string(),
    cursor: z.int(),
  })
  .meta({ id: 'Subscription' });

const channelParams = z.strictObject({ name: z.string().max(200).describe('Without the "#"') });

const membership = z.strictObject({ agent: z.optional(actedFor) });

const subscriptionExample = { id: 3, agent: 'jean', event_type: 'order.made', cursor: 120 };

export const groupVerbs = {
  channels: {
    ...get,
    path: '/api/v1/channels',
    summary: 'The channels and who has joined them; an agent sees those that it has joined',
    who: 'any',
    query: z.strictObject({
      after: z.optional(word.describe('Only channels behind this one')),
      limit: listLimit,
    }),
    output: z.object({
      items: z.array(
        z.object({ channel: z.string(), agents: z.array(z.string()) }).meta({ id: 'Channel' }),
      ),
      next: listNext,
    }),
    examples: { output: { items: [{ channel: 'news', agents: ['jean', 'samantha'] }] } },
  },
  joinChannel: {
    ...post,
    path: '/api/v1/channels/{name}/join',
    summary: 'Join a channel, which is there as long as somebody has joined it',
    who: 'any',
    params: channelParams,
    input: membership,
    output: z.object({ channel: z.string(), agent: z.string(), joined: z.boolean() }),
    examples: {
      input: { agent: 'jean' },
      output: { channel: 'news', agent: 'jean', joined: true },
    },
  },
  leaveChannel: {
    ...post,
    path: '/api/v1/channels/{name}/leave',
    summary: 'Leave a channel',
    who: 'any',
    params: channelParams,
    input: membership,
    output: z.object({ channel: z.string(), agent: z.string(), left: z.boolean() }),
    examples: { input: { agent: 'jean' }, output: { channel: 'news', agent: 'jean', left: true } },
  },
  lead: {
    ...get,
    path: '/api/v1/lead',
    summary: 'Whom messages to "Lead" reach',
    who: 'any',
    output: z.object({ name: z.nullable(z.string()) }),
    examples: { output: { name: 'jean' } },
  },
  setLead: {
    ...post,
    path: '/api/v1/lead',
    summary: 'Say whom messages to "Lead" reach; those that were held are sent on',
    mayBeMissing: true,
    who: 'owner',
    input: z.strictObject({ name: z.string() }),
    output: z.object({ name: z.string(), released: count }),
    examples: { input: { name: 'jean' }, output: { name: 'jean', released: 0 } },
  },
  subscriptions: {
    ...get,
    path: '/api/v1/subscriptions',
    summary: 'The kinds of events that an agent gets',
    mayBeMissing: true,
    who: 'any',
    query: z.strictObject({
      agent: z.optional(actedFor),
      after: z.optional(word.describe('Only types of events behind this one')),
      limit: listLimit,
    }),
    output: z.object({ items: z.array(subscription), next: listNext }),
    examples: { output: { items: [subscriptionExample] } },
  },
  subscribe: {
    ...post,
    path: '/api/v1/subscriptions',
    summary: 'Get the events of a type from now on, also after restarts',
    mayBeMissing: true,
    who: 'any',
    input: z.strictObject({ agent: z.optional(actedFor), event_type: word }),
    output: subscription,
    examples: { input: { agent: 'jean', event_type: 'order.made' }, output: subscriptionExample },
  },
  unsubscribe: {
    ...post,
    path: '/api/v1/subscriptions/remove',
    summary: 'Get the events of a type no more',
    mayBeMissing: true,
    who: 'any',
    input: z.strictObject({ agent: z.optional(actedFor), event_type: word }),
    output: z.object({ removed: z.boolean() }),
    examples: { input: { agent: 'jean', event_type: 'order.made' }, output: { removed: true } },
  },
  putAttachment: {
    ...post,
    path: '/api/v1/attachments',
    timeoutMs: patientMs,
    summary: 'Store bytes that a message may refer to: the body as application/octet-stream',
    who: 'any',
    streams: true,
    bodyBytes: 10 * 1024 ** 3,
    status: 201,
    output: z.object({ hash: z.string().describe('The SHA-256'), bytes: count }),
    examples: { output: { hash: hashes.plain, bytes: 4 } },
  },
  attachment: {
    ...get,
    path: '/api/v1/attachments/{hash}',
    summary: 'The bytes of an attachment; an agent gets those of its own messages',
    who: 'any',
    params: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
    output: z.string(),
    contentType: 'application/octet-stream',
    head: true,
  },
} as const satisfies Record<string, Verb>;
