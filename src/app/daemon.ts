/**
 * The daemon: opens the home, serves it until it is told to stop, and closes it.
 *
 * D1. Nothing is served before the home is wholly open; `ready` comes last.
 * D2. To stop is to take no more work, let what is under way end, sign the end of the
 *     chain, and close. Killed at any line instead, the next start finds everything.
 * D3. A daemon that can write no more (its disk failed, its home was taken over) ends.
 */
import { join } from 'node:path';
import { countRelay, countTransfers } from '../gateway/server/metrics.ts';
import { createGateway } from '../gateway/server/server.ts';
import { countAgents } from '../ledger/agents.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { watchPresence } from '../relay/presence.ts';
import { signHead } from '../security/audit/head.ts';
import type { Environment } from './config/config.ts';
import type { Settings } from './config/settings.ts';
import type { Engines } from './home/compose.ts';
import { agentSocket, DaemonDoors } from './home/doors.ts';
import { sweepHome } from './home/home-folder.ts';
import { type OpenHome, openHome } from './home/open-home.ts';
import { type HomeParts, openHomeParts, servedParts } from './home/open-parts.ts';
import { sweepSocketFolders } from './home/sandboxes.ts';
import { type Log, openHomeLog } from './log.ts';
import { keepBlobs } from './upkeep/blobs.ts';
import { diskLimits, watchDisk } from './upkeep/disk-watch.ts';
import { watchForFreezing } from './upkeep/freezing.ts';
import { homeTimers, setHomeTimers } from './upkeep/home-timers.ts';
import { keepRelay, makeRoomOnDisk } from './upkeep/relay.ts';
import { keepReserve, plainerIfFull } from './upkeep/reserve.ts';
import { runTimers } from './upkeep/timers.ts';
import { version } from './version.ts';

export interface DaemonOptions {
  readonly takeover: boolean;
  /** Of this process: what programs get of it, and the keys of models. */
  readonly environment: Environment;
  /** Aborts to stop the daemon. */
  readonly signal: AbortSignal;
  /** Called once it is ready. */
  readonly onReady: (where: DaemonEndpoint, home: HomeFacts) => void;
}

/** What is worth saying of a home when its daemon is up. */
export interface HomeFacts {
  /** No agent was ever made in it. */
  readonly isNew: boolean;
  /** What was mended so that it could be opened, in words. */
  readonly mended: readonly string[];
}

export interface DaemonEndpoint {
  readonly home: string;
  readonly pid: number;
  readonly socket: string;
  readonly url: string;
}

/** Resolves when it has stopped as it was asked to; rejects when it could not go on. */
export async function runDaemon(
  engines: Engines,
  settings: Settings,
  options: DaemonOptions,
): Promise<void> {
  try {
    await openAndServe(engines, settings, options);
  } catch (failure) {
    throw await plainerIfFull(engines, settings.home, failure);
  }
}

async function openAndServe(
  engines: Engines,
  settings: Settings,
  options: DaemonOptions,
): Promise<void> {
  const stop = new Stop(options.signal);
  await using open = await openHome(engines, settings.home, {
    holder: 'daemon',
    takeover: options.takeover,
    onLost: (why) => stop.because(why),
  });
  // Sockets are bound by names relative to the home, because whole paths may be too long
  // for them; and nothing that is made may be open to others.
  process.chdir(open.home);
  process.umask(0o077);
  using opened = openHomeLog(engines, open.home);
  const { log } = opened;
  opened.scrubWith(open.secrets.scrubber);
  // Node ends the process after this; without it the log would not say why.
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'a bug'));
  await sweepHome(engines, open.home);
  await record(open.ledger, 'daemon.started', { pid: process.pid, epoch: open.epoch, version });
  log.info({ pid: process.pid, epoch: open.epoch, version }, 'the daemon starts');
  for (const words of open.mended) log.warn({}, words);
  try {
    const { onReady, environment } = options;
    await serve(engines, settings, { open, log, stop, onReady, environment });
    await stopQuietly(engines, open, log);
    stop.throwIfLost();
  } catch (failure) {
    log.error({ err: failure }, 'the daemon could not go on');
    throw failure;
  }
}

interface Serving {
  readonly open: OpenHome;
  readonly log: Log;
  readonly stop: Stop;
  readonly onReady: DaemonOptions['onReady'];
  readonly environment: Environment;
}

async function serve(engines: Engines, settings: Settings, serving: Serving): Promise<void> {
  const { open, log, stop, onReady, environment } = serving;
  const { ledger } = open;
  const startedAt = engines.clock.now();
  let isReady = false;
  const doors = new DaemonDoors({ engines, open, log });
  const relayMetrics = countRelay();
  const transferMetrics = countTransfers();
  await using parts = await openHomeParts(engines, settings, {
    ...{ open, log },
    daemon: { environment, doors, metrics: relayMetrics, counts: transferMetrics },
  });
  const { sandboxes } = parts;
  await using gateway = await createGateway({
    ...servedParts(engines, settings, { open, log }, parts),
    ...{ startedAt, relayMetrics, transferMetrics, agentSocket },
    sandboxState: () => sandboxes.sandboxes.state(),
    agentDoorOpened: (name) => doors.show(sandboxes, name),
    ready: () => isReady && !stop.signal.aborted,
    shutdown: () => stop.ask(),
  });
  doors.joinTo(gateway);
  await sweepSocketFolders({ ...engines, ...open });
  await setHomeTimers(ledger, engines.clock);
  const port = await doors.openAll(gateway, settings.port);
  await using outboxes = await parts.watchOutboxes();
  const work = keepHouse(engines, settings, serving, parts);
  isReady = true;
  const { total } = await countAgents(ledger.committed);
  onReady(addressOf(open.home, port), { isNew: total === 0, mended: open.mended });
  log.info({ port }, 'the daemon is ready');
  await stop.asked;
  log.info({}, 'the daemon stops');
  await outboxes[Symbol.asyncDispose]();
  await gateway.close();
  await work;
}

const diskLookMs = 60_000;

/** What goes on beside the callers. When a part of it breaks, the daemon stops: D3. */
async function keepHouse(
  engines: Engines,
  settings: Settings,
  { open, log, stop }: Serving,
  parts: HomeParts,
): Promise<void> {
  const { ledger } = open;
  const { clock } = engines;
  const kept = { ...engines, ...open, log };
  const recordDisk = (kind: string, data: object) => record(ledger, kind, data);
  const recordFreeze = (ms: number) => record(ledger, 'daemon.was-frozen', { frozen_ms: ms });
  const watched = { ...diskLimits(settings), everyMs: diskLookMs };
  const makeRoom = () =>
    makeRoomOnDisk({ ...kept, alertPercent: settings.diskAlertPercent }, stop.signal);
  const reserve = () => keepReserve(engines, open.home);
  try {
    await Promise.all([
      runTimers({ ledger, clock, log }, timersOf(kept, settings, parts), stop.signal),
      watchForFreezing({ clock, log, record: recordFreeze }, stop.signal),
      watchDisk(
        { ...engines, log, record: recordDisk, makeRoom, keepReserve: reserve },
        watched,
        stop.signal,
      ),
      watchPresence({ ...kept, relay: parts.relay }, stop.signal),
      parts.runtime?.run(stop.signal),
      parts.operations.run(stop.signal),
    ]);
  } catch (failure) {
    stop.because(failure);
  }
}

function timersOf(
  kept: Engines & OpenHome & { readonly log: Log },
  settings: Settings,
  parts: HomeParts,
): ReturnType<typeof homeTimers> {
  const { auditDays, archiveDays, approvalWebhook, keyRotationDays, filePlanDays } = settings;
  const { tools, transfers, operations, files, memory, attachmentBlobs: attachments } = parts;
  return homeTimers({
    ...{ ...kept, auditDays, approvalWebhook, keyRotationDays, filePlanDays },
    ...{ calls: tools.calls, transfers, operations, files, memory },
    keepRelay: () => keepRelay({ ...kept, archiveDays, attachments }),
    keepBlobs: () => keepBlobs({ ...kept, ...parts }),
  });
}

function addressOf(home: string, port: number): DaemonEndpoint {
  const socket = join(home, 'run', 'aos.sock');
  return { home, pid: process.pid, socket, url: `http://127.0.0.1:${port}` };
}

// D2, but for a daemon that can write no more.
async function stopQuietly(engines: Engines, open: OpenHome, log: Log): Promise<void> {
  try {
    await record(open.ledger, 'daemon.stopped', { pid: process.pid, epoch: open.epoch });
    const head = await signHead({ ...engines, ...open });
    log.info({ head }, 'the daemon has stopped');
  } catch (failure) {
    log.error({ err: failure }, 'the end of the chain could not be signed');
  }
}

function record(ledger: Ledger, kind: string, data: object): Promise<void> {
  return ledger.transact((tx) => tx.record({ actor: 'system', kind, subject: 'daemon', data }));
}

/** Why and when the daemon is to stop. */
class Stop {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly asked: Promise<void>;
  #lost: { readonly why: unknown } | undefined;

  constructor(outside: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.asked = promise;
    this.signal.addEventListener('abort', () => resolve(), { once: true });
    if (outside.aborted) this.ask();
    else outside.addEventListener('abort', () => this.ask(), { once: true });
  }

  ask(): void {
    this.#controller.abort();
  }

  because(why: unknown): void {
    this.#lost ??= { why };
    this.ask();
  }

  throwIfLost(): void {
    if (this.#lost !== undefined) throw this.#lost.why;
  }
}
