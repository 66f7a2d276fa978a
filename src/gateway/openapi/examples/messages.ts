import type { WireItem } from '../../contract/contract.ts';
import { at, type Examples, hashes, ids } from './example.ts';

const question: WireItem = {
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

const inbox = { items: [question] };

const subscription = { id: 3, agent: 'jean', event_type: 'order.made', cursor: 120 };

export const messageExamples = {
  send: {
    body: {
      to: 'jean',
      body: 'How many orders came in today?',
      kind: 'message',
      thread: 'report',
      priority: 5,
      ttl_ms: 3_600_000,
      attachments: [hashes.plain],
      headers: { 'X-Topic': 'sales' },
    },
    answer: { id: ids.message, state: 'accepted', recipients: 1 },
  },
  message: {
    answer: {
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
  ack: {
    body: { body: '42' },
    answer: { id: ids.message, state: 'acked', answer: ids.reply },
  },
  nack: {
    body: { reason: 'I cannot see the orders' },
    answer: { id: ids.message, state: 'dead', answer: ids.reply },
  },
  request: {
    body: { to: 'jean', body: 'How many orders came in today?', timeout_ms: 10_000 },
    answer: {
      id: ids.message,
      response: {
        ...question,
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
  inbox: { answer: inbox },
  takeInbox: { body: { limit: 10, wait_ms: 1000 }, answer: inbox },
  readInbox: { body: { ids: [ids.message] }, answer: { read: [ids.message] } },
  channels: { answer: { items: [{ channel: 'news', agents: ['jean', 'samantha'] }] } },
  joinChannel: {
    body: { agent: 'jean' },
    answer: { channel: 'news', agent: 'jean', joined: true },
  },
  leaveChannel: {
    body: { agent: 'jean' },
    answer: { channel: 'news', agent: 'jean', left: true },
  },
  lead: { answer: { name: 'jean' } },
  setLead: { body: { name: 'jean' }, answer: { name: 'jean', released: 0 } },
  subscriptions: { answer: { items: [subscription] } },
  subscribe: { body: { agent: 'jean', event_type: 'order.made' }, answer: subscription },
  unsubscribe: { body: { agent: 'jean', event_type: 'order.made' }, answer: { removed: true } },
  putAttachment: { answer: { hash: hashes.plain, bytes: 4 } },
} satisfies Examples;
