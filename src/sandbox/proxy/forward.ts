/**
 * One request in plain text, passed on and its answer passed back.
 *
 * P1. What was matched is what is sent: the address as parseRequestUrl has read it.
 * P2. One request, one connection to there. Redirects go to the client as they are.
 * P3. Bodies flow no faster than they are taken, either way.
 */
import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { hostAndPort, parseRequestUrl, type RequestUrl } from '../../kernel/capability/url-text.ts';
import { must } from '../../kernel/must.ts';
import { badAnswer } from '../../security/egress/dial.ts';
import { requestAction } from '../../security/egress/fetch-action.ts';
import { asRefusal, Flow, IdleWatch, reach, tooLarge, tooSlow } from './flow.ts';
import { type Passage, type ProxyDeps, ProxyRefusal, proxyLimits } from './passage.ts';

/** Rejects before the first byte of an answer, or when that was cut off. */
export async function forward(
  deps: ProxyDeps,
  passage: Passage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const plain = readPlainRequest(request);
  const { url } = plain;
  const action = requestAction(plain.method, url);
  const { upstream, sizeBytes } = await reach(deps, passage, url, action);
  try {
    closeWhenEnded(upstream, passage.signal);
    if ((plain.bodyBytes ?? 0) > sizeBytes) throw tooLarge(url, sizeBytes);
    using flow = new Flow(deps, passage, url, sizeBytes);
    if (request.headers.expect !== undefined) response.writeContinue();
    const answer = await ask(deps, { passage, flow, request, plain, upstream });
    if (Number(answer.headers['content-length'] ?? 0) > sizeBytes) throw tooLarge(url, sizeBytes);
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 502, [...withoutHops(answer.rawHeaders)]);
    await pipeline(answer, flow.meter(), response);
  } catch (failure) {
    throw passage.signal.aborted ? passage.signal.reason : asRefusal(url, failure);
  } finally {
    upstream.destroy();
    // What is left of its body is in the way of the next request.
    request.unpipe();
    request.resume();
  }
}

interface Asking {
  readonly passage: Passage;
  readonly flow: Flow;
  readonly request: IncomingMessage;
  readonly plain: PlainRequest;
  readonly upstream: Socket;
}

/** Sends it and waits for the head of the answer. */
async function ask(
  { clock }: ProxyDeps,
  { passage, flow, request, plain, upstream }: Asking,
): Promise<IncomingMessage> {
  const { url } = plain;
  const sent = start(plain, upstream);
  using idle = new IdleWatch(clock, proxyLimits.answerHeadMs, () =>
    passage.end(tooSlow(url, `has not answered within ${proxyLimits.answerHeadMs} ms`)),
  );
  // P3
  request.pipe(flow.meter(() => idle.touch())).pipe(sent);
  const answer = await answerTo(sent);
  const coding = answer.headers['transfer-encoding'] ?? 'chunked';
  if (coding.toLowerCase() !== 'chunked') throw badAnswer(url, 'its coding is not known');
  return answer;
}

/** P1, P2 */
function start({ method, url, headers }: PlainRequest, upstream: Socket): ClientRequest {
  return startRequest({
    // Our own connection, so that no agent, proxy or second look at the name comes in.
    createConnection: () => upstream,
    method,
    path: url.pathAndQuery,
    headers: [...headers],
    maxHeaderSize: proxyLimits.answerHeadBytes,
    // Said, because the environment could say otherwise.
    insecureHTTPParser: false,
  });
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve);
  // Stays: a failure that no caller waits for any more must not end the daemon.
  sent.on('error', reject);
  sent.once('close', () => reject(new Error('closed')));
  return promise;
}

function closeWhenEnded(upstream: Socket, signal: AbortSignal): void {
  const onEnd = (): void => void upstream.destroy();
  signal.addEventListener('abort', onEnd, { once: true });
  upstream.once('close', () => signal.removeEventListener('abort', onEnd));
  if (signal.aborted) onEnd();
}

interface PlainRequest {
  readonly method: string;
  readonly url: RequestUrl;
  /** For the wire: names and values in turn. */
  readonly headers: readonly string[];
  /** Where the request says it. */
  readonly bodyBytes: number | undefined;
}

/** Throws a Refusal, or `http.bad-url`. */
function readPlainRequest(request: IncomingMessage): PlainRequest {
  const { method = '', url: target = '', rawHeaders, headers } = request;
  if (headers.upgrade !== undefined) throw new ProxyRefusal(501, 'No upgrades over plain HTTP');
  if (target.startsWith('/') || target === '*') throw originForm();
  const url = parseRequestUrl(target);
  if (url.scheme === 'https')
    throw new ProxyRefusal(400, 'https:// needs a tunnel\nAsk with CONNECT');
  if (countOf(rawHeaders, 'host') > 1)
    throw new ProxyRefusal(400, 'The header Host is there twice');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new ProxyRefusal(501, 'No transfer coding but chunked');
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
function withoutHops(
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
    pairs.push([
      must(rawHeaders[index], 'the name of a header'),
      must(rawHeaders[index + 1], 'the value of a header'),
    ]);
  }
  return pairs;
}

function countOf(rawHeaders: readonly string[], wanted: string): number {
  return pairsOf(rawHeaders).filter(([name]) => name.toLowerCase() === wanted).length;
}

function originForm(): ProxyRefusal {
  return new ProxyRefusal(
    400,
    'This is a proxy, and no server of its own\nAsk for the whole address: GET http://host/path',
  );
}
