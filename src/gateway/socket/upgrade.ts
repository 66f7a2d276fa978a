/** The way to a WebSocket: the same checks as for a request, made by hand. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type EventQuery, routes } from '../contract/contract.ts';
import type { Admittance } from '../server/admit.ts';
import { isOfHome } from '../server/authenticate.ts';
import type { Door } from '../server/connections.ts';
import { badRequest } from '../server/problem.ts';
import { foreignRequest, unclearRequest } from '../server/request-head.ts';
import { queryNumber } from '../streams/event-query.ts';
import { openingPosition } from '../streams/feed-connection.ts';
import { serveWebSocket, type WebSocketDeps } from './websocket.ts';

export interface UpgradeDeps extends WebSocketDeps {
  readonly admittance: Admittance;
  readonly webSockets: WebSocketServer;
}

export interface UpgradeRequest {
  readonly door: Door;
  readonly request: IncomingMessage;
  readonly connection: Duplex;
  readonly head: Buffer;
}

const webSocketPath = '/api/v1/ws';

/** Serves a WebSocket to its end; throws before anything was answered when it is refused. */
export async function upgrade(
  deps: UpgradeDeps,
  { door, request, connection, head }: UpgradeRequest,
): Promise<void> {
  const { admittance, feeds, webSockets } = deps;
  const foreign = unclearRequest(request) ?? foreignRequest(door, request);
  if (foreign !== undefined) throw foreign;
  const caller = await admittance.admit(door, request.headers, { who: 'any' });
  if (!isOfHome(caller)) throw new Error('an outsider was let in to the WebSocket');
  const { query, wantsFeed } = queryOf(request.url ?? '');
  const reader = {
    caller,
    query,
    after: queryNumber(query.after),
    // It is let in anew as the caller that it was, or not at all.
    stillAdmitted: async () => {
      await admittance.recheck(door, request.headers);
      return caller;
    },
    countMessage: () => door.kind === 'owner' || admittance.again(caller),
  };
  const from = wantsFeed ? await openingPosition(feeds, reader) : undefined;
  const socket = await handshake(webSockets, { request, connection, head });
  if (socket !== undefined) await serveWebSocket(deps, reader, { socket, from });
}

/** Undefined when the other side has left; throws when it does not know how. */
function handshake(
  webSockets: WebSocketServer,
  { request, connection, head }: Omit<UpgradeRequest, 'door'>,
): Promise<WebSocket | undefined> {
  return new Promise((resolve, reject) => {
    connection.once('close', () => resolve(undefined));
    if (connection.destroyed) return resolve(undefined);
    const refuse = (why: Error): void => reject(notUnderstood(why));
    // The library looks at the request before this call returns, so it is about no other.
    webSockets.once('wsClientError', refuse);
    webSockets.handleUpgrade(request, connection, head, resolve);
    webSockets.removeListener('wsClientError', refuse);
  });
}

function notUnderstood({ message }: Error): AosError {
  return badRequest(
    `This does not open a WebSocket: ${message}`,
    'Use a client that speaks version 13 of the protocol',
  );
}

interface SocketQuery {
  readonly query: EventQuery;
  readonly wantsFeed: boolean;
}

function queryOf(url: string): SocketQuery {
  const [path = '', search = ''] = url.split('?', 2);
  if (path !== webSocketPath) {
    throw new AosError('gateway.unknown-route', {
      message: `There is no WebSocket at ${quote(path.slice(0, 100))}`,
      fix: `Use ${webSocketPath}`,
    });
  }
  // Alone: what is asked of no feed would be asked in vain.
  if (search === 'events=no') return { query: {}, wantsFeed: false };
  const pairs = [...new URLSearchParams(search)];
  const names = new Set(pairs.map(([name]) => name));
  const parsed = routes.events.query.safeParse(Object.fromEntries(pairs));
  if (parsed.success && names.size === pairs.length) {
    return { query: parsed.data, wantsFeed: true };
  }
  const field = parsed.error?.issues[0]?.path[0];
  throw badRequest(
    field === undefined
      ? 'The query has a field that it may not have, or one twice'
      : `"${String(field)}" in the query is not valid`,
    'Look at /docs for what this route takes',
  );
}
