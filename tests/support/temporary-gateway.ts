/** A gateway on real sockets over a real ledger, in a home folder of its own. */
import { mkdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createConnection } from 'node:net';
import { defaultSettings, type Settings } from '../../src/app/config/settings.ts';
import { composeEngines } from '../../src/app/home/compose.ts';
import { openHomeMemory } from '../../src/app/home/memory.ts';
import {
  openHomeOperations,
  openHomeTransfers,
  outsideOf,
  queueOf,
} from '../../src/app/home/open-parts.ts';
import { attachmentDoor, attachmentsOf } from '../../src/app/home/relay.ts';
import { openHomeModels, openHomeRuntime } from '../../src/app/home/runtime.ts';
import { openHomeSandboxes } from '../../src/app/home/sandboxes.ts';
import { openHomeTools, registerTools } from '../../src/app/home/tools.ts';
import { openLog } from '../../src/app/log.ts';
import { verifyHomeBlobs } from '../../src/app/upkeep/blobs.ts';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { type Client, connectTo } from '../../src/gateway/client/client.ts';
import type { GatewayDeps } from '../../src/gateway/server/deps.ts';
import { countRelay, countTransfers } from '../../src/gateway/server/metrics.ts';
import { createGateway, type Gateway } from '../../src/gateway/server/server.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { defaultRelayLimits, type RelayLimits } from '../../src/relay/deps.ts';
import { openRelay, type RunningRelay } from '../../src/relay/open-relay.ts';
import type { AgentRuntime } from '../../src/runtime/runtime.ts';
import type { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { ledgerWithBodies, openOperationKeys } from '../../src/security/operation-keys.ts';
import { ensureOwner, ownerHandlePath } from '../../src/security/owner.ts';
import { scrubbedLedger } from '../../src/security/secrets/scrub.ts';
import { openSecrets } from '../../src/security/secrets/secrets.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';
import { MemoryInboxes } from './temporary-relay.ts';

export const testVersion = '1.2.3';

export interface TemporaryGateway extends AsyncDisposable {
  readonly home: TemporaryFolder;
  readonly ledger: Ledger;
  readonly gateway: Gateway;
  readonly ownerSocket: string;
  readonly ownerHandle: string;
  readonly client: Client;
  readonly relay: RunningRelay;
  /** All that can be called; a test may add its own. */
  readonly tools: ToolRegistry;
  readonly inboxes: MemoryInboxes;
  readonly operations: Operations;
  readonly capabilities: CapabilityManager;
  readonly logged: readonly unknown[];
  agentSocket(name: string): string;
  /** Appends events, all in one commit. */
  record(kind: string, subjects: readonly string[]): Promise<void>;
}

export interface GatewayChoices {
  /** With a runtime as the daemon has one; else as a command finds it that opens the home itself. */
  readonly withRuntime?: boolean;
  readonly settings?: Settings;
}

export async function temporaryGateway(
  choices: Partial<GatewayDeps> = {},
  relayLimits: Partial<RelayLimits> = {},
  { withRuntime = false, settings = defaultSettings }: GatewayChoices = {},
): Promise<TemporaryGateway> {
  const home = temporaryFolder();
  mkdirSync(home.at('keys'), { mode: 0o700 });
  mkdirSync(home.at('run', 'agents'), { recursive: true, mode: 0o700 });
  const clock = choices.clock ?? realClock;
  const version = choices.version ?? testVersion;
  const raw = await openTestLedger(home.at('ledger.db'), { clock });
  const disk = realDisk;
  const random = realRandom;
  const secrets = await openSecrets({ ledger: raw, disk, random, clock }, home.path);
  const operationKeys = await openOperationKeys({ disk, random }, home.path);
  const ledger = scrubbedLedger(ledgerWithBodies(raw, operationKeys), secrets.scrubber);
  const owner = await ensureOwner({ ledger, disk, random, clock }, home.path);
  const logged: unknown[] = [];
  const log = (facts: object): void => void logged.push(facts);
  const agentSocket = (name: string): string => home.at('run', 'agents', `${name}.sock`);
  const inboxes = new MemoryInboxes();
  for (const folder of ['attachments', 'blobs', 'tmp', 'transfers'])
    mkdirSync(home.at(folder), { mode: 0o700 });
  const blobs = attachmentsOf({ disk, random }, home.path);
  const attachments = attachmentDoor({ clock, ledger }, blobs);
  const relayMetrics = countRelay();
  const grants = new Grants({ ledger, clock, random });
  const modelAgents = new Set<string>();
  const later: { runtime?: AgentRuntime; gateway?: Gateway } = {};
  const relay = await openRelay({
    ...{ ledger, grants, clock, random, inboxes, metrics: relayMetrics },
    log: { info: log, warn: log, error: log },
    limits: { ...defaultRelayLimits, ...relayLimits },
    realHome: home.path,
    takesInTurns: (name) => modelAgents.has(name),
    onMail: (name) => later.runtime?.mailFor(name),
    hasAttachment: async (hash) => (await blobs.stat(hash)) !== undefined,
    holder: '1',
    sameBoot: true,
    locate: async () => 'gone',
    inboxWatch: { expect: () => {}, forget: () => {} },
  });
  const engines = { ...composeEngines(), clock };
  const open = {
    ...{ home: home.path, realHome: home.path, ledger, grants, secrets, owner, epoch: 1 },
    operationKeys,
    mended: [],
    // Closed by who opened it.
    async [Symbol.asyncDispose]() {},
  };
  const transferMetrics = countTransfers();
  const moved = await openHomeTransfers(engines, settings, {
    ...{ open, relay, counts: transferMetrics },
    log: { info: log, warn: log, error: log },
  });
  const sandboxes = openHomeSandboxes(engines, settings, { open, log: { error: log } });
  const remembered = openHomeMemory(engines, settings, {
    ...{ open, isDaemon: false, log: { warn: log } },
  });
  const { memory } = remembered;
  const tools = openHomeTools(engines, settings, { open, log: { error: log }, relay });
  const stop = new AbortController();
  const runtimeLog = openLog({
    ...{ clock, level: 'warn' },
    file: { write: (line) => void logged.push(line), close: () => {} },
  });
  const running = { open, log: runtimeLog, environment: {} };
  const models = withRuntime ? openHomeModels(engines, settings, running) : undefined;
  const runtime =
    models &&
    (await openHomeRuntime(engines, settings, {
      ...{ ...running, relay, tools, sandboxes, memory, models, modelAgents },
      doors: {
        socketOf: (name) => `run/agents/${name}.sock`,
        open: async (name) => void (await later.gateway?.openAgentDoor(name, agentSocket(name))),
      },
    }));
  const operations = await openHomeOperations(engines, settings, {
    ...{ open, blobs: moved.blobs, log: { info: log, warn: log, error: log } },
    queue: runtime && queueOf(engines, open, runtime),
  });
  const { transfers } = moved;
  const uses = { relay, sandboxes, memory, transfers, runtime, operations };
  registerTools(engines, settings, { open, tools, ...uses });
  if (runtime !== undefined) {
    for (const folder of ['logs', 'logs/agents', 'run/programs']) {
      mkdirSync(home.at(folder), { recursive: true, mode: 0o700 });
    }
    later.runtime = runtime;
    await runtime.recover();
  }
  const work = Promise.all([runtime?.run(stop.signal), operations.run(stop.signal)]);
  const gateway = await createGateway({
    ...tools,
    ...{ runtime, models },
    memory,
    ...{ relay, attachments, relayMetrics, secrets, transfers, transferMetrics },
    ...{ operations, ...outsideOf(settings) },
    verifyBlobs: (signal) =>
      verifyHomeBlobs({ ...engines, ledger, blobs: moved.blobs, attachments: blobs }, signal),
    ...{ ledger, grants, clock, random, disk, owner, agentSocket },
    home: home.path,
    realHome: home.path,
    version,
    log: { info: log, warn: log, error: log },
    epoch: 1,
    startedAt: clock.now(),
    ready: () => true,
    shutdown: () => {},
    diskState: async () => ({ usedPercent: 12.5, state: 'ok' as const }),
    backup: async ({ path }) => ({ path, bytes: 1, events: 1, keys: 'left out' }),
    usage: async () => ({ items: [{ name: 'ledger', bytes: 5, files: 1 }], total_bytes: 5 }),
    gc: async () => ({ items: [], freed_bytes: 0, failed: [] }),
    ...choices,
  });
  later.gateway = gateway;
  const ownerSocket = home.at('run', 'aos.sock');
  await gateway.openOwnerDoor(ownerSocket);
  return {
    ...{ home, ledger, gateway, ownerSocket, logged, agentSocket },
    ...{ relay, inboxes, tools: tools.tools, operations, capabilities: tools.capabilities },
    ownerHandle: readFileSync(ownerHandlePath(home.path), 'utf8').trim(),
    client: connectTo({ clock: realClock, version }, ownerSocket),
    record: (kind, subjects) =>
      ledger.transact(async (tx) => {
        for (const subject of subjects) await tx.record({ actor: 'owner', kind, subject });
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close({ graceMs: 200 });
      stop.abort();
      await work;
      await runtime?.[Symbol.asyncDispose]();
      operations[Symbol.dispose]();
      await tools[Symbol.asyncDispose]();
      await remembered[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

export interface TestRequest {
  /** Of a socket file, or a port on this machine. */
  readonly at: string | number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** One request by Node's own client, on a connection of its own. */
export function send({ at, path, method = 'GET', headers = {}, body }: TestRequest) {
  return new Promise<TestAnswer>((resolve, reject) => {
    const where = typeof at === 'number' ? { host: '127.0.0.1', port: at } : { socketPath: at };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const options = { ...where, path, method, agent: false, headers: { ...type, ...headers } };
    const request = httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: jsonOrUndefined(text),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON.
    return undefined;
  }
}

/** Sends bytes as they are and resolves to everything that comes back before the end. */
export function sendRaw(at: string | number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket =
      typeof at === 'number' ? createConnection(at, '127.0.0.1') : createConnection(at);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', (error) => (text === '' ? reject(error) : undefined));
    socket.write(bytes);
  });
}

export function bearer(handle: string): { readonly authorization: string } {
  return { authorization: `Bearer ${handle}` };
}
