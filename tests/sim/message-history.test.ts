/** The checker itself: a sound history has no findings, and each way of going wrong has its own. */
import { describe, expect, test } from 'vitest';
import {
  type EndDelivery,
  type EndMessage,
  type EndState,
  type HistoryEntry,
  historyFindings,
} from './message-history.ts';

const message = (changes: Partial<EndMessage> = {}): EndMessage => ({
  message_id: 'a1',
  agent_name: 'ada',
  message_type: 'message',
  target: 'bob',
  priority: 5,
  status: 'completed',
  re: null,
  body: 'm1',
  ...changes,
});

const delivery = (changes: Partial<EndDelivery> = {}): EndDelivery => ({
  id: 1,
  message_id: 'a1',
  recipient: 'bob',
  state: 'read',
  priority: 5,
  subscription: 0,
  size_bytes: 2,
  owner: null,
  via: 'inbox',
  error: null,
  ended_at: 1,
  ...changes,
});

const event = (kind: string, id = 'a1', state?: string) => ({
  ...{ kind: `message.${kind}`, id, state },
  to: 'bob',
});

const sent = (body = 'm1'): HistoryEntry => ({
  ...{ kind: 'sent', key: body, sender: 'ada', to: 'bob', priority: 5, body },
});
const acknowledged: HistoryEntry = { kind: 'acknowledged', key: 'm1', id: 'a1' };
const appeared = (id = 'a1', body = 'm1', from = 'ada'): HistoryEntry => ({
  ...{ kind: 'appeared', recipient: 'bob', id, from, body, way: 'inbox' },
});
const read: HistoryEntry = { kind: 'read', recipient: 'bob', id: 'a1', how: 'file' };
const readByCall: HistoryEntry = { kind: 'read', recipient: 'bob', id: 'a1', how: 'call' };
const cut: HistoryEntry = { kind: 'power-cut' };
const started: HistoryEntry = { kind: 'started' };
const killed: HistoryEntry = { kind: 'killed' };

const soundHistory = [sent(), acknowledged, appeared(), read];
const soundEnd: EndState = {
  messages: [message()],
  deliveries: [delivery()],
  mailboxes: [{ recipient: 'bob', pending: 0, pending_bytes: 0 }],
  events: [event('accepted'), event('delivered'), event('read')],
};
const empty: EndState = { messages: [], deliveries: [], mailboxes: [], events: [] };

/** Two messages of ada's to bob, the first one accepted first. */
const two = (first: Partial<EndDelivery>, second: Partial<EndDelivery>): EndState => ({
  ...soundEnd,
  messages: [message(), message({ message_id: 'a2', body: 'm2' })],
  deliveries: [delivery(first), delivery({ id: 2, message_id: 'a2', ...second })],
  events: ['a1', 'a2'].flatMap((id) =>
    ['accepted', 'delivered', 'read'].map((kind) => event(kind, id)),
  ),
});

const findings = (history: readonly HistoryEntry[], end: EndState): string[] =>
  historyFindings(history, end, { reachable: ['bob'], fileReaders: ['bob'] });

describe('what is sound has no findings', () => {
  test.each<[string, readonly HistoryEntry[], EndState]>([
    ['a message that was sent, seen and read', soundHistory, soundEnd],
    ['one of which the sender got no answer', [sent(), killed, appeared(), read], soundEnd],
    ['one that was never accepted', [sent()], empty],
    [
      'the same key twice',
      [sent(), acknowledged, sent(), acknowledged, appeared(), read],
      soundEnd,
    ],
    [
      'a file that lies there again after a power cut',
      [...soundHistory, cut, appeared()],
      soundEnd,
    ],
    [
      'one that was taken before a relay ran again',
      [sent(), appeared(), cut, read, started, appeared()],
      soundEnd,
    ],
    [
      'a more urgent one that overtakes',
      [sent(), sent('m2'), appeared('a2', 'm2'), appeared()],
      two({}, { priority: 1 }),
    ],
    [
      'order after a power cut',
      [sent(), sent('m2'), appeared('a2', 'm2'), cut, appeared()],
      two({}, {}),
    ],
  ])('%s', (_what, history, end) => {
    expect(findings(history, end)).toEqual([]);
  });
});

describe('what went wrong is said', () => {
  const bad = (state: 'expired' | 'dead'): EndState => ({
    ...soundEnd,
    deliveries: [delivery({ state, via: null })],
    events: [event('accepted'), event(state)],
  });
  const nack = (id: string, body = 'Your message to bob has expired: …') =>
    message({
      ...{ message_id: id, agent_name: '__orchestrator__', message_type: 'nack' },
      ...{ target: 'ada', re: 'a1', body },
    });
  const nackDelivery = (id: string) =>
    delivery({ id: 9, message_id: id, recipient: 'ada', via: 'relay' });

  test.each<[string, readonly HistoryEntry[], EndState, RegExp]>([
    ['acknowledged and lost', [sent(), acknowledged], empty, /^lost: m1 was acknowledged/],
    [
      'flushed in an outbox and lost',
      [sent(), { kind: 'stored', key: 'm1' }],
      empty,
      /^lost: the file/,
    ],
    [
      'seen and not in the ledger',
      [sent(), appeared()],
      empty,
      /^phantom: bob saw a1, which is not/,
    ],
    ['never sent', [appeared(), read], soundEnd, /^phantom: ada never sent/],
    ['another body', [sent(), appeared('a1', 'm'), read], soundEnd, /^phantom: .* another sender/],
    ['another sender', [sent(), appeared('a1', 'm1', 'eve')], soundEnd, /^phantom: .* another/],
    [
      'seen by somebody else',
      [sent(), appeared()],
      { ...soundEnd, deliveries: [delivery({ recipient: 'cyd' })] },
      /^phantom: .* goes to others/,
    ],
    [
      'accepted twice',
      soundHistory,
      { ...soundEnd, messages: [message(), message({ message_id: 'a2' })] },
      /^twice: one message/,
    ],
    [
      'seen again after a kill',
      [...soundHistory, killed, appeared()],
      soundEnd,
      /^twice: bob had read/,
    ],
    [
      'seen again by a cut although the ledger had it',
      [sent(), appeared(), readByCall, cut, started, appeared()],
      soundEnd,
      /^twice: bob had read/,
    ],
    [
      'out of order',
      [sent(), sent('m2'), appeared('a2', 'm2'), appeared()],
      two({}, {}),
      /^order: bob saw a2 before a1/,
    ],
    [
      'overtaken by a less urgent one',
      [sent(), sent('m2'), appeared('a2', 'm2'), appeared()],
      two({ priority: 1 }, { priority: 9 }),
      /^order: bob saw a2 before a1/,
    ],
    [
      'an end that changed',
      [
        ...soundHistory,
        { kind: 'observed', recipient: 'bob', id: 'a1', state: 'expired', ended: true },
      ],
      soundEnd,
      /^changed: a1 to bob had ended as expired and is read/,
    ],
    ['read by nobody', [sent(), acknowledged], soundEnd, /^lost: a1 is read, and bob never saw it/],
    ['expired in silence', [sent()], bad('expired'), /^untold: ada was told 0 times/],
    ['dead in silence', [sent()], bad('dead'), /^untold: ada was told 0 times/],
    [
      'told twice',
      [sent()],
      {
        ...bad('expired'),
        messages: [message(), nack('n1'), nack('n2')],
        deliveries: [...bad('expired').deliveries, nackDelivery('n1'), nackDelivery('n2')],
      },
      /^untold: ada was told 2 times/,
    ],
    ['to nobody', [sent()], { ...soundEnd, deliveries: [] }, /^adrift: a1 goes to nobody/],
    [
      'a counter that is off',
      soundHistory,
      { ...soundEnd, mailboxes: [{ recipient: 'bob', pending: 1, pending_bytes: 2 }] },
      /^miscounted: bob has 0 unread/,
    ],
    [
      'no event of accepting',
      soundHistory,
      { ...soundEnd, events: [event('delivered'), event('read')] },
      /^events: a1 has 0/,
    ],
    [
      'no event of delivering',
      soundHistory,
      { ...soundEnd, events: [event('accepted'), event('read')] },
      /^events: a1 to bob/,
    ],
    [
      'no event of reading',
      soundHistory,
      { ...soundEnd, events: [event('accepted'), event('delivered')] },
      /^events: a1 to bob/,
    ],
    [
      'held for ever',
      soundHistory,
      { ...soundEnd, deliveries: [delivery({ owner: 'node-1' })] },
      /^held: a1 to bob is held by node-1/,
    ],
    [
      'waiting for nothing',
      [sent()],
      {
        ...soundEnd,
        deliveries: [delivery({ state: 'accepted', via: null, ended_at: null })],
        mailboxes: [{ recipient: 'bob', pending: 1, pending_bytes: 2 }],
        events: [event('accepted')],
      },
      /^stuck: a1 waits for bob/,
    ],
  ])('%s', (_what, history, end, words) => {
    expect(findings(history, end)).toContainEqual(expect.stringMatching(words));
  });
});
