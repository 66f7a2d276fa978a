import { expect, test } from 'vitest';
import { HttpResponseParser } from './http-response.ts';

const encoder = new TextEncoder();

function parse(pieces: readonly Uint8Array[], { closed = true } = {}) {
  const parser = new HttpResponseParser();
  const parts = pieces.flatMap((piece) => parser.push(piece));
  if (closed) parser.end();
  const [head] = parts.flatMap((part) => (part.kind === 'head' ? [part.head] : []));
  const bodies = parts.flatMap((part) => (part.kind === 'body' ? [...part.bytes] : []));
  return { head, body: new TextDecoder().decode(Uint8Array.from(bodies)), isDone: parser.isDone };
}

const responses = {
  'a length': 'HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 8\r\n\r\nh€llo\r',
  chunks:
    'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\n€\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n',
  'an end by closing': 'HTTP/1.0 200\r\n\r\nall of it\r\n\r\n',
  'a "Continue" before it':
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 Too much\r\nContent-Length: 2\r\n\r\n{}',
  nothing: 'HTTP/1.1 204 No Content\r\n\r\n',
  'an empty body': 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
};

test.each(Object.entries(responses))(
  'a response with %s is the same however its bytes are split in two',
  (_what, text) => {
    const bytes = encoder.encode(text);
    const whole = parse([bytes]);

    for (let at = 0; at <= bytes.length; at++) {
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
    expect(whole.isDone).toBe(true);
  },
);

test('push() gives status, headers and body', () => {
  const { head, body } = parse([encoder.encode(responses.chunks)]);

  expect(head?.status).toBe(201);
  expect(head?.headers.get('transfer-encoding')).toBe('chunked');
  expect(body).toBe('€0123456789');
});

test('a header that comes twice is one list', () => {
  const text = 'HTTP/1.1 200 OK\r\nA: 1\r\na:  2 \r\ncontent-length: 0\r\n\r\n';

  expect(parse([encoder.encode(text)]).head?.headers.get('a')).toBe('1, 2');
});

test.each([
  ['no HTTP', 'SSH-2.0\r\n\r\n'],
  ['an impossible status', 'HTTP/1.1 000 OK\r\n\r\n'],
  ['a bare line feed', 'HTTP/1.1 200 OK\nA: b\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nA\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
  ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
  ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\n'],
  [
    'a chunk that is longer than it says',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
  ],
  ['more than was announced', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
  ['an endless line', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(9000)}`],
  ['endless headers', `HTTP/1.1 200 OK\r\n${`A: ${'x'.repeat(7000)}\r\n`.repeat(10)}\r\n`],
  [
    'endless trailers',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${`A: ${'x'.repeat(7000)}\r\n`.repeat(10)}`,
  ],
])('%s is refused', (_what, text) => {
  const attempt = () => parse([encoder.encode(text)], { closed: false });

  expect(attempt).toThrow(expect.objectContaining({ code: 'gateway.strange-answer' }));
});

test.each([
  ['before it began', ''],
  ['in the headers', 'HTTP/1.1 200 OK\r\nA: b\r\n'],
  ['in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab'],
  ['between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'],
])('an end %s is refused', (_where, text) => {
  const attempt = () => parse([encoder.encode(text)]);

  expect(attempt).toThrow(expect.objectContaining({ code: 'gateway.strange-answer' }));
});
