/**
 * A request may be answered before its body has come. Were the connection closed then, as its
 * client asked, the client would find it broken in the middle of sending, and not look for an
 * answer: over TCP that is even thrown away by the system. So the rest is taken and dropped first,
 * for a while.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';

export interface LingerDeps {
  readonly clock: Clock;
  /** Who sends for longer than this is cut off. */
  readonly lingerMs: number;
}

/** To be called when the request comes. */
export function lingerAfter(
  deps: LingerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { headers, socket } = request;
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return;
  const wantsClose = !response.shouldKeepAlive;
  // Else Node closes it as soon as the answer is written.
  response.shouldKeepAlive = true;
  if (wantsClose) response.removeHeader('connection');
  response.once('finish', () => {
    if (request.complete) {
      if (wantsClose) closeSoon(socket);
      return;
    }
    if (socket.destroyed) return;
    const taken = new AbortController();
    const onTaken = (): void => {
      socket.removeListener('close', onTaken);
      taken.abort(early);
    };
    // Node drops what comes now.
    request.once('end', onTaken);
    socket.once('close', onTaken);
    deps.clock.sleep(deps.lingerMs, taken.signal).then(
      () => socket.destroy(),
      () => wantsClose && closeSoon(socket),
    );
  });
}

function closeSoon(socket: Duplex & { destroySoon?: () => void }): void {
  if (socket.destroySoon === undefined) socket.end();
  else socket.destroySoon();
}
