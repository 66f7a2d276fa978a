/**
 * One HTTP/1.1 response, read as its bytes come in. The command line speaks to the
 * daemon with it, because loading `node:http` costs more than a whole short command.
 * What is not plainly a response is refused; nothing is guessed.
 */
import { AosError } from '../errors.ts';
import { quote } from './quote.ts';

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export type ResponsePart =
  | { readonly kind: 'head'; readonly head: ResponseHead }
  | { readonly kind: 'body'; readonly bytes: Uint8Array };

/** How the end of the body is known. */
type Stage =
  | { readonly kind: 'head' }
  | { readonly kind: 'length'; leftBytes: number }
  | { readonly kind: 'until-close' }
  | { readonly kind: 'chunk-size' }
  | { readonly kind: 'chunk'; leftBytes: number }
  | { readonly kind: 'chunk-end' }
  | { readonly kind: 'trailers' }
  | { readonly kind: 'done' };

const headLimitBytes = 64 * 1024;
const lineLimitBytes = 8 * 1024;
const newline = 10;
const carriageReturn = 13;

export class HttpResponseParser {
  #stage: Stage = { kind: 'head' };
  #line: number[] = [];
  #headLines: string[] = [];
  #headBytes = 0;

  get isDone(): boolean {
    return this.#stage.kind === 'done';
  }

  /** What these bytes add. Bytes behind the end are refused: no more was asked for. */
  push(bytes: Uint8Array): ResponsePart[] {
    const parts: ResponsePart[] = [];
    let offset = 0;
    while (offset < bytes.length) {
      const stage = this.#stage;
      if (stage.kind === 'done') throw strange('it goes on behind its end');
      if (stage.kind === 'until-close') {
        parts.push({ kind: 'body', bytes: bytes.subarray(offset) });
        return parts;
      }
      if (stage.kind === 'length' || stage.kind === 'chunk') {
        const piece = bytes.subarray(offset, offset + stage.leftBytes);
        parts.push({ kind: 'body', bytes: piece });
        offset += piece.length;
        stage.leftBytes -= piece.length;
        if (stage.leftBytes === 0) this.#stage = afterBody[stage.kind];
      } else {
        offset = this.#readLine(bytes, offset, parts);
      }
    }
    return parts;
  }

  /** The other side has closed. Refused when it did so in the middle. */
  end(): void {
    if (this.#stage.kind === 'until-close') this.#stage = { kind: 'done' };
    if (!this.isDone) throw strange('it ends in the middle');
  }

  #readLine(bytes: Uint8Array, from: number, parts: ResponsePart[]): number {
    const end = bytes.indexOf(newline, from);
    const piece = bytes.subarray(from, end === -1 ? undefined : end);
    if (this.#line.length + piece.length > lineLimitBytes) throw strange('a line is too long');
    for (const byte of piece) this.#line.push(byte);
    if (end === -1) return bytes.length;
    if (this.#line.pop() !== carriageReturn) throw strange('a line ends without CR LF');
    const line = String.fromCharCode(...this.#line);
    this.#line = [];
    this.#takeLine(line, parts);
    return end + 1;
  }

  #takeLine(line: string, parts: ResponsePart[]): void {
    this.#headBytes += line.length + 2;
    if (this.#stage.kind === 'chunk-size') {
      const leftBytes = chunkSize(line);
      this.#stage = leftBytes === 0 ? { kind: 'trailers' } : { kind: 'chunk', leftBytes };
      this.#headBytes = 0;
    } else if (this.#stage.kind === 'chunk-end') {
      if (line !== '') throw strange('a chunk is longer than it says');
      this.#stage = { kind: 'chunk-size' };
    } else if (this.#headBytes > headLimitBytes) {
      throw strange('its headers are too long');
    } else if (this.#stage.kind === 'trailers') {
      if (line === '') this.#stage = { kind: 'done' };
    } else if (line !== '') {
      // At once: what is no HTTP may never come to an empty line.
      if (this.#headLines.push(line) === 1) statusOf(line);
    } else {
      this.#takeHead(parts);
    }
  }

  #takeHead(parts: ResponsePart[]): void {
    const head = parseHead(this.#headLines);
    this.#headLines = [];
    this.#headBytes = 0;
    // "Continue" and its like come before the response.
    if (head.status < 200) return;
    parts.push({ kind: 'head', head });
    this.#stage = bodyStage(head);
  }
}

const afterBody: Readonly<Record<'length' | 'chunk', Stage>> = {
  length: { kind: 'done' },
  chunk: { kind: 'chunk-end' },
};

function parseHead([statusLine = '', ...headerLines]: readonly string[]): ResponseHead {
  const headers = new Map<string, string>();
  for (const line of headerLines) {
    const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === '') throw strange(`a header is ${quote(line.slice(0, 40))}`);
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    if (earlier !== undefined && decidesLength.has(key)) throw strange(`it has two "${key}"`);
    headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return { status: statusOf(statusLine), headers };
}

function statusOf(line: string): number {
  const status = /^HTTP\/1\.[01] ([1-9]\d\d)(?: .*)?$/.exec(line)?.[1];
  if (status === undefined) throw strange(`it begins with ${quote(line.slice(0, 40))}`);
  return Number(status);
}

const decidesLength = new Set(['content-length', 'transfer-encoding']);

function bodyStage({ status, headers }: ResponseHead): Stage {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (length !== undefined && coding !== undefined) throw strange('it has two lengths');
  if (status === 204 || status === 304) return { kind: 'done' };
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') throw strange(`it is coded as ${quote(coding)}`);
    return { kind: 'chunk-size' };
  }
  if (length === undefined) return { kind: 'until-close' };
  if (!/^\d{1,15}$/.test(length)) throw strange(`its length is ${quote(length)}`);
  const leftBytes = Number(length);
  return leftBytes === 0 ? { kind: 'done' } : { kind: 'length', leftBytes };
}

function chunkSize(line: string): number {
  const digits = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
  if (digits === undefined) throw strange(`the size of a chunk is ${quote(line.slice(0, 40))}`);
  return Number.parseInt(digits, 16);
}

function strange(what: string): AosError {
  return new AosError('gateway.strange-answer', {
    message: `The daemon's answer cannot be understood: ${what}`,
    fix: 'aos down && aos up --detach',
  });
}
