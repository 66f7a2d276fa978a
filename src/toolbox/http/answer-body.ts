/** The body of an answer: unpacked, scrubbed, and never more of it than wanted. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { RequestUrl } from '../../kernel/capability/url-text.ts';
import { quote } from '../../kernel/text/quote.ts';
import { badAnswer, plainFailure, tooLarge } from '../../security/egress/dial.ts';
import type { HttpScrubber } from './http-deps.ts';

export interface AnswerSource {
  readonly url: RequestUrl;
  readonly answer: IncomingMessage;
  readonly signal: AbortSignal;
}

/** Leaving the loop closes the connection. Scrubbed after unpacking: a packed secret is one too. */
export function readBody(scrubber: HttpScrubber, source: AnswerSource): AsyncIterable<Uint8Array> {
  return scrubber.scrubStream(unpacked(source));
}

async function* unpacked({ url, answer, signal }: AnswerSource): AsyncGenerator<Uint8Array> {
  try {
    const unpack = hasBody(answer) ? unpackerOf(url, answer) : undefined;
    const stream = unpack === undefined ? answer : pipeline(answer, unpack, () => undefined);
    for await (const bytes of stream) {
      signal.throwIfAborted();
      yield bytes;
    }
    signal.throwIfAborted();
  } catch (failure) {
    throw signal.aborted ? signal.reason : plainFailure(url, failure);
  } finally {
    answer.destroy();
  }
}

function hasBody({ req, statusCode }: IncomingMessage & { req?: { method: string } }): boolean {
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

function unpackerOf(url: RequestUrl, { headers }: IncomingMessage): Transform | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw badAnswer(url, `it is packed as ${quote(encoding.slice(0, 40))}`);
}

export interface Collected {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** The first so many bytes. */
export async function collect(
  parts: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Collected> {
  const kept: Uint8Array[] = [];
  let leftBytes = limitBytes;
  for await (const bytes of parts) {
    kept.push(bytes.subarray(0, leftBytes));
    if (bytes.length > leftBytes) return { bytes: Buffer.concat(kept), truncated: true };
    leftBytes -= bytes.length;
  }
  return { bytes: Buffer.concat(kept), truncated: false };
}

/** All of it, or `http.too-large`. */
export async function* allOf(
  url: RequestUrl,
  parts: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  let leftBytes = limitBytes;
  for await (const bytes of parts) {
    leftBytes -= bytes.length;
    if (leftBytes < 0) throw tooLarge(url, 'The answer of', limitBytes);
    yield bytes;
  }
}
