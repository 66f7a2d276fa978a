/** A home with its runtime and its operations in this process, over a disk and a ledger that are watched. */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultSettings } from '../../src/app/config/settings.ts';
import { composeEngines } from '../../src/app/home/compose.ts';
import { sweepHome } from '../../src/app/home/home-folder.ts';
import { openHomeMemory } from '../../src/app/home/memory.ts';
import { type OpenHome, openHome } from '../../src/app/home/open-home.ts';
import { openHomeOperations, queueOf } from '../../src/app/home/open-parts.ts';
import { openHomeRelay } from '../../src/app/home/relay.ts';
import { openHomeModels, openHomeRuntime } from '../../src/app/home/runtime.ts';
import { openHomeSandboxes } from '../../src/app/home/sandboxes.ts';
import { openHomeTools, registerTools } from '../../src/app/home/tools.ts';
import type { Log } from '../../src/app/log.ts';
import { homeBlobs } from '../../src/app/upkeep/blobs.ts';
import { modelAgentNames } from '../../src/ledger/agents.ts';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { noMetrics } from '../../src/relay/deps.ts';
import type { AgentRuntime } from '../../src/runtime/runtime.ts';
import type { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { complainingLog } from './complaining-log.ts';
import { watchedDisk } from './watched-disk.ts';
import { type Boundaries, WatchedLedger } from './watched-ledger.ts';

export interface OperationWorld extends AsyncDisposable {
  readonly home: string;
  readonly ledger: WatchedLedger;
  readonly operations: Operations;
  readonly capabilities: CapabilityManager;
  readonly runtime: AgentRuntime;
  /** Works on what there is, until it is let go. */
  working(): AsyncDisposable;
}

/** With everything done that a daemon does before it is ready. */
export async function openOperationWorld(
  place: string,
  boundaries: Boundaries,
): Promise<OperationWorld> {
  await using opened = new AsyncDisposableStack();
  const real = composeEngines();
  const engines = { ...real, disk: watchedDisk(real.disk, boundaries) };
  const settings = { ...defaultSettings, home: place, modelSlots: 2 };
  // What is not said, nobody here asks for.
  const log = complainingLog as unknown as Log;
  const opening = { holder: 'test', onLost: complainingLog.error } as const;
  const unwatched = opened.use(await openHome(engines, place, opening));
  const ledger = new WatchedLedger(unwatched.ledger, boundaries);
  const open: OpenHome = { ...unwatched, ledger };
  await sweepHome(engines, place);
  const modelAgents = new Set(await modelAgentNames(ledger.committed));
  const later: { runtime?: AgentRuntime } = {};
  const onMail = (name: string): void => later.runtime?.mailFor(name);
  const relayed = { open, log, metrics: noMetrics, modelAgents, onMail };
  const { relay } = opened.use(await openHomeRelay(engines, settings, relayed));
  const sandboxes = opened.use(openHomeSandboxes(engines, settings, { open, log }));
  const { memory } = opened.use(openHomeMemory(engines, settings, { open, log, isDaemon: false }));
  const tools = opened.use(openHomeTools(engines, settings, { open, log, relay }));
  const runtime = await openHomeRuntime(engines, settings, {
    ...{ open, log, relay, tools, sandboxes, memory, environment: {}, modelAgents },
    models: openHomeModels(engines, settings, { open, log, environment: {} }),
    doors: { socketOf: (name) => name, open: async () => {} },
  });
  const operations: Operations = opened.use(
    await openHomeOperations(engines, settings, {
      ...{ open, log, blobs: homeBlobs(engines, place).blobs },
      queue: queueOf(engines, open, runtime),
    }),
  );
  registerTools(engines, settings, { open, tools, relay, sandboxes, memory, runtime, operations });
  later.runtime = opened.use(runtime);
  await tools.calls.recover();
  await runtime.recover();
  await operations.recover();
  const kept = opened.move();
  return {
    ...{ home: place, ledger, operations, runtime, capabilities: tools.capabilities },
    working: () => working({ runtime, operations }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function working({
  runtime,
  operations,
}: Pick<OperationWorld, 'runtime' | 'operations'>): AsyncDisposable {
  const stop = new AbortController();
  const running = Promise.all([runtime.run(stop.signal), operations.run(stop.signal)]);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** A template whose agents follow these turns. */
export async function writeTemplate(
  home: string,
  name: string,
  turns: NonNullable<ScriptText['turns']>,
): Promise<void> {
  const script = join(`${home}-${name}.json`);
  writeFileSync(script, JSON.stringify({ scripted_model: 1, turns }));
  await mkdir(join(home, 'templates'), { recursive: true, mode: 0o700 });
  const file = { name, model: `scripted:${script}`, instructions: 'Work.', grants: [] };
  writeFileSync(join(home, 'templates', `${name}.json`), JSON.stringify(file));
}
