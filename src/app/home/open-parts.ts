/**
 * Puts the parts of an open home together, for the daemon and for a command that finds none. Each
 * part is opened after those that it uses. What calls back up subscribes when it is there: the
 * runtime and the file agent to new mail, operations to the ends of runs.
 */
import type { Blobs, Uploads } from '../../blobs/blobs.ts';
import type { FileAgent } from '../../files/open-file-agent.ts';
import type { Attachments, GatewayDeps } from '../../gateway/server/deps.ts';
import type { ModelCatalog } from '../../kernel/agent/model.ts';
import { Listeners } from '../../kernel/turns.ts';
import { modelAgentNames } from '../../ledger/agents.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { OperationQueue, OperationsLog } from '../../operations/deps.ts';
import { Operations } from '../../operations/operations.ts';
import { noMetrics, type RelayMetrics } from '../../relay/deps.ts';
import type { RunningRelay } from '../../relay/open-relay.ts';
import { sendNote } from '../../relay/tell.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import { principalKeys } from '../../security/identity/principal-keys.ts';
import { openServerKeys } from '../../security/server-keys.ts';
import { noCounts, type TransferCounts, type TransferLog } from '../../transfer/deps.ts';
import { openTransfers, type Transfers } from '../../transfer/transfers.ts';
import type { Environment } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import { homeBlobs } from '../upkeep/blobs.ts';
import { diskLimits, readDiskState } from '../upkeep/disk-watch.ts';
import { upkeepOf } from '../upkeep/upkeep.ts';
import { version } from '../version.ts';
import type { Engines } from './compose.ts';
import { bundledFileAgent, serveFileAgent } from './file-agent.ts';
import { openHomeFiles } from './files.ts';
import { templateName } from './goals.ts';
import { openHomeMemory } from './memory.ts';
import type { OpenHome } from './open-home.ts';
import { type HomeRelay, openHomeRelay } from './relay.ts';
import { type AgentDoors, openHomeModels, openHomeRuntime } from './runtime.ts';
import { type HomeSandboxes, openHomeSandboxes } from './sandboxes.ts';
import { type HomeTools, openHomeTools, registerTools } from './tools.ts';

export interface HomePartsOptions {
  readonly open: OpenHome;
  readonly log: Log;
  /** Undefined for a command, in which no agent runs. */
  readonly daemon?: DaemonOptions | undefined;
}

/** What only a daemon has. */
interface DaemonOptions {
  readonly environment: Environment;
  readonly metrics: RelayMetrics;
  readonly counts: TransferCounts;
  readonly doors: AgentDoors;
}

export interface HomeParts extends HomeTransfers, AsyncDisposable {
  readonly relay: RunningRelay;
  readonly attachments: Attachments;
  readonly attachmentBlobs: Blobs;
  readonly watchOutboxes: HomeRelay['watchOutboxes'];
  readonly sandboxes: HomeSandboxes;
  readonly memory: MemoryManager;
  readonly files: FileAgent;
  readonly tools: HomeTools;
  readonly operations: Operations;
  /** Undefined in a command. */
  readonly runtime: AgentRuntime | undefined;
  readonly models: ModelCatalog | undefined;
}

/** All that an earlier process has left undone is done when this resolves. */
export async function openHomeParts(
  engines: Engines,
  settings: Settings,
  options: HomePartsOptions,
): Promise<HomeParts> {
  await using opened = new AsyncDisposableStack();
  const parts = await openParts(engines, settings, options, opened);
  const kept = opened.move();
  return { ...parts, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function openParts(
  engines: Engines,
  settings: Settings,
  { open, log, daemon }: HomePartsOptions,
  opened: AsyncDisposableStack,
): Promise<Omit<HomeParts, typeof Symbol.asyncDispose>> {
  const { environment } = daemon ?? {};
  const models = environment && openHomeModels(engines, settings, { open, log, environment });
  const { files } = opened.use(await openHomeFiles(engines, settings, { open, log, models }));
  const mail = new Listeners<string>();
  const modelAgents = new Set(await modelAgentNames(open.ledger.committed));
  const { relay, attachments, attachmentBlobs, watchOutboxes } = opened.use(
    await openHomeRelay(engines, settings, {
      ...{ open, log, modelAgents, metrics: daemon?.metrics ?? noMetrics },
      onMail: (recipient) => mail.call(recipient),
      bundled: daemon && bundledFileAgent(engines, open, files.root),
    }),
  );
  const counts = daemon?.counts ?? noCounts;
  const stored = await openHomeTransfers(engines, settings, { open, log, relay, counts });
  const sandboxes = opened.use(openHomeSandboxes(engines, settings, { open, log }));
  if (daemon !== undefined) tellOfSandbox(sandboxes, log);
  const isDaemon = daemon !== undefined;
  const { memory } = opened.use(openHomeMemory(engines, settings, { open, log, isDaemon }));
  await memory.recover();
  const tools = opened.use(openHomeTools(engines, settings, { open, log, relay }));
  const own = { open, log, relay, tools, sandboxes, memory, modelAgents };
  const runtime =
    daemon && models && (await openHomeRuntime(engines, settings, { ...own, ...daemon, models }));
  const queue = runtime && queueOf(engines, open, runtime);
  const { blobs, transfers } = stored;
  const operations = opened.use(
    await openHomeOperations(engines, settings, { open, log, blobs, queue }),
  );
  registerTools(engines, settings, { ...own, files, transfers, runtime, operations });
  if (runtime !== undefined) {
    opened.use(runtime);
    mail.add((recipient) => runtime.mailFor(recipient));
    await tools.calls.recover();
    await runtime.recover();
  }
  await operations.recover();
  if (daemon !== undefined) {
    const answering = opened.use(serveFileAgent({ engines, open, log, relay, calls: tools.calls }));
    mail.add((recipient) => answering.mailFor(recipient));
  }
  const uses = { sandboxes, memory, files, tools, operations, runtime, models };
  return { relay, attachments, attachmentBlobs, watchOutboxes, ...stored, ...uses };
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

/** What the gateway of a daemon and of a command serve alike. */
export function servedParts(
  engines: Engines,
  settings: Settings,
  { open, log }: Pick<HomePartsOptions, 'open' | 'log'>,
  parts: HomeParts,
): Omit<GatewayDeps, 'agentSocket' | 'ready' | 'shutdown' | 'startedAt'> {
  const { blobs, attachmentBlobs: attachments } = parts;
  return {
    ...{ ...engines, ...open, ...outsideOf(settings), version, log },
    ...{ ...upkeepOf(engines, open, { blobs, attachments }), ...parts, ...parts.tools },
    diskState: () => readDiskState(engines, diskLimits(settings)),
  };
}

// The transfers of a home: the byte store, the rows, and who is told.

interface HomeTransfers {
  readonly transfers: Transfers;
  /** The one store of this process. */
  readonly blobs: Blobs;
  readonly uploads: Uploads;
}

interface HomeTransfersOptions {
  readonly open: Pick<OpenHome, 'home' | 'ledger' | 'grants'>;
  readonly log: TransferLog;
  readonly relay: Pick<RunningRelay, 'accept'>;
  readonly counts: TransferCounts;
}

/** What a crash has left undone is done before a caller asks for more. */
export async function openHomeTransfers(
  engines: Engines,
  settings: Pick<Settings, 'transferQuotaMegabytes' | 'transferDays'>,
  { open, log, relay, counts }: HomeTransfersOptions,
): Promise<HomeTransfers> {
  const { home, ledger, grants } = open;
  const store = homeBlobs(engines, home);
  const transfers = openTransfers({
    ...engines,
    ...store,
    ...{ home, ledger, grants, log, counts },
    keys: principalKeys({ ...engines, ledger }, home),
    limits: {
      quotaBytes: settings.transferQuotaMegabytes * 1024 * 1024,
      ttlMs: settings.transferDays * 24 * 3_600_000,
    },
    notify: (note) => sendNote(relay, note),
  });
  await transfers.recover();
  return { transfers, ...store };
}

// The operations of a home: what outsiders submit, and what came of it.

interface HomeOperationsOptions {
  readonly open: Pick<OpenHome, 'home' | 'ledger' | 'grants' | 'operationKeys'>;
  readonly log: OperationsLog;
  /** The one store of this process. */
  readonly blobs: Blobs;
  /** Undefined where nothing is worked on. */
  readonly queue?: OperationQueue | undefined;
}

const dayMs = 24 * 3_600_000;
const megabyte = 1_000_000;

export async function openHomeOperations(
  engines: Engines,
  settings: Pick<Settings, 'operationSeconds' | 'operationMegabytes' | 'artifactDays'>,
  { open, log, blobs, queue }: HomeOperationsOptions,
): Promise<Operations> {
  const { home, ledger, grants, operationKeys } = open;
  return new Operations({
    ...engines,
    ...{ home, ledger, grants, operationKeys, log, blobs, queue },
    serverKeys: await openServerKeys(engines, home),
    limits: {
      runMs: settings.operationSeconds * 1000,
      workspaceBytes: settings.operationMegabytes * megabyte,
      keepMs: settings.artifactDays * dayMs,
    },
  });
}

/** What outsiders reach of the queue. */
export function queueOf(
  engines: Engines,
  open: OpenHome,
  runtime: Pick<AgentRuntime, 'scheduler' | 'observe'>,
): OperationQueue {
  const { scheduler } = runtime;
  return {
    submit: (goal) => scheduler.submit(goal),
    cancel: (id, why) => scheduler.cancel(id, why),
    observe: (observer) => runtime.observe(observer),
    templateFor: (goal) => templateName({ ...engines, open }, goal),
  };
}

export function outsideOf({ artifactPhase, legacySignatures, publicUrl }: Settings) {
  return { artifactPhase, legacySignatures, publicUrl };
}
