/** What happens first to whatever comes through a door. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AosError } from '../../kernel/errors.ts';
import { type UpgradeDeps, type UpgradeRequest, upgrade } from '../socket/upgrade.ts';
import type { RunningFeeds } from '../streams/running-feeds.ts';
import type { SlowArrivals } from './connections.ts';
import type { GatewayLog } from './deps.ts';
import type { DoorsDeps } from './doors.ts';
import type { Metrics } from './metrics.ts';
import {
  badRequest,
  hiddenBug,
  knownFailure,
  problemHeaders,
  problemOf,
  slowRequest,
} from './problem.ts';
import type { Refusals } from './refusals.ts';
import { foreignRequest, type RequestIds, unclearRequest } from './request-head.ts';

export interface EntranceDeps extends UpgradeDeps {
  readonly refusals: Refusals;
  readonly metrics: Metrics;
  readonly log: GatewayLog;
  readonly running: RunningFeeds;
  readonly commonHeaders: Readonly<Record<string, string>>;
  readonly requestIds: RequestIds;
  readonly arrivals: SlowArrivals;
  /** The framework. */
  route(request: IncomingMessage, response: ServerResponse): void;
}

export function entrances(
  deps: EntranceDeps,
): Pick<DoorsDeps, 'onRequest' | 'onUpgrade' | 'onBadRequest'> {
  const { refusals, metrics, arrivals, requestIds } = deps;
  return {
    onRequest(door, request, response) {
      const refusal =
        unclearRequest(request) ?? foreignRequest(door, request) ?? strangeTarget(request.url);
      if (refusal === undefined) {
        arrivals.watch(request);
        deps.route(request, response);
        return;
      }
      refusals.add(door, refusal);
      answerProblem(response, refusal, headersWith(deps, requestIds.of(request.headers)));
    },
    onUpgrade(door, request, connection, head) {
      deps.running.track(upgradeOrRefuse(deps, { door, request, connection, head }));
    },
    onBadRequest(error: Error, connection: Duplex) {
      // It was cut off, for which nothing that was sent need be wrong (connections.ts).
      if (connection.destroyed) return;
      if (isHangUp(error)) {
        connection.destroy();
        return;
      }
      const known = knownFailure(error) ?? badRequest('This is not a valid HTTP request');
      metrics.refused(known.code);
      refuseConnection(connection, known, headersWith(deps, requestIds.next()));
    },
  };
}

function headersWith({ commonHeaders }: EntranceDeps, requestId: string) {
  return { ...commonHeaders, 'x-request-id': requestId };
}

// The client is gone, and nothing was wrong with what it sent.
function isHangUp(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

// A target that names a whole other place is for proxies, and this is none.
function strangeTarget(url = ''): AosError | undefined {
  return url.startsWith('/') ? undefined : badRequest('The target of a request begins with "/"');
}

/** To be called from time to time. */
export function refuseSlow(deps: EntranceDeps): void {
  for (const { socket, headers } of deps.arrivals.overdue()) {
    const refusal = slowRequest();
    deps.metrics.refused(refusal.code);
    refuseConnection(socket, refusal, headersWith(deps, deps.requestIds.of(headers)));
  }
}

async function upgradeOrRefuse(deps: EntranceDeps, request: UpgradeRequest): Promise<void> {
  const { door, connection } = request;
  const requestId = deps.requestIds.of(request.request.headers);
  // Until it is a WebSocket nothing else listens, and a failure would end the process.
  connection.on('error', () => connection.destroy());
  try {
    await upgrade(deps, request);
  } catch (failure) {
    const known = knownFailure(failure);
    if (known === undefined) {
      deps.log.error({ err: failure, request_id: requestId }, 'a WebSocket broke');
    } else deps.refusals.add(door, known);
    refuseConnection(connection, known ?? hiddenBug(requestId), headersWith(deps, requestId));
  }
}

// Problems that are answered before, or without, the framework.

type Headers = Readonly<Record<string, string>>;

function answerProblem(response: ServerResponse, error: AosError, common: Headers): void {
  const problem = problemOf(error);
  response.writeHead(problem.status, { ...common, ...problemHeaders(error), connection: 'close' });
  response.end(JSON.stringify(problem));
}

/** On a connection that no response belongs to. */
function refuseConnection(connection: Duplex, error: AosError, common: Headers): void {
  if (!connection.writable) {
    connection.destroy();
    return;
  }
  const problem = problemOf(error);
  const text = JSON.stringify(problem);
  const headers = {
    ...common,
    ...problemHeaders(error),
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('')}\r\n`;
  // Whatever else comes is not looked at.
  connection.on('error', () => {});
  connection.end(head + text, () => connection.destroy());
}
