/** One request over one connection, up to the head of its answer. */
import { type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { hostAndPort } from '../../kernel/capability/url-text.ts';
import type { OutgoingRequest } from '../../verbs/http.ts';

const longestHeadBytes = 32 * 1024;

/** Sends it and waits for the answer's head. The socket is closed at once when the signal aborts. */
export async function exchange(
  socket: Socket,
  outgoing: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    closeWhenAborted(socket, signal);
    const answer = await answerTo(socket, outgoing);
    // The reader of the answer hears of a failure by reading.
    answer.on('error', () => undefined);
    return answer;
  } catch (failure) {
    socket.destroy();
    throw failure;
  }
}

function answerTo(socket: Socket, outgoing: OutgoingRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = startRequest({
    // Our own connection, so that no agent, proxy or second look at the name comes in.
    createConnection: () => socket,
    method: outgoing.method,
    path: outgoing.url.pathAndQuery,
    headers: wireHeaders(outgoing),
    maxHeaderSize: longestHeadBytes,
    // Said, because the environment could say otherwise.
    insecureHTTPParser: false,
  });
  sent.once('response', resolve);
  // Stays: a failure that is no longer waited for must not end the daemon.
  sent.on('error', reject);
  sent.once('close', () => reject(new Error('closed')));
  sent.end(outgoing.body);
  return promise;
}

function closeWhenAborted(socket: Socket, signal: AbortSignal): void {
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
}

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function wireHeaders({ method, url, headers, body }: OutgoingRequest): Record<string, string> {
  const length = body?.length ?? (withBody.has(method) ? 0 : undefined);
  return Object.fromEntries([
    ['host', hostAndPort(url)],
    ['user-agent', 'agent-os'],
    ['accept', '*/*'],
    ...headers,
    // What is not asked for is not packed; some pack it all the same.
    ['accept-encoding', 'identity'],
    ['connection', 'close'],
    ...(length === undefined ? [] : [['content-length', String(length)]]),
  ]);
}
