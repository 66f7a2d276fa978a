/** `http.fetch`: what it takes, and the request that it asks for, before any secret is in it. */
import * as z from 'zod';
import { parseRequestUrl, type RequestUrl } from '../kernel/capability/url-text.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { type HttpAction, type Method, requestAction } from '../security/egress/fetch-action.ts';
import { actionOnFile, type HomeFolder, tool } from './verb.ts';

const longestTimeoutMs = 3_600_000;
const mostRedirects = 10;

export const fetchArgs = z.strictObject({
  url: z.string().describe('https://host/path, every other character encoded'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('A value may have {{secret:NAME}} where that secret is for this host and header'),
  body: z
    .string()
    .refine((text) => text.isWellFormed(), 'it has half a character in it')
    .optional(),
  body_base64: z.base64().optional().describe('Instead of body, for bytes that are no text'),
  timeout_ms: z.int().min(1).max(longestTimeoutMs).optional(),
  max_bytes: z
    .int()
    .min(1)
    .optional()
    .describe('Of the answer. A longer one is cut and marked; one to be saved is refused'),
  max_redirects: z
    .int()
    .min(0)
    .max(mostRedirects)
    .default(5)
    .describe('With 0 the redirect itself is the answer'),
  save_to: z
    .string()
    .optional()
    .describe('The whole path of a file that gets the body of a 2xx answer'),
  if_exists: z.enum(['refuse', 'replace']).default('refuse').describe('What save_to does then'),
});

export type FetchArgs = z.infer<typeof fetchArgs>;

export interface OutgoingRequest {
  readonly method: Method;
  readonly url: RequestUrl;
  /** By their names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

export const fetchVerb = tool<FetchArgs, HomeFolder>({
  name: 'http.fetch',
  summary: 'Asks a web server and gives its answer',
  effect: 'changes',
  toolEffect: ({ method, save_to }) => {
    if (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') return 'external';
    return save_to === undefined ? 'read' : 'write';
  },
  input: fetchArgs,
  permission: (args, { home }) => [
    actionFor(outgoingOf(args)),
    ...(args.save_to === undefined ? [] : [actionOnFile(home, args.save_to, 'write')]),
  ],
});

export function actionFor({ method, url }: OutgoingRequest): HttpAction {
  return requestAction(method, url);
}

/** Throws `http.bad-url` and `http.bad-request`. */
export function outgoingOf(args: FetchArgs): OutgoingRequest {
  const { method } = args;
  const body = bodyOf(args);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw badRequest(`A ${method} request has no body`, 'Leave the body away, or use POST');
  }
  if (method === 'HEAD' && args.save_to !== undefined) {
    throw badRequest('The answer to HEAD has no body to save', 'Leave save_to away, or use GET');
  }
  return {
    method,
    url: parseRequestUrl(args.url),
    headers: checkHeaders(Object.entries(args.headers ?? {})),
    body,
  };
}

function bodyOf({ body, body_base64 }: FetchArgs): Uint8Array | undefined {
  if (body !== undefined && body_base64 !== undefined) {
    throw badRequest('The request has two bodies', 'Give either body or body_base64');
  }
  if (body !== undefined) return Buffer.from(body);
  return body_base64 === undefined ? undefined : Buffer.from(body_base64, 'base64');
}

/** What says how the bytes on the wire are to be read is never the caller's to say. */
const ours: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'keep-alive',
  'accept-encoding',
  'http2-settings',
]);

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const visible = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;
const mostHeaders = 100;
const longestHeaders = 16 * 1024;

function checkHeaders(given: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let length = 0;
  for (const [name, value] of given) {
    const key = name.toLowerCase();
    if (!token.test(name)) throw badRequest(`${quote(name.slice(0, 40))} is no name of a header`);
    if (ours.has(key) || key.startsWith('proxy-')) {
      throw badRequest(`The header ${quote(name)} is not the caller's`, 'Leave it away');
    }
    if (!visible.test(value)) {
      // Not its value, which may be a secret.
      throw badRequest(
        `The value of the header ${quote(name)} has a character that cannot stand there`,
        'Use visible ASCII, on one line, without blanks around it',
      );
    }
    if (headers.has(key)) throw badRequest(`The header ${quote(name)} is there twice`);
    length += name.length + value.length;
    headers.set(key, value);
  }
  if (headers.size > mostHeaders || length > longestHeaders) {
    throw badRequest(`The headers are more than ${mostHeaders}, or ${longestHeaders} characters`);
  }
  return headers;
}

function badRequest(message: string, fix = 'Write the headers as {"name": "value"}'): AosError {
  return new AosError('http.bad-request', { message, fix });
}
