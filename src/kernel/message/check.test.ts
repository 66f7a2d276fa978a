import { expect, test } from 'vitest';
import { type Message, messageLimits } from './message.ts';
import { checkMessage, parseMessage, printMessage } from './text.ts';

const id = '018d3e4b5f607a8b9c0d1e2f3a4b5c6d';
const hash = 'ab'.repeat(32);
const plain: Message = {
  to: 'jean',
  kind: 'message',
  priority: 5,
  attachments: [],
  headers: [],
  body: 'Hello',
};
const origin = { from: 'samantha', id, sent: '2030-01-31T12:00:00.000Z' };

function reparsed(message: Message): Message {
  return parseMessage(new TextEncoder().encode(printMessage(message)));
}

test.each<[string, Partial<Message>]>([
  ['nothing but its recipient', {}],
  ['a body that ends in no newline and begins with a mark', { body: '\ufeffa\r\n\r\nb' }],
  ['a time of parts of a second', { ttlMs: 1500 }],
  ['the longest time', { ttlMs: 30 * 86_400_000 }],
  ['a hundred attachments', { attachments: Array.from({ length: 100 }, () => hash) }],
  [
    'other headers twice, one of them empty',
    {
      headers: [
        { name: 'X', value: '1' },
        { name: 'x', value: '' },
      ],
    },
  ],
  ['an origin', { origin }],
  ['an origin that is the relay', { origin: { ...origin, from: '__orchestrator__' } }],
  ['the largest body', { body: 'x'.repeat(messageLimits.wholeBytes - 'TO: jean\n\n'.length) }],
])('a message with %s passes, and is the same after printing', (_what, part) => {
  const message = { ...plain, ...part };

  checkMessage(message);

  expect(reparsed(message)).toEqual(message);
});

test.each<[string, Partial<Message>, RegExp]>([
  ['no recipient', { to: '' }, /at least one character/],
  ['a recipient and a line more', { to: 'jean\nFROM: owner' }, /control character/],
  ['a space behind its recipient', { to: 'jean ' }, /a space at its beginning or end/],
  ['a priority of 10', { priority: 10 }, /PRIORITY is "10"/],
  ['half a priority', { priority: 0.5 }, /PRIORITY is "0.5"/],
  ['no number as priority', { priority: Number.NaN }, /PRIORITY is "NaN"/],
  ['an empty thread', { thread: '' }, /THREAD is ""/],
  ['a thread and a line more', { thread: 'a\r\nKIND: spawn' }, /control character/],
  ['a thread that some read as two lines', { thread: 'a\u2028FROM: owner' }, /control character/],
  ['half a character in its thread', { thread: '\ud800' }, /control character/],
  ['a checksum in capitals', { checksum: hash.toUpperCase() }, /CHECKSUM is "sha256:AB/],
  ['an attachment that is no hash', { attachments: ['../../etc/passwd'] }, /ATTACHMENT is/],
  [
    'too many attachments',
    { attachments: Array.from({ length: 101 }, () => hash) },
    /101 attachments/,
  ],
  ['no time to live', { ttlMs: 0 }, /TTL is "0s"/],
  ['part of a millisecond', { ttlMs: 1000.5 }, /TTL is "1000.5ms"/],
  ['a time beyond 30 days', { ttlMs: 30 * 86_400_000 + 1 }, /TTL is/],
  ['an answer that answers nothing', { kind: 'response' }, /needs RE/],
  [
    'a chunk below 0',
    { kind: 'stream', thread: 'a', chunk: { index: -1, end: false } },
    /CHUNK is "-1"/,
  ],
  ['a chunk where there is no stream', { chunk: { index: 0, end: true } }, /cannot have CHUNK/],
  ['an event type where there is no event', { eventType: 'a.b' }, /cannot have EVENT/],
  [
    'a forged header of the relay',
    { headers: [{ name: 'from', value: 'owner' }] },
    /No other header/,
  ],
  ['a header without a name', { headers: [{ name: '', value: 'a' }] }, /No other header/],
  [
    'a header with a line in its name',
    { headers: [{ name: 'a\nFROM', value: 'a' }] },
    /No other header/,
  ],
  ['a blank before a header value', { headers: [{ name: 'X', value: ' a' }] }, /a space at its/],
  ['a NUL in its body', { body: 'a\0b' }, /NUL/],
  ['half a character in its body', { body: 'a\ud83d' }, /lone surrogate/],
  ['an origin from everybody', { origin: { ...origin, from: '*' } }, /origin/],
  [
    'an origin on a day that is none',
    { origin: { ...origin, sent: '2030-02-31T12:00:00.000Z' } },
    /origin/,
  ],
  ['an origin without an id', { origin: { ...origin, id: '' } }, /origin/],
])('a message with %s is refused', (_what, part, why) => {
  expect(() => checkMessage({ ...plain, ...part })).toThrow(
    expect.objectContaining({
      code: 'message.malformed',
      message: expect.stringMatching(why),
      fix: expect.any(String),
    }),
  );
});

test.each<[string, Partial<Message>]>([
  ['a body one byte too large', { body: 'x'.repeat(messageLimits.wholeBytes - 9) }],
  [
    'a body of fewer characters that is too large in bytes',
    { body: 'é'.repeat(messageLimits.wholeBytes / 2) },
  ],
  [
    'a header of 16 KiB',
    { headers: [{ name: 'X', value: 'x'.repeat(messageLimits.headerBytes) }] },
  ],
  ['a gigantic body', { body: 'x'.repeat(100_000_000) }],
])('a message with %s is too large', (_what, part) => {
  expect(() => checkMessage({ ...plain, ...part })).toThrow(
    expect.objectContaining({ code: 'message.too-large', fix: expect.any(String) }),
  );
});
