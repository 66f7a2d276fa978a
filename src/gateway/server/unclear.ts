/**
 * Requests that a proxy before the daemon could read in another way than the daemon does: what it
 * had looked at would not be what is done.
 */
import type { IncomingMessage } from 'node:http';
import type { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { badRequest } from './problem.ts';

/** Why the request is refused, if it is. */
export function unclearRequest({
  rawHeaders,
  headers,
  url = '',
}: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'url'>): AosError | undefined {
  const twice = saidTwice(rawHeaders);
  if (twice !== undefined) {
    return badRequest(`The header ${quote(twice)} is there twice`, 'Send it once');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return badRequest(
      `The body comes in a coding that is not known: ${quote(coding.slice(0, 100))}`,
      'Send "Transfer-Encoding: chunked", or "Content-Length"',
    );
  }
  const [path = ''] = url.split('?', 1);
  const [code] = encodedLetter.exec(path) ?? [];
  if (code === undefined) return undefined;
  const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return badRequest(`The path has ${quote(letter)} written as ${code}`, `Write ${quote(letter)}`);
}

/** Those by which something is decided. Of two, one would be heeded and the other one not. */
const saidOnce: ReadonlySet<string> = new Set([
  ...['host', 'authorization', 'signature', 'origin', 'x-aos-client', 'idempotency-key'],
  ...['content-length', 'content-type', 'transfer-encoding', 'expect', 'range', 'last-event-id'],
  ...['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
]);

function saidTwice(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!saidOnce.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** A letter, a digit, or one of `-._~`: nobody has to encode them. */
const encodedLetter = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;
