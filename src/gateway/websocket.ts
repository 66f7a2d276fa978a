/** The feed over a WebSocket: the same events, one JSON text each. */
import { type WebSocket, WebSocketServer } from 'ws';
import { AosError } from '../kernel/errors.ts';
import type { SocketMessage } from './contract.ts';
import { type FeedDeps, type FeedSink, type Reader, serveFeed } from './feed-connection.ts';
import { badRequest, problemOf } from './problem.ts';
import { wireEvent } from './wire.ts';

const longestMessageBytes = 64 * 1024;
// Somebody who asks and does not read the answers is cut off here.
const mostUnreadBytes = 1024 * 1024;
const silentBeats = 3;

export interface WebSocketReader extends Reader {
  /** Throws when the caller sends too much. */
  countMessage(): void;
}

export function createWebSocketServer(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: longestMessageBytes,
    // A few bytes could unpack to very many.
    perMessageDeflate: false,
  });
}

/** Writes events to the socket, and answers what comes in, until one side ends it. */
export async function serveWebSocket(
  deps: FeedDeps,
  reader: WebSocketReader,
  { socket, from }: { readonly socket: WebSocket; readonly from: number },
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // What is no WebSocket is answered by the library, with the reason, and ends in `close`.
  socket.on('error', () => {});
  socket.on('ping', () => cutOffWhenFull(deps, socket));
  socket.on('message', (data, isBinary) => {
    cutOffWhenFull(deps, socket);
    answer(socket, reader, isBinary ? undefined : data.toString());
  });
  await serveFeed(deps, reader, { sink: webSocketSink(deps, socket), from, gone: gone.signal });
}

function cutOffWhenFull({ metrics }: FeedDeps, socket: WebSocket): void {
  if (socket.bufferedAmount <= mostUnreadBytes || socket.readyState !== socket.OPEN) return;
  metrics.cutOff.inc();
  socket.terminate();
}

function answer(socket: WebSocket, reader: WebSocketReader, text: string | undefined): void {
  try {
    reader.countMessage();
    if (messageType(text) === 'ping') void send(socket, { type: 'pong' });
    else throw badRequest('The only message that is understood is {"type":"ping"}');
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    void send(socket, { type: 'error', problem: problemOf(failure) });
    if (failure.code === 'gateway.too-many') socket.close(1008, 'too many messages');
  }
}

function messageType(text: string | undefined): unknown {
  try {
    const message: unknown = JSON.parse(text ?? '');
    return typeof message === 'object' && message !== null && 'type' in message
      ? message.type
      : undefined;
  } catch {
    // It is told what would be understood.
    return undefined;
  }
}

function webSocketSink({ metrics }: FeedDeps, socket: WebSocket): FeedSink {
  let unansweredBeats = 0;
  socket.on('pong', () => {
    unansweredBeats = 0;
  });
  return {
    begin: () => {},
    write: ({ pruned, events }) => {
      if (pruned !== undefined) void send(socket, { type: 'pruned', ...pruned });
      // Messages leave in order, so the last one tells for all.
      let left = Promise.resolve();
      for (const event of events) left = send(socket, { type: 'event', ...wireEvent(event) });
      return left;
    },
    heartbeat: () => {
      if (unansweredBeats++ < silentBeats) return socket.ping();
      metrics.cutOff.inc();
      socket.terminate();
    },
    end: () => socket.close(1001, 'the daemon stops'),
    destroy: () => socket.terminate(),
  };
}

/** Resolves when it has left this process, or when the socket has closed under it. */
function send(socket: WebSocket, message: SocketMessage): Promise<void> {
  return new Promise((resolve) => {
    // A failure is no news: the socket's `close` says the same.
    socket.send(JSON.stringify(message), () => resolve());
  });
}
