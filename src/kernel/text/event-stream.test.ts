import { expect, test } from 'vitest';
import { EventStreamParser } from './event-stream.ts';

const encoder = new TextEncoder();

function parse(pieces: readonly Uint8Array[]) {
  const parser = new EventStreamParser();
  return { events: pieces.flatMap((piece) => parser.push(piece)), lastId: parser.lastId };
}

const stream = [
  '\u{feff}: a comment',
  'id: 4',
  'event: agent.registered',
  'data: {"a":"€"}',
  '',
  'id: 5',
  ': only the place moves',
  '',
  'data:one',
  'data',
  'data:  three',
  'retry: 5',
  'unknown: field',
  '',
  'event: nothing',
  '',
  'data: unfinished',
];

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('events are the same however the bytes are split, with lines that end in %s', (_what, end) => {
  // A last line that no CR can be half of.
  const bytes = encoder.encode(`${stream.join(end)}${end}x`);
  const expected = {
    events: [
      { event: 'agent.registered', data: '{"a":"€"}', id: '4' },
      { event: 'message', data: 'one\n\n three', id: '5' },
    ],
    lastId: '5',
  };

  for (let at = 0; at <= bytes.length; at++) {
    expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
  }
  expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test('an id with a NUL in it is no id', () => {
  expect(parse([encoder.encode('id: 1\n\nid: 2\0\ndata: a\n\n')]).lastId).toBe('1');
});

test('the place moves when an event is complete, not before', () => {
  const parser = new EventStreamParser();

  parser.push(encoder.encode('id: 7\ndata: a\n'));
  expect(parser.lastId).toBeUndefined();
  parser.push(encoder.encode('\n'));

  expect(parser.lastId).toBe('7');
});

test.each([
  ['one endless line', `data: ${'x'.repeat(200)}`],
  ['endless lines', 'data: xxxxxxxxxx\n'.repeat(20)],
])('%s is refused', (_what, text) => {
  const parser = new EventStreamParser(100);

  expect(() => parser.push(encoder.encode(text))).toThrow(
    expect.objectContaining({ code: 'gateway.strange-answer' }),
  );
});
