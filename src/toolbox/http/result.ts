/** What the caller gets to see of an answer. */

import type { IncomingMessage } from 'node:http';
import { must } from '../../kernel/must.ts';
import type { Collected } from './answer-body.ts';
import type { HttpScrubber } from './http-deps.ts';

export interface AnswerHead {
  /** Where the answer came from. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Where it was sent on to, one after the other; the last of them is `url`. */
  readonly redirects: readonly string[];
}

export function headOf(
  scrubber: HttpScrubber,
  answer: IncomingMessage,
  url: string,
  redirects: readonly string[],
): AnswerHead {
  return {
    url: scrubber.scrubText(url),
    status: answer.statusCode ?? 0,
    headers: headersOf(scrubber, answer.rawHeaders),
    redirects: redirects.map((each) => scrubber.scrubText(each)),
  };
}

/** From the raw ones: a secret in a name would not be known again in small letters. */
function headersOf(scrubber: HttpScrubber, raw: readonly string[]): AnswerHead['headers'] {
  const found = new Map<string, string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = scrubber.scrubText(must(raw[index], 'The name of a header')).toLowerCase();
    const value = scrubber.scrubText(must(raw[index + 1], 'The value of a header'));
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, name === 'set-cookie' ? values : values.join(', ')]),
  );
}

type Body = { readonly body: string } | { readonly body_base64: string };

/** The head with as much of the body as has room in so many bytes of JSON. */
export function resultOf(
  head: AnswerHead,
  { bytes, truncated }: Collected,
  outputBytes: number,
): unknown {
  const frame = { ...head, body_base64: '', bytes: bytes.length, truncated: false };
  const room = Math.max(0, outputBytes - jsonBytes(frame));
  const text = textOf(bytes, truncated);
  const fitting = text === undefined ? fitBytes(bytes, room) : fitText(text, room);
  const { size, ...body } = fitting;
  return { ...head, ...body, bytes: size, truncated: truncated || size < bytes.length };
}

/** Undefined when they are not UTF-8. Half a character at a cut is left away. */
function textOf(bytes: Uint8Array, truncated: boolean): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: truncated });
  } catch {
    // The only way in which it says so.
    return undefined;
  }
}

function fitBytes(bytes: Buffer, room: number): Body & { readonly size: number } {
  const kept = bytes.subarray(0, Math.floor(room / 4) * 3);
  return { body_base64: kept.toString('base64'), size: kept.length };
}

function fitText(text: string, room: number): Body & { readonly size: number } {
  const kept = jsonBytes(text) - 2 <= room ? text : text.slice(0, fittingLength(text, room));
  return { body: kept, size: Buffer.byteLength(kept) };
}

/** How many code units of the text have room. Counted: stringifying is slow character by character. */
function fittingLength(text: string, room: number): number {
  let length = 0;
  let left = room;
  for (const character of text) {
    left -= escapedBytes(must(character.codePointAt(0), 'The code of a character'));
    if (left < 0) return length;
    length += character.length;
  }
  return length;
}

const shortEscapes: ReadonlySet<number> = new Set(
  Array.from('\b\t\n\f\r"\\', (character) => character.charCodeAt(0)),
);

/** The bytes of a character in JSON; there are no lone surrogates in what was UTF-8. */
function escapedBytes(code: number): number {
  if (shortEscapes.has(code)) return 2;
  if (code < 0x20) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_0000 ? 3 : 4;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
