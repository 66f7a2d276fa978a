/**
 * Pages of other sites must not reach the daemon through a browser of this machine:
 * neither under a name of their own that points here (Host), nor from afar (Origin).
 */
import type { IncomingMessage } from 'node:http';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Door } from './door.ts';
import { badRequest } from './problem.ts';

/** Why the request is refused, if it is. */
export function foreignRequest(
  door: Door,
  request: Pick<IncomingMessage, 'headers' | 'httpVersion' | 'method' | 'url'>,
): AosError | undefined {
  const { headers, httpVersion } = request;
  const { host = '', origin } = headers;
  if (headers.host === undefined && httpVersion === '1.1') {
    return badRequest('The request has no "Host"', 'Send "Host: localhost"');
  }
  if (door.kind === 'tcp' && !door.origins.has(host.toLowerCase())) {
    return new AosError('gateway.foreign-host', {
      message: `This is not ${quote(host.slice(0, 100))}: the daemon answers on this machine only`,
      fix: `Use ${[...door.origins.values()][0]}`,
    });
  }
  if (origin !== undefined && !isOwnOrigin(door, origin)) return foreignOrigin(origin);
  if (headers['sec-fetch-site'] === 'cross-site' && !isFollowedLink(request))
    return foreignOrigin(origin ?? 'another site');
  return undefined;
}

/** Somebody came to the page of a link from a mail or a chat. It shows nothing by itself. */
function isFollowedLink({
  method,
  url = '',
  headers,
}: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
  const isNavigation =
    headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isNavigation && /^\/l\/[^/?#]+$/.test(url);
}

// No page is served over a unix socket, so none can send anything there.
function isOwnOrigin(door: Door, origin: string): boolean {
  if (door.kind !== 'tcp') return false;
  return [...door.origins.values()].includes(origin.toLowerCase());
}

function foreignOrigin(origin: string): AosError {
  return new AosError('gateway.foreign-origin', {
    message: `A page of ${quote(origin.slice(0, 100))} may not call the daemon`,
    fix: 'Open the page that the daemon itself serves',
  });
}
