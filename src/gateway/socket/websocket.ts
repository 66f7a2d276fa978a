/** The feed over a WebSocket: the same events, one JSON text each. And mail, both ways. */
import { type WebSocket, WebSocketServer } from 'ws';
import { AosError } from '../../kernel/errors.ts';
import { jsonBytes } from '../../verbs/limits.ts';
import { wireEvent } from '../routes/views/event-wire.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import {
  type FeedDeps,
  type FeedSink,
  type Reader,
  serveFeed,
} from '../streams/feed-connection.ts';
import type { MailDeps } from './mail-attachment.ts';
import { MailSocket } from './mail-socket.ts';
import { obey, sendText } from './socket-requests.ts';
import { SocketBrake, SocketWriter } from './socket-writer.ts';

// A client that asks and does not read the answers is cut off here.
const mostUnreadBytes = 1024 * 1024;
const silentBeats = 3;

export interface WebSocketReader extends Reader {
  readonly caller: HomeCaller;
  stillAdmitted(): HomeCaller | Promise<HomeCaller>;
  /** Throws when the caller sends too much. */
  countMessage(): void;
}

export function createWebSocketServer(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: jsonBytes,
    // A few bytes could unpack to very many.
    perMessageDeflate: false,
  });
}

export interface WebSocketDeps extends MailDeps {
  readonly feeds: FeedDeps;
}

/** One connection and all that belongs to it. */
interface Connection {
  readonly socket: WebSocket;
  readonly writer: SocketWriter;
  readonly brake: SocketBrake;
  readonly mail: MailSocket;
}

/** Serves the socket until one side ends it; without `from` there is no feed on it. */
export async function serveWebSocket(
  deps: WebSocketDeps,
  reader: WebSocketReader,
  { socket, from }: { readonly socket: WebSocket; readonly from: number | undefined },
): Promise<void> {
  const { feeds } = deps;
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // What is no WebSocket is answered by the library, with the reason, and ends in `close`.
  socket.on('error', () => {});
  const writer = new SocketWriter(socket, feeds.clock);
  const brake = new SocketBrake(socket);
  await using mail = new MailSocket(deps, reader, { socket, writer, brake, gone: gone.signal });
  const connection = { socket, writer, brake, mail };
  const { checks } = deps;
  socket.on('ping', () => cutOffWhenFull(feeds, connection));
  socket.on('message', (data, isBinary) => {
    cutOffWhenFull(feeds, connection);
    obey({ socket, mail, checks, reader }, isBinary ? undefined : data.toString());
  });
  const sink = webSocketSink(feeds, connection);
  const watching = watchWriter(feeds, connection, gone.signal);
  if (from === undefined) await serveWithoutFeed(feeds, reader, { sink, gone: gone.signal });
  else await serveFeed(feeds, reader, { sink, from, gone: gone.signal });
  gone.abort();
  await watching;
}

/** Beats like a feed, and ends like one. */
async function serveWithoutFeed(
  { clock, limits, closing }: FeedDeps,
  reader: WebSocketReader,
  { sink, gone }: { readonly sink: FeedSink; readonly gone: AbortSignal },
): Promise<void> {
  const signal = AbortSignal.any([gone, closing]);
  try {
    while (!signal.aborted) {
      // Ended early by either side, which the loop sees.
      await clock.sleep(limits.heartbeatMs, signal).catch(() => {});
      await reader.stillAdmitted();
      if (!signal.aborted) sink.heartbeat(0);
    }
    sink.end();
  } catch (failure) {
    // A handle that was revoked: its owner hears of it when it comes again.
    sink.destroy();
    if (!(failure instanceof AosError)) throw failure;
  }
}

/** Mail and answers that are not taken for so long will not be taken. */
async function watchWriter(
  { clock, limits, metrics }: FeedDeps,
  { writer, socket }: Connection,
  gone: AbortSignal,
): Promise<void> {
  while (!gone.aborted) {
    // Ended by the connection's end.
    await clock.sleep(Math.ceil(limits.slowReaderMs / 2), gone).catch(() => {});
    if (gone.aborted || writer.stuckMs < limits.slowReaderMs) continue;
    metrics.cutOff.inc();
    socket.terminate();
  }
}

/** What the writer has on its way is bounded there; the rest is answers that are not waited for. */
function cutOffWhenFull({ metrics }: FeedDeps, { socket, writer }: Connection): void {
  const unreadBytes = socket.bufferedAmount - writer.leavingBytes;
  if (unreadBytes <= mostUnreadBytes || socket.readyState !== socket.OPEN) return;
  metrics.cutOff.inc();
  socket.terminate();
}

function webSocketSink({ metrics }: FeedDeps, { socket, brake }: Connection): FeedSink {
  let unansweredBeats = 0;
  socket.on('pong', () => {
    unansweredBeats = 0;
  });
  return {
    begin: () => {},
    write: ({ pruned, events }) => {
      if (pruned !== undefined) void sendText(socket, { type: 'pruned', ...pruned });
      // Messages leave in order, so the last one tells for all.
      let left = Promise.resolve();
      for (const event of events) left = sendText(socket, { type: 'event', ...wireEvent(event) });
      return left;
    },
    heartbeat: () => {
      // While it is slowed down its pongs are not read either.
      if (brake.isOn) unansweredBeats = 0;
      if (unansweredBeats++ < silentBeats) return socket.ping();
      metrics.cutOff.inc();
      socket.terminate();
    },
    end: () => socket.close(1001, 'the daemon stops'),
    destroy: () => socket.terminate(),
  };
}
