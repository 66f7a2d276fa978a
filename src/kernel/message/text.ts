/**
 * A message as the text of a file: headers `NAME: value`, a blank line, the body.
 * `parseMessage(printMessage(m))` equals `m` for every message that checkMessage() lets pass.
 */

import { isId } from '../new-id.ts';
import { checkMessage, isAnswer, isOrigin, tooLarge, tooLargeHeaders } from './check.ts';
import {
  checkHeader,
  headersOf,
  isHeaderName,
  type KnownHeader,
  knownHeader,
  parseChunk,
  parseHash,
  parseTtl,
} from './headers.ts';
import {
  type Header,
  type Message,
  malformed,
  messageKinds,
  messageLimits,
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
