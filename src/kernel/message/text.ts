/**
 * A message as the text of a file: headers `NAME: value`, a blank line, the body.
 * `parseMessage(printMessage(m))` equals `m` for every message that checkMessage() lets pass.
 */

import { AosError } from '../errors.ts';
import { isId } from '../new-id.ts';
import {
  checkHeader,
  type Header,
  headersOf,
  isHeaderName,
  type KnownHeader,
  knownHeader,
  type Message,
  type MessageOrigin,
  malformed,
  messageKinds,
  messageLimits,
  parseAddress,
  parseChunk,
  parseHash,
  parseTtl,
  priorities,
  shown,
} from './message.ts';

export function printMessage(message: Message): string {
  const { origin } = message;
  const first =
    origin === undefined
      ? []
      : [
          { name: 'FROM', value: origin.from },
          { name: 'ID', value: origin.id },
          { name: 'SENT', value: origin.sent },
        ];
  const lines = [...first, ...headersOf(message)].map(({ name, value }) => `${name}: ${value}\n`);
  return `${lines.join('')}\n${message.body}`;
}

/** Throws `message.malformed`, or `message.too-large`; the body is kept byte for byte. */
export function parseMessage(bytes: Uint8Array): Message {
  // A little more than a message may have: an inbox file has more headers than were sent.
  // checkMessage() counts again without them.
  if (bytes.length > messageLimits.wholeBytes + messageLimits.addedBytes) throw tooLarge();
  const text = withoutMark(bytes);
  checkNul(text);
  const { headEnd, bodyStart } = findBlankLine(text);
  const head = decode(text.subarray(0, headEnd), 'The headers are');
  const body = decode(text.subarray(bodyStart), 'The body is');
  const message = assemble(sortHeaders(head), body);
  checkMessage(message);
  return message;
}

// Some editors begin every text with the mark of its byte order.
function withoutMark(bytes: Uint8Array): Uint8Array {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

function checkNul(text: Uint8Array): void {
  const at = text.indexOf(0);
  if (at === -1) return;
  throw malformed(
    `The message has a NUL byte in it, ${at} bytes from its beginning`,
    'Send text only, and other bytes as an attachment',
  );
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function findBlankLine(text: Uint8Array): { headEnd: number; bodyStart: number } {
  const most = messageLimits.headerBytes + messageLimits.addedBytes;
  const searched = text.subarray(0, most);
  let lineStart = 0;
  for (;;) {
    const lineEnd = searched.indexOf(lineFeed, lineStart);
    if (lineEnd === -1) break;
    const returned = lineEnd - lineStart === 1 && searched[lineStart] === carriageReturn;
    if (lineEnd === lineStart || returned) return { headEnd: lineStart, bodyStart: lineEnd + 1 };
    lineStart = lineEnd + 1;
  }
  if (text.length > most) throw tooLargeHeaders();
  throw malformed(
    'The message has no blank line that ends its headers',
    'Write the headers, then a blank line, then the body, which may be empty',
  );
}

// The mark in front of a body is part of it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array, subject: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw malformed(
      `${subject} not UTF-8`,
      'Write the file as UTF-8, and send what is no text as an attachment',
      cause,
    );
  }
}

interface SortedHeaders {
  readonly known: ReadonlyMap<KnownHeader, string>;
  readonly attachments: readonly string[];
  readonly unknown: readonly Header[];
}

function sortHeaders(head: string): SortedHeaders {
  const known = new Map<KnownHeader, string>();
  const attachments: string[] = [];
  const unknown: Header[] = [];
  // Each line ends in a line feed, so the last piece is empty.
  for (const [index, line] of head.split('\n').slice(0, -1).entries()) {
    const header = parseHeader(line, index + 1);
    const name = knownHeader(header.name);
    if (!isOfOrigin(name)) checkHeader(header, ` in line ${index + 1}`);
    if (name === undefined) unknown.push(header);
    else if (name === 'ATTACHMENT') attachments.push(header.value);
    else if (known.has(name)) throw twice(name, index + 1);
    else known.set(name, header.value);
  }
  return { known, attachments, unknown };
}

function parseHeader(line: string, number: number): Header {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  if (isHeaderName(name)) {
    return { name, value: trimmed(line.slice(colon + 1, line.endsWith('\r') ? -1 : undefined)) };
  }
  throw malformed(
    `Line ${number} is no header: ${shown(line)}`,
    'Write each header as NAME: value in a line of its own, then a blank line, then the body',
  );
}

// By hand: a pattern that looks for blanks before the end takes the square of their number.
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isOfOrigin(name: KnownHeader | undefined): boolean {
  return name === 'FROM' || name === 'ID' || name === 'SENT';
}

function twice(name: KnownHeader, number: number) {
  return malformed(
    `${name} stands in the message a second time, in line ${number}`,
    `Write ${name} once`,
  );
}

// What stands in the map keeps the rule of its header, so it can be read.
function assemble({ known, attachments, unknown }: SortedHeaders, body: string): Message {
  const kind = messageKinds.find((one) => one === known.get('KIND')) ?? 'message';
  const thread = known.get('THREAD');
  const priority = known.get('PRIORITY');
  const answered = isAnswer(kind) && thread !== undefined && isId(thread) ? thread : undefined;
  return {
    to: recipient(known),
    kind,
    priority: priority === undefined ? priorities.usual : Number(priority),
    thread,
    re: known.get('RE') ?? answered,
    checksum: read(known.get('CHECKSUM'), parseHash),
    attachments: attachments.flatMap((text) => parseHash(text) ?? []),
    ttlMs: read(known.get('TTL'), parseTtl),
    dedupKey: known.get('DEDUP'),
    eventType: known.get('EVENT'),
    chunk: read(known.get('CHUNK'), parseChunk),
    receipt: known.has('RECEIPT') ? 'read' : undefined,
    origin: originOf(known),
    headers: unknown,
    body,
  };
}

function recipient(known: ReadonlyMap<KnownHeader, string>): string {
  const to = known.get('TO');
  if (to !== undefined) return to;
  throw malformed(
    'The message does not say whom it is for',
    'Write TO: and a name above the blank line',
  );
}

function read<Value>(text: string | undefined, parse: (text: string) => Value | undefined) {
  return text === undefined ? undefined : parse(text);
}

// Those in an outbox are not believed, so what is odd there is as good as nothing.
function originOf(known: ReadonlyMap<KnownHeader, string>): Message['origin'] {
  const origin = {
    from: known.get('FROM') ?? '',
    id: known.get('ID') ?? '',
    sent: known.get('SENT') ?? '',
  };
  return isOrigin(origin) ? origin : undefined;
}

// Whether a message keeps the rules, whichever part of the system made it.

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
function isOrigin({ from, id, sent }: MessageOrigin): boolean {
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

function tooLarge(): AosError {
  return new AosError('message.too-large', {
    message: `The message is larger than ${messageLimits.wholeBytes} bytes`,
    fix: 'Store what is large as an attachment, and name it with ATTACHMENT: sha256:…',
  });
}

function tooLargeHeaders(): AosError {
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
