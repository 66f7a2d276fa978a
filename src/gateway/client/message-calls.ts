/** The part of the client that is about messages. */

import { usualRequestMs } from '../../verbs/limits.ts';
import type { Answer, Body, WireItem } from '../contract/contract.ts';
import { allPages } from './all-pages.ts';
import type { CallOptions } from './transport.ts';

export interface MessageCalls {
  send(message: Body<'send'>, options?: CallOptions): Promise<Answer<'send'>>;
  /** By its id, or by at least four digits with which only it begins. */
  message(id: string, options?: CallOptions): Promise<Answer<'message'>>;
  ack(id: string, settlement: Body<'ack'>, options?: CallOptions): Promise<Answer<'ack'>>;
  nack(id: string, settlement: Body<'nack'>, options?: CallOptions): Promise<Answer<'nack'>>;
  request(request: Body<'request'>, options?: CallOptions): Promise<Answer<'request'>>;
  /** What is unread; nothing is read by that. */
  inbox(name: string, query: InboxQuery, options?: CallOptions): Promise<readonly WireItem[]>;
  /** Each is handed out once. */
  takeInbox(
    name: string,
    query: Body<'takeInbox'>,
    options?: CallOptions,
  ): Promise<readonly WireItem[]>;
  readInbox(
    name: string,
    ids: readonly string[],
    options?: CallOptions,
  ): Promise<Answer<'readInbox'>>;
  channels(options?: CallOptions): Promise<Answer<'channels'>>;
  /** The channel with its `#`. */
  joinChannel(
    channel: string,
    agent: string | undefined,
    options?: CallOptions,
  ): Promise<Answer<'joinChannel'>>;
  leaveChannel(
    channel: string,
    agent: string | undefined,
    options?: CallOptions,
  ): Promise<Answer<'leaveChannel'>>;
  lead(options?: CallOptions): Promise<Answer<'lead'>>;
  setLead(name: string, options?: CallOptions): Promise<Answer<'setLead'>>;
  subscriptions(agent: string | undefined, options?: CallOptions): Promise<Answer<'subscriptions'>>;
  subscribe(request: Body<'subscribe'>, options?: CallOptions): Promise<Answer<'subscribe'>>;
  unsubscribe(request: Body<'unsubscribe'>, options?: CallOptions): Promise<Answer<'unsubscribe'>>;
  putAttachment(
    bytes: AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<Answer<'putAttachment'>>;
}

export interface InboxQuery {
  readonly limit?: number | undefined;
  readonly wait_ms?: number | undefined;
  readonly kind?: WireItem['kind'] | undefined;
  readonly re?: string | undefined;
  readonly from?: string | undefined;
  readonly event_type?: string | undefined;
}

/** How calls are made. */
export interface Caller {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
  upload<T>(path: string, bytes: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<T>;
}

// The sender may be slowed for so long before it is answered, and a request for longer
// than it has: whoever waits hears from the daemon what became of it.
const slackMs = 40_000;

export function messageCalls({ get, post, upload }: Caller): MessageCalls {
  const messages = '/api/v1/messages';
  const patient = (waitMs: number, options?: CallOptions): CallOptions => ({
    timeoutMs: waitMs + slackMs,
    ...options,
  });
  return {
    send: (message, options) => post(messages, message, patient(0, options)),
    message: (id, options) => get(`${messages}/${part(id)}`, {}, options),
    ack: (id, settlement, options) => post(`${messages}/${part(id)}/ack`, settlement, options),
    nack: (id, settlement, options) => post(`${messages}/${part(id)}/nack`, settlement, options),
    request: (request, options) =>
      post('/api/v1/requests', request, patient(request.timeout_ms ?? usualRequestMs, options)),
    inbox: async (name, query, options) => {
      const answer: Answer<'inbox'> = await get(
        inboxOf(name),
        query,
        patient(query.wait_ms ?? 0, options),
      );
      return answer.items;
    },
    takeInbox: async (name, query, options) => {
      const waiting = patient(query.wait_ms ?? 0, options);
      const answer: Answer<'takeInbox'> = await post(`${inboxOf(name)}/take`, query, waiting);
      return answer.items;
    },
    readInbox: (name, ids, options) => post(`${inboxOf(name)}/read`, { ids }, options),
    ...groupCalls({ get, post, upload }),
    putAttachment: (bytes, options) => upload('/api/v1/attachments', bytes, patient(0, options)),
  };
}

function groupCalls({ get, post }: Caller): Pick<MessageCalls, GroupCall> {
  const inChannel = (channel: string, verb: string): string =>
    `/api/v1/channels/${part(channel.replace(/^#/, ''))}/${verb}`;
  return {
    channels: (options) =>
      allPages({ get }, { path: '/api/v1/channels', cursor: 'after' }, options),
    joinChannel: (channel, agent, options) => post(inChannel(channel, 'join'), { agent }, options),
    leaveChannel: (channel, agent, options) =>
      post(inChannel(channel, 'leave'), { agent }, options),
    lead: (options) => get('/api/v1/lead', {}, options),
    setLead: (name, options) => post('/api/v1/lead', { name }, options),
    subscriptions: (agent, options) => {
      const list = { path: '/api/v1/subscriptions', cursor: 'after', query: { agent } } as const;
      return allPages({ get }, list, options);
    },
    subscribe: (request, options) => post('/api/v1/subscriptions', request, options),
    unsubscribe: (request, options) => post('/api/v1/subscriptions/remove', request, options),
  };
}

type GroupCall =
  | 'channels'
  | 'joinChannel'
  | 'leaveChannel'
  | 'lead'
  | 'setLead'
  | 'subscriptions'
  | 'subscribe'
  | 'unsubscribe';

function inboxOf(name: string): string {
  return `/api/v1/agents/${part(name)}/inbox`;
}

function part(text: string): string {
  return encodeURIComponent(text);
}
