/**
 * What ripgrep writes: a line of JSON for each line that fits, with names and texts as JSON
 * strings or, where they are no UTF-8, as base64. No name and no text can end a line of it.
 */

import { readSync } from 'node:fs';
import type { Matcher } from '../../../files/search/matcher.ts';
import type { SearchHit } from '../../../kernel/files/look.ts';
import { textOf } from '../../disk/owners.ts';

/** A line that fits. */
export interface FittingLine {
  readonly number: number;
  /** Where it begins, in bytes of the text. */
  readonly offset: number;
  /** With its end. */
  readonly bytes: Buffer;
  /** What of it fits, in its order. */
  readonly found: readonly string[];
}

export interface FittingFile {
  /** As ripgrep reached it. */
  readonly path: string;
  readonly lines: readonly FittingLine[];
}

/** Longer ones are not read: they are of files with lines of a megabyte. */
const longestLine = 1024 * 1024;
const lineEnd = 10;

export class RgOutput {
  readonly #onFile: (file: FittingFile) => void;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #lines: FittingLine[] = [];
  /** Whether it came to its end: what it was asked was understood. */
  isWhole = false;

  constructor(onFile: (file: FittingFile) => void) {
    this.#onFile = onFile;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      this.#hold(chunk.subarray(start, end));
      if (this.#restBytes <= longestLine) this.#read(Buffer.concat(this.#rest).toString());
      this.#rest = [];
      this.#restBytes = 0;
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  #hold(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes <= longestLine) this.#rest.push(part);
    else this.#rest = [];
  }

  #read(text: string): void {
    // Ripgrep's own format.
    const message = JSON.parse(text) as RgMessage;
    if (message.type === 'summary') this.isWhole = true;
    if (message.type === 'begin') this.#lines = [];
    if (message.type === 'match') this.#add(fittingLine(message.data));
    // A file with a zero in it is no text, though its beginning looked like one.
    if (message.type === 'end' && message.data.binary_offset === null && this.#lines.length > 0) {
      this.#onFile({ path: textOf(bytesOfText(message.data.path)), lines: this.#lines });
    }
  }

  // A pattern that fits nothing, between any two letters, finds nothing.
  #add(line: FittingLine): void {
    if (line.found.some((stretch) => stretch !== '')) this.#lines.push(line);
  }
}

type RgText = { readonly text: string } | { readonly bytes: string };

interface RgMatch {
  readonly lines: RgText;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly match: RgText }[];
}

type RgMessage =
  | { readonly type: 'begin' | 'summary' }
  | { readonly type: 'match'; readonly data: RgMatch }
  | {
      readonly type: 'end';
      readonly data: { readonly path: RgText; readonly binary_offset: number | null };
    };

function fittingLine({ lines, line_number, absolute_offset, submatches }: RgMatch): FittingLine {
  return {
    number: line_number,
    offset: absolute_offset,
    bytes: bytesOfText(lines),
    found: submatches.map(({ match }) => bytesOfText(match).toString()),
  };
}

function bytesOfText(text: RgText): Buffer {
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

const mostShown = 200;
const shownBefore = 60;

/** Of a longer line only what is around the first stretch that fits is kept. */
const mostKept = 4096;

/** Of the lines that fit, the one that is shown. The first of those with the most words in them. */
export function bestLine(matcher: Matcher, lines: readonly FittingLine[]): FittingLine | undefined {
  const line = fullestLine(matcher, lines);
  return line && cut(line);
}

// A copy: a part of a buffer would keep the whole text in memory.
function cut({ bytes, offset, ...line }: FittingLine): FittingLine {
  const [first = ''] = line.found;
  const start = bytes.length > mostKept ? Math.max(0, bytes.indexOf(first) - mostShown) : 0;
  const kept = Buffer.from(bytes.subarray(start, start + mostKept));
  return { ...line, offset: offset + start, bytes: kept, found: [first] };
}

function fullestLine(matcher: Matcher, lines: readonly FittingLine[]): FittingLine | undefined {
  const [first] = lines;
  if (lines.length < 2) return first;
  let [best, mostWords] = [first, 0];
  for (const line of lines) {
    const words = matcher.countsOf(line.found).filter((count) => count > 0).length;
    if (words > mostWords) [best, mostWords] = [line, words];
  }
  return best;
}

/** Cut around what fits. */
export function shownLine({ number, bytes, found }: FittingLine): NonNullable<SearchHit['line']> {
  const text = bytes.toString().replace(/\r?\n$/, '');
  const whole = text.trim();
  if (whole.length <= mostShown) return { number, text: whole };
  const start = Math.max(0, text.indexOf(found[0] ?? '') - shownBefore);
  // A character that was cut in two is shown as one that is broken.
  return { number, text: text.slice(start, start + mostShown).toWellFormed() };
}

// The text of a file, as ripgrep reads it too: a mark at its beginning says how it is written.

/** Larger files are not searched. */
export const mostTextBytes = 16 * 1024 * 1024;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** In UTF-8, without the mark. At most `length` bytes from `offset`. */
export function textBytesAt(
  descriptor: number,
  { offset, length }: { readonly offset: number; readonly length: number },
): Buffer {
  const encoding = markedEncoding(bytesAt(descriptor, 0, 3));
  if (encoding === undefined) return bytesAt(descriptor, offset, length);
  // Where it is written otherwise, places are those of what comes out.
  return decoded(bytesAt(descriptor, 0, mostTextBytes), encoding).subarray(offset, offset + length);
}

/** The whole text; nothing where it is none, or too large. */
export function wholeText(descriptor: number, sizeBytes: bigint): Buffer | undefined {
  if (sizeBytes > BigInt(mostTextBytes)) return undefined;
  const bytes = bytesAt(descriptor, 0, Number(sizeBytes));
  const encoding = markedEncoding(bytes.subarray(0, 3));
  const text = encoding === undefined ? bytes : decoded(bytes, encoding);
  return text.includes(0) ? undefined : text;
}

function bytesAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function decoded(bytes: Buffer, encoding: Encoding): Buffer {
  return Buffer.from(new TextDecoder(encoding).decode(bytes));
}
