/** Whether a message keeps the rules, whichever part of the system made it. */
import { AosError } from '../errors.ts';
import { isId } from '../new-id.ts';
import { checkHeader, headersOf, isHeaderName, knownHeader } from './headers.ts';
import {
  type Header,
  type Message,
  type MessageOrigin,
  malformed,
  messageLimits,
  parseAddress,
  shown,
} from './message.ts';

/**
 * Throws `message.malformed` or `message.too-large` unless the message keeps all rules.
 * What passes prints to a text that parses to an equal message.
 */
export function checkMessage(message: Message): void {
  // The size first: nothing else is done with what is too large.
  const headers = headersOf(message);
  checkSizes(headers, message.body);
  for (const header of headers) checkHeader(header);
  for (const header of message.headers) checkUnknownName(header);
  checkKind(message);
  checkBody(message.body);
  if (message.origin !== undefined && !isOrigin(message.origin)) {
    throw malformed(
      `The origin of the message, ${shown(message.origin.id)} from ${shown(message.origin.from)}, is none that the relay would write`,
      'Leave FROM, ID and SENT to the relay',
    );
  }
}

/** Whether the relay could have written it. */
export function isOrigin({ from, id, sent }: MessageOrigin): boolean {
  return isId(id) && isSent(sent) && isSender(from);
}

function isSent(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? Date.parse(text) : Number.NaN;
  // The 31st of February is a date to the parser; it comes back as another one.
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}

function isSender(from: string): boolean {
  try {
    const { kind } = parseAddress(from);
    return kind !== 'everybody' && kind !== 'channel';
  } catch {
    // No recipient has that name.
    return false;
  }
}

function checkSizes(headers: readonly Header[], body: string): void {
  const { wholeBytes, headerBytes, attachments } = messageLimits;
  // KIND is printed where the sender wrote none; that must not make a message too large.
  const counted = headers.filter(({ name }) => name !== 'KIND');
  // As long as its UTF-8 is at least; spares encoding what is far too long.
  const leastBytes = counted.reduce((sum, { value }) => sum + value.length, body.length);
  const headBytes = leastBytes > wholeBytes ? 0 : sizeOfHeaders(counted);
  if (leastBytes > wholeBytes || headBytes + 1 + utf8Bytes(body) > wholeBytes) throw tooLarge();
  if (headBytes > headerBytes) throw tooLargeHeaders();
  const attached = headers.filter(({ name }) => knownHeader(name) === 'ATTACHMENT').length;
  if (attached > attachments) {
    throw malformed(
      `The message has ${attached} attachments, and ${attachments} is the most`,
      'Send the others with a second message',
    );
  }
}

export function tooLarge(): AosError {
  return new AosError('message.too-large', {
    message: `The message is larger than ${messageLimits.wholeBytes} bytes`,
    fix: 'Store what is large as an attachment, and name it with ATTACHMENT: sha256:…',
  });
}

export function tooLargeHeaders(): AosError {
  return new AosError('message.too-large', {
    message: `The headers of the message are larger than ${messageLimits.headerBytes} bytes`,
    fix: 'Write a blank line after the headers, and what is long below it, in the body',
  });
}

function sizeOfHeaders(headers: readonly Header[]): number {
  return headers.reduce((sum, { name, value }) => sum + utf8Bytes(`${name}: ${value}\n`), 0);
}

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

function checkUnknownName({ name }: Header): void {
  if (isHeaderName(name) && knownHeader(name) === undefined) return;
  throw malformed(
    `No other header can be called ${shown(name)}`,
    'Choose a letter followed by at most 63 letters, digits, "_" or "-" that is not a header of the relay',
  );
}

const answers: ReadonlySet<string> = new Set(['ack', 'nack', 'response']);

/** Whether messages of that kind answer another one, which RE names. */
export function isAnswer(kind: string): boolean {
  return answers.has(kind);
}

function checkKind({ kind, thread, chunk, re, eventType }: Message): void {
  if (kind === 'stream' && (thread === undefined || chunk === undefined)) {
    throw malformed(
      `A message of the kind stream needs ${thread === undefined ? 'THREAD' : 'CHUNK'}`,
      'Write THREAD: and a name for the stream, and CHUNK: 0, CHUNK: 1 and so on, the last one as CHUNK: 2 end',
    );
  }
  if (isAnswer(kind) && re === undefined) {
    throw malformed(
      `A message of the kind ${kind} needs RE, the id of the message that it answers`,
      'Write RE: and the ID of that message',
    );
  }
  const stray = strayHeader(kind, { EVENT: eventType, CHUNK: chunk });
  if (stray === undefined) return;
  throw malformed(
    `A message of the kind ${kind} cannot have ${stray.header}`,
    `Write KIND: ${stray.kind}, or leave ${stray.header} out`,
  );
}

function strayHeader(kind: string, given: { readonly EVENT: unknown; readonly CHUNK: unknown }) {
  if (kind !== 'event' && given.EVENT !== undefined) return { header: 'EVENT', kind: 'event' };
  if (kind !== 'stream' && given.CHUNK !== undefined) return { header: 'CHUNK', kind: 'stream' };
  return undefined;
}

function checkBody(body: string): void {
  if (!body.includes('\0') && body.isWellFormed()) return;
  const what = body.isWellFormed() ? 'a NUL character' : 'half a character (a lone surrogate)';
  throw malformed(
    `The body of the message has ${what} in it`,
    'Send text only, and other bytes as an attachment',
  );
}
