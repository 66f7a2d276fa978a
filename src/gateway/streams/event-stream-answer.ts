/** The feed as server-sent events. */
import type { ServerResponse } from 'node:http';
import { wireEvent } from '../routes/views/event-wire.ts';
import { type FeedDeps, type FeedSink, type Reader, serveFeed } from './feed-connection.ts';

/** Takes the response over and writes events to it until one side ends it. */
export async function answerWithEvents(
  deps: FeedDeps,
  reader: Reader,
  { response, from, headers }: EventStreamAnswer,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // A feed has no end, so nothing can follow it on this connection.
    connection: 'close',
  });
  await serveFeed(deps, reader, { sink: eventStreamSink(response), from, gone: gone.signal });
}

interface EventStreamAnswer {
  readonly response: ServerResponse;
  readonly from: number;
  readonly headers: Readonly<Record<string, string>>;
}

function eventStreamSink(response: ServerResponse): FeedSink {
  // An id without data is no event and moves the reader's place all the same: a client that
  // is cut off before the first event goes on where this began.
  const place = (position: number) => `id: ${position}\n: still here\n\n`;
  return {
    begin: (position) => void response.write(place(position)),
    heartbeat: (position) => void response.write(place(position)),
    write: ({ pruned, events }) => {
      const notice = pruned === undefined ? '' : prunedText(pruned);
      const text = events.map((event) => feedText(wireEvent(event))).join('');
      return response.write(notice + text) ? undefined : drained(response);
    },
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}

function prunedText({ from, to }: { from: number; to: number }): string {
  return `id: ${to}\nevent: pruned\ndata: ${JSON.stringify({ from, to })}\n\n`;
}

// Kinds are checked nowhere but where they are written down, and a line end in one
// would be a line of the stream. JSON has none.
function feedText(event: ReturnType<typeof wireEvent>): string {
  const kind = event.kind.replace(/[\r\n\0]/g, ' ');
  return `id: ${event.seq}\n${eventText(kind, event)}`;
}

/** The name must have no line end in it; JSON has none. */
export function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Also when the reader has left. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.removeListener('drain', done);
      response.removeListener('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
