/** A request in plain text, as it came in and as it goes on. */
import type { IncomingMessage } from 'node:http';
import { hostAndPort, parseRequestUrl, type RequestUrl } from '../../kernel/capability/url-text.ts';
import { Refusal } from './refusal.ts';

export interface PlainRequest {
  readonly method: string;
  readonly url: RequestUrl;
  /** For the wire: names and values in turn. */
  readonly headers: readonly string[];
  /** Where the request says it. */
  readonly bodyBytes: number | undefined;
}

/** Throws a Refusal, or `http.bad-url`. */
export function readPlainRequest(request: IncomingMessage): PlainRequest {
  const { method = '', url: target = '', rawHeaders, headers } = request;
  if (headers.upgrade !== undefined) throw new Refusal(501, 'No upgrades over plain HTTP');
  if (target.startsWith('/') || target === '*') throw originForm();
  const url = parseRequestUrl(target);
  if (url.scheme === 'https') throw new Refusal(400, 'https:// needs a tunnel\nAsk with CONNECT');
  if (countOf(rawHeaders, 'host') > 1) throw new Refusal(400, 'The header Host is there twice');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new Refusal(501, 'No transfer coding but chunked');
  }
  const framing = coding === undefined ? lengthHeaders(method, headers) : chunked;
  return {
    method,
    url,
    headers: [
      ...['host', hostAndPort(url)],
      ...endToEnd(rawHeaders),
      ...['connection', 'close'],
      ...framing,
    ],
    bodyBytes: coding === undefined ? Number(headers['content-length'] ?? 0) : undefined,
  };
}

const chunked = ['transfer-encoding', 'chunked'];
const oftenEmpty: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

function lengthHeaders(method: string, headers: IncomingMessage['headers']): readonly string[] {
  const length = headers['content-length'] ?? (oftenEmpty.has(method) ? undefined : '0');
  return length === undefined ? [] : ['content-length', length];
}

/** What is said to the next server only, and what we say ourselves. */
const betweenTwo: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
const ofRequests: ReadonlySet<string> = new Set(['host', 'expect', 'content-length']);

function endToEnd(rawHeaders: readonly string[]): readonly string[] {
  return withoutHops(rawHeaders, ofRequests);
}

/** Those of a message that go on, in their order. */
export function withoutHops(
  rawHeaders: readonly string[],
  more: ReadonlySet<string> = new Set(),
): readonly string[] {
  const named = namedByConnection(rawHeaders);
  const isHop = (name: string) =>
    betweenTwo.has(name) || more.has(name) || named.has(name) || name.startsWith('proxy-');
  return pairsOf(rawHeaders).flatMap(([name, value]) =>
    isHop(name.toLowerCase()) ? [] : [name, value],
  );
}

function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  const values = pairsOf(rawHeaders).filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(
    values.flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  );
}

function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}

function countOf(rawHeaders: readonly string[], wanted: string): number {
  return pairsOf(rawHeaders).filter(([name]) => name.toLowerCase() === wanted).length;
}

function originForm(): Refusal {
  return new Refusal(
    400,
    'This is a proxy, and no server of its own\nAsk for the whole address: GET http://host/path',
  );
}
