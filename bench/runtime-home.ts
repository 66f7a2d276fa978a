/** A home with its runtime in this process, for what is measured step by step. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { defaultSettings } from '../src/app/config/settings.ts';
import { composeEngines } from '../src/app/home/compose.ts';
import { openHomeMemory } from '../src/app/home/memory.ts';
import { openHome } from '../src/app/home/open-home.ts';
import { openHomeOperations, queueOf } from '../src/app/home/open-parts.ts';
import { openHomeRelay } from '../src/app/home/relay.ts';
import { openHomeModels, openHomeRuntime } from '../src/app/home/runtime.ts';
import { openHomeSandboxes } from '../src/app/home/sandboxes.ts';
import { openHomeTools, registerTools } from '../src/app/home/tools.ts';
import type { Log } from '../src/app/log.ts';
import { homeBlobs } from '../src/app/upkeep/blobs.ts';
import type { ModelSpec } from '../src/kernel/agent/agent.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import type { Operations } from '../src/operations/operations.ts';
import { noMetrics } from '../src/relay/deps.ts';
import type { AgentRuntime } from '../src/runtime/runtime.ts';
import { defineTool } from '../src/tools/tool.ts';
import { workplace } from './workplace.ts';

export interface RuntimeHome extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly runtime: AgentRuntime;
  /** A model that follows these turns. */
  script(name: string, turns: readonly object[]): string;
  readonly folder: string;
}

const silent = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Log;

export async function openRuntimeHome(): Promise<RuntimeHome> {
  const { folder, disposables } = await workplace();
  const engines = composeEngines();
  const settings = { ...defaultSettings, home: join(folder, 'home'), modelSlots: 8 };
  const lost = (): void => {};
  const open = disposables.use(
    await openHome(engines, settings.home, { holder: 'bench', onLost: lost }),
  );
  const modelAgents = new Set<string>();
  const later: { runtime?: AgentRuntime } = {};
  const { relay } = disposables.use(
    await openHomeRelay(engines, settings, {
      ...{ open, log: silent, metrics: noMetrics, modelAgents },
      onMail: (name) => later.runtime?.mailFor(name),
    }),
  );
  const sandboxes = disposables.use(openHomeSandboxes(engines, settings, { open, log: silent }));
  const { memory } = disposables.use(
    openHomeMemory(engines, settings, { open, log: silent, isDaemon: false }),
  );
  const tools = disposables.use(openHomeTools(engines, settings, { open, log: silent, relay }));
  tools.tools.register(noop);
  const runtime = await openHomeRuntime(engines, settings, {
    ...{ open, log: silent, relay, tools, sandboxes, memory, environment: {}, modelAgents },
    models: openHomeModels(engines, settings, { open, log: silent, environment: {} }),
    doors: { socketOf: (name) => name, open: async () => {} },
  });
  const operations: Operations = await openHomeOperations(engines, settings, {
    ...{ open, log: silent, blobs: homeBlobs(engines, settings.home).blobs },
    queue: queueOf(engines, open, runtime),
  });
  registerTools(engines, settings, { open, tools, relay, sandboxes, memory, runtime, operations });
  later.runtime = runtime;
  disposables.use(runtime);
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  disposables.defer(async () => {
    stop.abort();
    await running;
  });
  return {
    ...{ ledger: open.ledger, runtime, folder },
    script: (name, turns) => {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ scripted_model: 1, name, turns }));
      return `scripted:${path}`;
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

let calls = 0;

/** Each result is another one, as that of a tool which does something. */
const noop = defineTool({
  name: 'bench.noop',
  summary: 'Does nothing',
  schema: z.strictObject({ text: z.string() }),
  effect: 'external',
  actions: () => [],
  run: async () => ({ calls: ++calls }),
});

export function specOn(model: string): ModelSpec {
  return {
    ...{ body: 'model', model, instructions: 'You are a bench.', max_output_tokens: 1000 },
    ...{ restart: 'never', is_standing: false },
  } as const;
}
