import { describe, expect, test } from 'vitest';
import { type Message, messageKinds, messageLimits } from './message.ts';
import { parseMessage, printMessage } from './text.ts';

const id = '018d3e4b5f607a8b9c0d1e2f3a4b5c6d';
const hash = 'ab'.repeat(32);
const plain: Message = {
  to: 'jean',
  kind: 'message',
  priority: 5,
  attachments: [],
  headers: [],
  body: '',
};

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseMessage(bytesOf(text));

function refusal(why: string, code = 'message.malformed') {
  return expect.objectContaining({
    code,
    message: expect.stringMatching(why),
    fix: expect.any(String),
  });
}

describe('parseMessage() reads', () => {
  test.each<[string, string, Partial<Message>]>([
    ['a recipient alone', 'TO: jean\n\n', {}],
    [
      'the shell example of the protocol',
      'TO: Lead\n\nACK: Task received.\n',
      { to: 'Lead', body: 'ACK: Task received.\n' },
    ],
    ['no space and many spaces', 'TO:jean\nKIND: \t event\t \n\n', { kind: 'event' }],
    [
      'names in any case',
      'to: jean\nKind: status\nPrioritY: 0\n\n',
      { kind: 'status', priority: 0 },
    ],
    [
      'header lines that end in CRLF',
      'TO: jean\r\nTHREAD: a b\r\n\r\nx',
      { thread: 'a b', body: 'x' },
    ],
    ['a mark before the headers', '\ufeffTO: jean\n\nx', { body: 'x' }],
    ['a mark before the body, as part of it', 'TO: jean\n\n\ufeffx', { body: '\ufeffx' }],
    ['a body byte for byte', 'TO: jean\n\n\n a\r\nb\rc \n\n', { body: '\n a\r\nb\rc \n\n' }],
    ['a checksum', `TO: jean\nCHECKSUM: sha256:${hash}\n\n`, { checksum: hash }],
    [
      'attachments in their order',
      `TO: jean\nATTACHMENT: sha256:${hash}\nattachment: sha256:${'0'.repeat(64)}\n\n`,
      { attachments: [hash, '0'.repeat(64)] },
    ],
    ['a time in seconds', 'TO: jean\nTTL: 90\n\n', { ttlMs: 90_000 }],
    ['a time in minutes', 'TO: jean\nTTL: 15m\n\n', { ttlMs: 900_000 }],
    ['a time in hours', 'TO: jean\nTTL: 2h\n\n', { ttlMs: 7_200_000 }],
    ['a time in days', 'TO: jean\nTTL: 30d\n\n', { ttlMs: 2_592_000_000 }],
    ['a dedup key', 'TO: jean\nDEDUP: report 7 (é)\n\n', { dedupKey: 'report 7 (é)' }],
    [
      'an event',
      'TO: *\nKIND: event\nEVENT: build.x-1.done\n\n',
      { to: '*', kind: 'event', eventType: 'build.x-1.done' },
    ],
    [
      'a chunk',
      'TO: jean\nKIND: stream\nTHREAD: s\nCHUNK: 3\n\n',
      { kind: 'stream', thread: 's', chunk: { index: 3, end: false } },
    ],
    [
      'a last chunk',
      'TO: jean\nKIND: stream\nTHREAD: s\nCHUNK: 07  end\n\n',
      { kind: 'stream', thread: 's', chunk: { index: 7, end: true } },
    ],
    ['the wish for a receipt', 'TO: jean\nRECEIPT: read\n\n', { receipt: 'read' }],
    ['an answer', `TO: jean\nKIND: response\nRE: ${id}\n\n`, { kind: 'response', re: id }],
    [
      'an answer that names a message as its thread',
      `TO: jean\nKIND: ack\nTHREAD: ${id}\n\n`,
      { kind: 'ack', thread: id, re: id },
    ],
    [
      'a thread that looks like an id and answers nothing',
      `TO: jean\nTHREAD: ${id}\n\n`,
      { thread: id },
    ],
    [
      'other headers in their order and spelling',
      'X-b: 1\nTO: jean\nx-A:\nX-b: a: b\n\n',
      {
        headers: [
          { name: 'X-b', value: '1' },
          { name: 'x-A', value: '' },
          { name: 'X-b', value: 'a: b' },
        ],
      },
    ],
    [
      'an origin',
      `FROM: owner\nID: ${id}\nSENT: 2030-01-31T12:00:00.000Z\nTO: jean\n\n`,
      { origin: { from: 'owner', id, sent: '2030-01-31T12:00:00.000Z' } },
    ],
    ['no origin where it is incomplete', `FROM: owner\nID: ${id}\nTO: jean\n\n`, {}],
    ['no origin where it is odd', `FROM: \u0001*\nID: 7\nSENT: today\nTO: jean\n\n`, {}],
  ])('%s', (_what, text, part) => {
    expect(parse(text)).toEqual({ ...plain, ...part });
  });

  test.each(messageKinds.map((kind) => [kind]))('the kind %s', (kind) => {
    const more = `RE: ${id}\n${kind === 'stream' ? 'THREAD: s\nCHUNK: 0\n' : ''}`;

    expect(parse(`TO: jean\nKIND: ${kind}\n${more}\n`)).toMatchObject({ kind });
  });
});

describe('parseMessage() refuses', () => {
  test.each([
    ['nothing', '', 'no blank line'],
    ['headers without a blank line', 'TO: jean\n', 'no blank line'],
    ['a body without a blank line', 'TO: jean\nHello', 'no blank line'],
    ['half a line end', 'TO: jean\n\r', 'no blank line'],
    ['no recipient', 'KIND: event\n\n', 'whom it is for'],
    ['a body alone', '\nHello', 'whom it is for'],
    ['an empty recipient', 'TO:\n\n', 'at least one character'],
    ['a strange recipient', 'TO: a b\n\n', 'letters, digits'],
    [
      'a line that is no header',
      'TO: jean\nhello there\n\n',
      '^Line 2 is no header: "hello there"',
    ],
    ['a blank before the colon', 'TO : jean\n\n', '^Line 1 is no header'],
    ['a line that goes on', 'TO: jean\nX: a\n b\n\n', '^Line 3 is no header'],
    ['a line of blanks', 'TO: jean\n \n\n', '^Line 2 is no header'],
    ['a name that is too long', `TO: jean\n${'n'.repeat(65)}: a\n\n`, '^Line 2 is no header'],
    ['a second mark', '\ufeff\ufeffTO: jean\n\n', '^Line 1 is no header'],
    [
      'a control character',
      'TO: jean\nX: a\u001b[2Jb\n\n',
      '^"X" in line 2 is .* control character',
    ],
    ['a tab inside a value', 'TO: jean\nX: a\tb\n\n', 'control character'],
    ['a line end of some systems', 'TO: jean\nX: a\u2028FROM: owner\n\n', 'control character'],
    ['a return inside a line', 'TO: jean\rX: a\n\n', 'control character'],
    ['a header twice', 'TO: jean\nto: samantha\n\n', '^TO stands .* second time, in line 2'],
    [
      'a kind that there is not',
      'TO: jean\nKIND: mesage\n\n',
      'KIND in line 2 is "mesage".* Did you mean "message"',
    ],
    ['a kind in capitals', 'TO: jean\nKIND: SPAWN\n\n', 'Did you mean "spawn"'],
    ['a priority of 10', 'TO: jean\nPRIORITY: 10\n\n', '^PRIORITY in line 2 is "10"'],
    ['a priority in words', 'TO: jean\nPRIORITY: high\n\n', '^PRIORITY'],
    ['a priority below 0', 'TO: jean\nPRIORITY: -1\n\n', '^PRIORITY'],
    ['an empty thread', 'TO: jean\nTHREAD:\n\n', '^THREAD'],
    ['a long thread', `TO: jean\nTHREAD: ${'t'.repeat(201)}\n\n`, '^THREAD'],
    ['a RE that is no id', 'TO: jean\nRE: 7\n\n', '^RE'],
    ['a checksum without its algorithm', `TO: jean\nCHECKSUM: ${hash}\n\n`, '^CHECKSUM'],
    ['a short attachment', 'TO: jean\nATTACHMENT: sha256:abc\n\n', '^ATTACHMENT'],
    ['a time of 0', 'TO: jean\nTTL: 0\n\n', '^TTL'],
    ['a time beyond 30 days', 'TO: jean\nTTL: 31d\n\n', '^TTL'],
    ['a time in years', 'TO: jean\nTTL: 1y\n\n', '^TTL'],
    ['an empty dedup key', 'TO: jean\nDEDUP:\n\n', '^DEDUP'],
    ['a dedup key that cannot be seen', 'TO: jean\nDEDUP: a\u200bb\n\n', '^DEDUP'],
    ['a long dedup key', `TO: jean\nDEDUP: ${'k'.repeat(201)}\n\n`, '^DEDUP'],
    ['an event in capitals', 'TO: jean\nKIND: event\nEVENT: Build\n\n', '^EVENT'],
    ['an event with an empty word', 'TO: jean\nKIND: event\nEVENT: a..b\n\n', '^EVENT'],
    ['a long event', `TO: jean\nKIND: event\nEVENT: ${'e'.repeat(101)}\n\n`, '^EVENT'],
    ['a chunk that is no number', 'TO: jean\nKIND: stream\nTHREAD: s\nCHUNK: last\n\n', '^CHUNK'],
    ['a receipt of another sort', 'TO: jean\nRECEIPT: delivered\n\n', '^RECEIPT'],
    ['a stream without a thread', 'TO: jean\nKIND: stream\nCHUNK: 0\n\n', 'needs THREAD'],
    ['a stream without a chunk', 'TO: jean\nKIND: stream\nTHREAD: s\n\n', 'needs CHUNK'],
    ['an answer to nothing', 'TO: jean\nKIND: nack\nTHREAD: plans\n\n', 'needs RE'],
    ['a NUL in the headers', 'TO: jean\0\n\n', 'NUL byte in it, 8 bytes'],
    ['a NUL in the body', 'TO: jean\n\na\0', 'NUL byte in it, 11 bytes'],
  ])('%s', (_what, text, why) => {
    expect(() => parse(text)).toThrow(refusal(why));
  });

  test('bytes that are no UTF-8, and says in which part', () => {
    const broken = Uint8Array.of(0xc3, 0x28);

    const inBody = Uint8Array.from([...bytesOf('TO: jean\n\n'), ...broken]);
    const inHeaders = Uint8Array.from([...bytesOf('TO: jean\nX: '), ...broken, ...bytesOf('\n\n')]);

    expect(() => parseMessage(inBody)).toThrow(refusal('^The body is not UTF-8'));
    expect(() => parseMessage(inHeaders)).toThrow(refusal('^The headers are not UTF-8'));
    expect(parse('TO: jean\n\né').body).toBe('é');
  });

  test.each([
    ['a whole that is too large', `TO: jean\n\n${'x'.repeat(messageLimits.wholeBytes - 9)}`],
    ['a whole that is far too large', 'x'.repeat(50_000_000)],
    ['headers that are too large', `TO: jean\n${'X: abc\n'.repeat(2400)}\n`],
    ['headers that never end', 'TO: jean\n'.repeat(20_000)],
    ['a line that never ends', 'x'.repeat(100_000)],
  ])('%s', (_what, text) => {
    expect(() => parse(text)).toThrow(refusal('larger than', 'message.too-large'));
  });

  test('a file with values of hostile length in one short line', () => {
    const value = `\u202e"${'x'.repeat(15_000)}`;

    expect(() => parse(`TO: ${value}\n\n`)).toThrow(/^[ -~…]{1,400}$/);
    expect(() => parse(`${value}\n\n`)).toThrow(/^[ -~…]{1,200}$/);
  });
});

test('parseMessage() takes a message of exactly the largest size', () => {
  const text = `TO: jean\n\n${'x'.repeat(messageLimits.wholeBytes - 10)}`;

  const message = parse(text);

  const inInbox = printMessage({
    ...message,
    origin: { from: 'n'.repeat(63), id, sent: '2030-01-31T12:00:00.000Z' },
  });
  expect(bytesOf(text)).toHaveLength(messageLimits.wholeBytes);
  expect(parse(inInbox).body).toBe(message.body);
});

test('printMessage() writes the origin, the recipient, the kind, and then whatever is given', () => {
  const text = printMessage({
    to: '#news',
    kind: 'stream',
    priority: 0,
    thread: 't',
    re: id,
    checksum: hash,
    attachments: [hash, hash],
    ttlMs: 90_000,
    dedupKey: 'once',
    chunk: { index: 3, end: true },
    receipt: 'read',
    origin: { from: 'jean', id, sent: '2030-01-31T12:00:00.000Z' },
    headers: [{ name: 'X-a', value: '1' }],
    body: 'Hello\r\n',
  });

  expect(text).toBe(
    [
      'FROM: jean',
      `ID: ${id}`,
      'SENT: 2030-01-31T12:00:00.000Z',
      'TO: #news',
      'KIND: stream',
      'THREAD: t',
      'PRIORITY: 0',
      `RE: ${id}`,
      `CHECKSUM: sha256:${hash}`,
      `ATTACHMENT: sha256:${hash}`,
      `ATTACHMENT: sha256:${hash}`,
      'TTL: 90s',
      'DEDUP: once',
      'CHUNK: 3 end',
      'RECEIPT: read',
      'X-a: 1',
      '',
      'Hello\r\n',
    ].join('\n'),
  );
});

test('printMessage() leaves out the usual priority, and always says the kind', () => {
  expect(printMessage({ ...plain, body: 'Hello' })).toBe('TO: jean\nKIND: message\n\nHello');
});
