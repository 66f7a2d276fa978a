/** The gateway: one application behind several doors. */
import type { Duplex } from 'node:stream';
import { tokenMs } from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { chainHead } from '../../ledger/events.ts';
import { totalPending } from '../../ledger/messages/messages.ts';
import { allHeldBytes } from '../../ledger/transfers/bodies.ts';
import { apiVersion } from '../contract/contract.ts';
import { allRoutes } from '../routes/all-routes.ts';
import type { RouteDeps } from '../routes/handlers.ts';
import { LiveMail } from '../socket/mail-attachment.ts';
import { compileSocketChecks } from '../socket/socket-checks.ts';
import { createWebSocketServer } from '../socket/websocket.ts';
import { feedPosition } from '../streams/event-query.ts';
import { Doorbell } from '../streams/feed.ts';
import type { FeedDeps } from '../streams/feed-connection.ts';
import { RunningFeeds, StreamSlots } from '../streams/running-feeds.ts';
import { Admittance } from './admit.ts';
import { createApp } from './app.ts';
import { Authenticator } from './authenticate.ts';
import { doorOf, SlowArrivals } from './connections.ts';
import { defaultLimits, type GatewayDeps, type GatewayLimits } from './deps.ts';
import { Doors } from './doors.ts';
import { entrances, refuseSlow } from './entrances.ts';
import { Idempotency } from './idempotency.ts';
import { createMetrics, showRuntime } from './metrics.ts';
import { Refusals } from './refusals.ts';
import { RequestIds } from './request-head.ts';
import { SignedCallers } from './signed-callers.ts';

export interface Gateway extends AsyncDisposable {
  openOwnerDoor(path: string): Promise<void>;
  openAgentDoor(name: string, path: string): Promise<void>;
  closeAgentDoor(name: string): Promise<void>;
  /** Resolves to the port, which the system chooses for 0. */
  openTcpDoor(where: { readonly host: string; readonly port: number }): Promise<number>;
  /** A connection from inside this process, as the owner's. */
  connect(): Duplex;
  /** Ends the feeds, lets requests end that are under way, then cuts off what is left. */
  close(options?: { readonly graceMs: number }): Promise<void>;
}

const defaultGraceMs = 5000;

export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const parts = assemble(deps);
  const { bell, running, webSockets, closing, limits } = parts;
  let tcpPort: number | undefined;
  const app = await createApp(
    parts,
    routesOf(deps, parts, {
      openAgentDoor: (...door) => doors.openAgent(...door),
      tcpPort: () => tcpPort,
    }),
  );
  const route = app.routing.bind(app);
  const { relay, ledger, attachments, clock } = deps;
  const checks = compileSocketChecks(app);
  const mail = { relay, attachments, ledger, checks, live: new LiveMail(), clock };
  const entranceDeps = { ...parts, ...mail, route };
  const publicUrl = publicUrlOf(deps);
  const doors = new Doors({ ...deps, publicUrl, limits, ...entrances(entranceDeps) });
  const wake = deps.ledger.onEvents(() => bell.ring());
  const background = keepLooking(deps, parts, () => refuseSlow(entranceDeps));

  const close = async (graceMs: number): Promise<void> => {
    closing.abort();
    const closed = doors.close(graceMs);
    await running.allEnded();
    for (const socket of webSockets.clients) socket.terminate();
    await closed;
    await background;
    wake[Symbol.dispose]();
    parts.authenticator[Symbol.dispose]();
    await app.close();
  };
  let ended: Promise<void> | undefined;
  const closeOnce = ({ graceMs } = { graceMs: defaultGraceMs }): Promise<void> => {
    ended ??= close(graceMs);
    return ended;
  };
  return {
    openOwnerDoor: (path) => doors.openOwner(path),
    openAgentDoor: (name, path) => doors.openAgent(name, path),
    closeAgentDoor: (name) => doors.closeAgent(name),
    openTcpDoor: async (where) => {
      tcpPort = await doors.openTcp(where);
      return tcpPort;
    },
    connect: () => doors.connect(),
    close: closeOnce,
    [Symbol.asyncDispose]: () => closeOnce(),
  };
}

/** Until the gateway closes: rings for what a bell may have missed, and refuses slow requests. */
async function keepLooking(
  { clock, log }: GatewayDeps,
  { bell, refusals, closing, limits }: Parts,
  sweep: () => void,
): Promise<void> {
  const ring = (): void => {
    bell.ring();
    refusals.flush();
  };
  const sweepMs = Math.min(limits.requestTimeoutMs, limits.pollMs);
  await Promise.all([
    poll(clock, limits.pollMs, closing.signal, { work: ring, log }),
    poll(clock, sweepMs, closing.signal, { work: sweep, log }),
  ]);
}

function publicUrlOf({ publicUrl }: GatewayDeps): string | undefined {
  return publicUrl === 'none' ? undefined : publicUrl;
}

function signedTooLongAgo(): AosError {
  return new AosError('signature.expired', {
    message: 'The request that opened this stream was signed too long ago',
    fix: 'Sign another, and go on from the last event',
  });
}

type Parts = ReturnType<typeof assemble>;

/** Everything that lives as long as the gateway, and is not yet open to callers. */
function assemble(deps: GatewayDeps) {
  const { ledger, clock, log, version } = deps;
  const limits: GatewayLimits = { ...defaultLimits, ...deps.limits };
  const metrics = createMetrics(async () => (await chainHead(ledger.committed)).seq);
  deps.relayMetrics?.showIn(metrics.registry, () => totalPending(ledger.committed));
  deps.transferMetrics?.showIn(metrics.registry, () => allHeldBytes(ledger.committed));
  showRuntime(metrics.registry, ledger.committed);
  const authenticator = new Authenticator(ledger, clock);
  const signed = new SignedCallers({
    ...{ ledger, clock, legacySignatures: deps.legacySignatures },
    learnKey: (principal, publicKey) => deps.operations.learnKey(principal, publicKey),
  });
  const rate = { perSecond: limits.requestsPerSecond, burst: limits.requestBurst };
  const bell = new Doorbell();
  const closing = new AbortController();
  const { pageEvents, scanEvents } = limits;
  const pause = () => clock.sleep(1);
  const feed = { sql: ledger.committed, bell, pageEvents, scanEvents, pause };
  const feeds: FeedDeps = { feed, clock, metrics, limits, closing: closing.signal };
  return {
    log,
    limits,
    metrics,
    authenticator,
    bell,
    closing,
    feeds,
    admittance: new Admittance({
      ...{ authenticator, signed, clock, version, rate },
      heardFrom: (name) => deps.relay.heardFrom(name),
    }),
    refusals: new Refusals({ ledger, clock, log, metrics }),
    idempotency: new Idempotency(deps),
    requestIds: new RequestIds(),
    running: new RunningFeeds(log),
    arrivals: new SlowArrivals(clock, limits.requestTimeoutMs),
    webSockets: createWebSocketServer(),
    commonHeaders: {
      'x-aos-version': version,
      'x-aos-api': apiVersion,
      ...securityHeaders,
    },
  };
}

function routesOf(
  deps: GatewayDeps,
  { metrics, feeds, commonHeaders, running, admittance }: Parts,
  ways: Pick<RouteDeps, 'openAgentDoor' | 'tcpPort'>,
) {
  const routeDeps: RouteDeps = {
    ...deps,
    metrics,
    feeds,
    commonHeaders,
    ...ways,
    streams: new StreamSlots(),
    track: (feed) => running.track(feed),
    readerOf: ({ caller, query, request }) => {
      const begunAt = deps.clock.monotonicMs();
      const door = doorOf(request.raw.socket);
      return {
        caller,
        query,
        after: feedPosition(request.headers['last-event-id'], query),
        stillAdmitted: () => {
          if (request.signed === undefined) return admittance.recheck(door, request.headers);
          // As long as what a signature can buy, and no longer.
          if (deps.clock.monotonicMs() - begunAt > tokenMs) throw signedTooLongAgo();
          return caller;
        },
      };
    },
  };
  return allRoutes(routeDeps);
}

async function poll(
  clock: Clock,
  everyMs: number,
  signal: AbortSignal,
  { work, log }: { readonly work: () => void; readonly log: GatewayDeps['log'] },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
    } catch {
      // The gateway closes.
      return;
    }
    try {
      work();
    } catch (failure) {
      log.error({ err: failure }, 'what is looked at now and then could not be');
    }
  }
}

/**
 * What keeps browsers from doing more with an answer than to show it. Pages that need more say
 * so themselves: routes/daemon.ts, link-page.ts. There is nothing about other origins here,
 * because none may read anything: request-head.ts.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
