/** Redirects, each of them a request of its own. */
import type { IncomingMessage } from 'node:http';
import {
  parseRequestUrl,
  printRequestUrl,
  type RequestUrl,
} from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { badAnswer } from '../../security/egress/dial.ts';
import type { OutgoingRequest } from '../../verbs/http.ts';
import type { HttpScrubber } from './http-deps.ts';

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface SentOn {
  readonly outgoing: OutgoingRequest;
  /** The names of the headers that had a secret in them. */
  readonly secret: ReadonlySet<string>;
}

/** What to ask next; undefined when this answer is the last. Nothing is permitted yet. */
export function nextRequest(
  scrubber: HttpScrubber,
  { outgoing, secret }: SentOn,
  answer: IncomingMessage,
): OutgoingRequest | undefined {
  const { statusCode: status = 0, headers } = answer;
  if (!statuses.has(status) || headers.location === undefined) return undefined;
  const url = targetOf(scrubber, outgoing.url, headers.location);
  const kept = isSameOrigin(outgoing.url, url)
    ? outgoing.headers
    : without(outgoing.headers, (name) => personal.has(name) || secret.has(name));
  return losesBody(status, outgoing.method)
    ? {
        method: outgoing.method === 'HEAD' ? 'HEAD' : 'GET',
        url,
        headers: without(kept, (name) => name.startsWith('content-')),
        body: undefined,
      }
    : { ...outgoing, url, headers: kept };
}

/** Read by others' rules first, because servers write them loosely; ours have the last word. */
function targetOf(scrubber: HttpScrubber, from: RequestUrl, location: string): RequestUrl {
  // Headers come as one character for each byte.
  const written = Buffer.from(location, 'latin1').toString();
  if (scrubber.scrubText(written) !== written || scrubber.scrubText(location) !== location) {
    throw badAnswer(from, 'it sends on to an address with a secret in it');
  }
  const target = URL.parse(written, printRequestUrl(from));
  if (target === null) throw badAnswer(from, 'it sends on to what is no address');
  // A browser's bookmark, which is never sent.
  target.hash = '';
  const url = parseTarget(from, target.href);
  if (from.scheme === 'https' && url.scheme === 'http') {
    throw badAnswer(from, 'it sends on from https to http, where others can read along');
  }
  return url;
}

function parseTarget(from: RequestUrl, text: string): RequestUrl {
  try {
    return parseRequestUrl(text);
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    throw badAnswer(from, `it sends on, but ${failure.message}`);
  }
}

function isSameOrigin(one: RequestUrl, other: RequestUrl): boolean {
  return one.scheme === other.scheme && one.host === other.host && one.port === other.port;
}

const personal: ReadonlySet<string> = new Set(['authorization', 'cookie']);

function losesBody(status: number, method: string): boolean {
  return status === 303 || (method === 'POST' && (status === 301 || status === 302));
}

function without(
  headers: ReadonlyMap<string, string>,
  isDropped: (name: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => !isDropped(name)));
}
