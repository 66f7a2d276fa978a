/**
 * The daemon: opens the home, serves it until it is told to stop, and closes it.
 *
 * D1. Nothing is served before the home is wholly open; `ready` comes last.
 * D2. To stop is to take no more work, let what is under way end, sign the end of the
 *     chain, and close. Killed at any line instead, the next start finds everything.
 * D3. A daemon that can write no more (its disk failed, its home was taken over) ends.
 */
import { join } from 'node:path';
import type { FileAgent } from '../files/open-file-agent.ts';
import { countRelay } from '../gateway/server/relay-metrics.ts';
import { createGateway, type Gateway } from '../gateway/server/server.ts';
import { countTransfers } from '../gateway/server/transfer-metrics.ts';
import type { ModelCatalog } from '../kernel/agent/model.ts';
import { countAgents, modelAgentNames } from '../ledger/agents.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { agentsWithHandles } from '../ledger/security/principals.ts';
import type { MemoryManager } from '../memory/memory-manager.ts';
import type { Operations } from '../operations/operations.ts';
import type { RunningRelay } from '../relay/open-relay.ts';
import { watchPresence } from '../relay/presence.ts';
import type { AgentRuntime } from '../runtime/runtime.ts';
import { signHead } from '../security/audit/head.ts';
import type { ToolCalls } from '../tools/call.ts';
import type { Environment } from './config/config.ts';
import type { Settings } from './config/settings.ts';
import type { Engines } from './home/compose.ts';
import { bundledFileAgent, type ServedFileAgent, serveFileAgent } from './home/file-agent.ts';
import { openHomeFiles } from './home/files.ts';
import { sweepHome } from './home/home-folder.ts';
import { openHomeLog } from './home/home-log.ts';
import { openHomeMemory } from './home/memory.ts';
import { type OpenHome, openHome } from './home/open-home.ts';
import { openHomeOperations, outsideOf, queueOf } from './home/operations.ts';
import { type HomeRelay, openHomeRelay } from './home/relay.ts';
import { openHomeRuntime } from './home/runtime.ts';
import {
  type HomeSandboxes,
  openHomeSandboxes,
  removeSocketFolder,
  showSocketOf,
  sweepSocketFolders,
} from './home/sandboxes.ts';
import { openHomeTools } from './home/tools.ts';
import { type HomeTransfers, openHomeTransfers } from './home/transfers.ts';
import type { Log } from './log.ts';
import { keepBlobs } from './upkeep/blobs.ts';
import { diskLimits, readDiskState, watchDisk } from './upkeep/disk-watch.ts';
import { watchForFreezing } from './upkeep/freezing.ts';
import { homeTimers, setHomeTimers } from './upkeep/home-timers.ts';
import { keepRelay, makeRoomOnDisk } from './upkeep/relay.ts';
import { keepReserve, plainerIfFull } from './upkeep/reserve.ts';
import { runTimers } from './upkeep/timers.ts';
import { upkeepOf } from './upkeep/upkeep.ts';
import { version } from './version.ts';

export interface DaemonOptions {
  readonly takeover: boolean;
  /** Of this process: what programs get of it, and the keys of models. */
  readonly environment: Environment;
  /** Aborts to stop the daemon. */
  readonly signal: AbortSignal;
  /** Called once it is ready. */
  readonly onReady: (where: DaemonAddress, home: HomeFacts) => void;
}

/** What is worth saying of a home when its daemon is up. */
export interface HomeFacts {
  /** No agent was ever made in it. */
  readonly isNew: boolean;
  /** What was mended so that it could be opened, in words. */
  readonly mended: readonly string[];
}

export interface DaemonAddress {
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
  // Node ends the process after this; without it nobody would read why.
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

async function serve(
  engines: Engines,
  settings: Settings,
  { open, log, stop, onReady, environment }: Serving,
): Promise<void> {
  const { ledger } = open;
  const startedAt = engines.clock.now();
  let ready = false;
  const metrics = countRelay();
  const modelAgents = new Set(await modelAgentNames(ledger.committed));
  // The parts know each other, and are made one after another.
  const later: {
    runtime?: AgentRuntime;
    gateway?: Gateway;
    operations?: Operations;
    fileAgent?: ServedFileAgent;
    models?: ModelCatalog;
  } = {};
  const onMail = (recipient: string): void => {
    later.runtime?.mailFor(recipient);
    later.fileAgent?.mailFor(recipient);
  };
  await using agent = await openHomeFiles(engines, settings, {
    ...{ open, log, models: () => later.models },
  });
  await using messages = await openHomeRelay(engines, settings, {
    ...{ open, log, metrics, modelAgents, onMail },
    bundled: bundledFileAgent(engines, open, agent.files.root),
  });
  const { relay, attachments, attachmentBlobs } = messages;
  const transferMetrics = countTransfers();
  const moved = await openHomeTransfers(engines, settings, {
    ...{ open, log, relay, counts: transferMetrics },
  });
  await using sandboxes = openHomeSandboxes(engines, settings, { open, log });
  tellOfSandbox(sandboxes, log);
  await using remembered = openHomeMemory(engines, settings, { open, log, isDaemon: true });
  const { memory } = remembered;
  await memory.recover();
  await using tools = openHomeTools(engines, settings, {
    ...{ open, log, relay, sandboxes, files: agent.files, runtime: () => later.runtime },
    memory,
    transfers: moved.transfers,
    operations: () => later.operations,
  });
  const { runtime, models } = await openHomeRuntime(engines, settings, {
    ...{ open, log, relay, tools, sandboxes, modelAgents, environment, socketOf: agentSocket },
    memory,
    openDoor: async (name) => void (await later.gateway?.openAgentDoor(name, agentSocket(name))),
    onTerminated: (name) => hideSocket(engines, { open, log }, name),
    operations: () => operations,
  });
  later.runtime = runtime;
  later.models = models;
  using operations = await openHomeOperations(engines, settings, {
    ...{ open, log, blobs: moved.blobs, queue: queueOf(engines, open, runtime) },
  });
  later.operations = operations;
  await using _agents = runtime;
  await tools.calls.recover();
  await runtime.recover();
  await operations.recover();
  await using fileAgent = serveFileAgent({ engines, open, log, relay, calls: tools.calls });
  later.fileAgent = fileAgent;
  await using gateway = await createGateway({
    ...engines,
    ...open,
    ...upkeepOf(engines, open, { blobs: moved.blobs, attachments: attachmentBlobs }),
    ...tools,
    memory,
    runtime,
    models,
    relay,
    attachments,
    relayMetrics: metrics,
    transfers: moved.transfers,
    transferMetrics,
    operations,
    ...outsideOf(settings),
    version,
    log,
    startedAt,
    agentSocket,
    sandboxState: () => sandboxes.sandboxes.state(),
    agentDoorOpened: (name) => showSocket(engines, { open, sandboxes, log }, name),
    ready: () => ready && !stop.signal.aborted,
    shutdown: () => stop.ask(),
    diskState: () => readDiskState(engines, diskLimits(settings)),
  });
  later.gateway = gateway;
  await sweepSocketFolders({ ...engines, ...open });
  await setHomeTimers(ledger, engines.clock);
  const port = await openDoors(gateway, ledger, settings.port);
  await using outboxes = await messages.watchOutboxes();
  const work = keepHouse(engines, settings, {
    open,
    log,
    stop,
    relay,
    moved,
    attachmentBlobs,
    calls: tools.calls,
    runtime,
    operations,
    files: agent.files,
    memory,
  });
  ready = true;
  const { total } = await countAgents(ledger.committed);
  const { mended } = open;
  onReady(addressOf(open.home, port), { isNew: total === 0, mended });
  log.info({ port }, 'the daemon is ready');
  await stop.asked;
  log.info({}, 'the daemon stops');
  await outboxes[Symbol.asyncDispose]();
  await gateway.close();
  await work;
}

/** What is left of it goes with the next start. */
async function hideSocket(
  { disk }: Engines,
  { open, log }: Pick<Serving, 'open' | 'log'>,
  name: string,
): Promise<void> {
  try {
    await removeSocketFolder(disk, open.home, name);
  } catch (failure) {
    log.warn({ err: failure, agent: name }, 'the socket folder of a terminated agent stays');
  }
}

interface Shown extends Pick<Serving, 'open' | 'log'> {
  readonly sandboxes: HomeSandboxes;
}

/** For one that cannot be shown, the others' sockets are opened all the same. */
async function showSocket(
  engines: Engines,
  { open, sandboxes, log }: Shown,
  name: string,
): Promise<void> {
  const { ownFolders } = sandboxes;
  try {
    await showSocketOf({ ...engines, ...open, ownFolders }, name);
  } catch (failure) {
    log.error({ err: failure, agent: name }, 'the program of an agent cannot reach its socket');
  }
}

/** Tried while the rest is put together, so that the first call does not wait for it. */
function tellOfSandbox({ sandboxes }: HomeSandboxes, log: Log): void {
  sandboxes.state().then(
    (state) => {
      if (state.kind === 'works') log.info({ sandbox: state }, 'programs run in a sandbox');
      else log.warn({ sandbox: state }, 'no program of an agent can be run');
    },
    (failure: unknown) => log.error({ err: failure }, 'the sandbox could not be tried'),
  );
}

const diskLookMs = 60_000;

interface Housekeeping extends Pick<Serving, 'open' | 'log' | 'stop'> {
  readonly relay: RunningRelay;
  readonly moved: HomeTransfers;
  readonly attachmentBlobs: HomeRelay['attachmentBlobs'];
  readonly calls: ToolCalls;
  readonly runtime: AgentRuntime;
  readonly operations: Operations;
  readonly files: FileAgent;
  readonly memory: MemoryManager;
}

/** What goes on beside the callers. When a part of it breaks, the daemon stops: D3. */
async function keepHouse(engines: Engines, settings: Settings, house: Housekeeping): Promise<void> {
  const { open, log, stop, relay, moved, attachmentBlobs, calls, runtime, operations } = house;
  const { ledger } = open;
  const { clock } = engines;
  const { auditDays, archiveDays } = settings;
  const kept = { ...engines, ...open, log };
  const keepMessages = () => keepRelay({ ...kept, archiveDays, attachments: attachmentBlobs });
  const { approvalWebhook } = settings;
  const { keyRotationDays, filePlanDays } = settings;
  const { transfers } = moved;
  const days = { auditDays, keyRotationDays, filePlanDays };
  const { files, memory } = house;
  const facts = { ...days, calls, approvalWebhook, transfers, operations, files, memory };
  const rings = homeTimers({
    ...{ ...kept, ...facts, keepRelay: keepMessages },
    keepBlobs: () => keepBlobs({ ...kept, ...moved }),
  });
  const recordDisk = (kind: string, data: object) => record(ledger, kind, data);
  const recordFreeze = (ms: number) => record(ledger, 'daemon.was-frozen', { frozen_ms: ms });
  const watched = { ...diskLimits(settings), everyMs: diskLookMs };
  const makeRoom = () =>
    makeRoomOnDisk({ ...kept, alertPercent: settings.diskAlertPercent }, stop.signal);
  const reserve = () => keepReserve(engines, open.home);
  try {
    await Promise.all([
      runTimers({ ledger, clock, log }, rings, stop.signal),
      watchForFreezing({ clock, log, record: recordFreeze }, stop.signal),
      watchDisk(
        { ...engines, log, record: recordDisk, makeRoom, keepReserve: reserve },
        watched,
        stop.signal,
      ),
      watchPresence({ ...kept, relay }, stop.signal),
      runtime.run(stop.signal),
      operations.run(stop.signal),
    ]);
  } catch (failure) {
    stop.because(failure);
  }
}

function addressOf(home: string, port: number): DaemonAddress {
  const socket = join(home, 'run', 'aos.sock');
  return { home, pid: process.pid, socket, url: `http://127.0.0.1:${port}` };
}

function agentSocket(name: string): string {
  return `run/agents/${name}.sock`;
}

async function openDoors(gateway: Gateway, ledger: Ledger, port: number): Promise<number> {
  await gateway.openOwnerDoor('run/aos.sock');
  for (const name of await agentsWithHandles(ledger.committed)) {
    await gateway.openAgentDoor(name, agentSocket(name));
  }
  return gateway.openTcpDoor({ host: '127.0.0.1', port });
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
