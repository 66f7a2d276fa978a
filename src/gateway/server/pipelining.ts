/**
 * A client may send requests without waiting for their answers. Node parses all that a read has
 * brought, 64 KiB or 1,400 requests, before it looks at how much of the answers was taken; it goes
 * on with that even where the connection was destroyed meanwhile. A thousand clients that never
 * read fill the memory so. Hence the parser itself is told to stop at the first request too many,
 * for which nothing offers a way but its own callback.
 */
import type { Duplex } from 'node:stream';

/** What Node hangs on a connection, and does not document. */
interface Parsed {
  readonly parser?: { onIncoming: OnIncoming | null } | null;
}

/** Called when the head of a request has come; what is below zero ends the parsing. */
type OnIncoming = (...head: readonly unknown[]) => number;
const stop = -1;

/** Ends a connection that sends a request while `isFull` says so; to be called when it has come. */
export function limitPipelining(connection: Duplex, isFull: () => boolean): void {
  const { parser } = connection as Parsed;
  const take = parser?.onIncoming;
  if (!parser || !take) return;
  parser.onIncoming = (...head) => {
    if (!connection.destroyed && !isFull()) return take(...head);
    // Nothing is said: it would be read as the answer to a request that still waits for its own.
    connection.destroy();
    return stop;
  };
}
