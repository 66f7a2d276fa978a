/**
 * What ripgrep writes: a line of JSON for each line that fits, with names and texts as JSON
 * strings or, where they are no UTF-8, as base64. No name and no text can end a line of it.
 */
import { textOf } from '../../disk/name-bytes.ts';

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
