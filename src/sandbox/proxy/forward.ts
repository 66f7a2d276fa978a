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
import { badAnswer } from '../../security/egress/dial.ts';
import { requestDeed } from '../../security/egress/fetch-deed.ts';
import { Flow } from './flow.ts';
import { IdleWatch } from './idle-watch.ts';
import type { Passage } from './passage.ts';
import { type PlainRequest, readPlainRequest, withoutHops } from './plain-request.ts';
import { type ProxyDeps, proxyLimits } from './proxy-deps.ts';
import { asRefusal, reach, tooLarge, tooSlow } from './reach.ts';

/** Rejects before the first byte of an answer, or when that was cut off. */
export async function forward(
  deps: ProxyDeps,
  passage: Passage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const plain = readPlainRequest(request);
  const { url } = plain;
  const deed = requestDeed(plain.method, url);
  const { upstream, sizeBytes } = await reach(deps, passage, url, deed);
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
  // Stays: a failure that nobody waits for any more must not end the daemon.
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
