/** A home with its runtime in this process, over a ledger that is watched. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { defaultSettings } from '../../src/app/config/settings.ts';
import { composeEngines } from '../../src/app/home/compose.ts';
import { openHomeMemory } from '../../src/app/home/memory.ts';
import { type OpenHome, openHome } from '../../src/app/home/open-home.ts';
import { openHomeOperations, queueOf } from '../../src/app/home/open-parts.ts';
import { openHomeRelay } from '../../src/app/home/relay.ts';
import { openHomeModels, openHomeRuntime } from '../../src/app/home/runtime.ts';
import { openHomeSandboxes } from '../../src/app/home/sandboxes.ts';
import { type HomeTools, openHomeTools, registerTools } from '../../src/app/home/tools.ts';
import type { Log } from '../../src/app/log.ts';
import { homeBlobs } from '../../src/app/upkeep/blobs.ts';
import { type Message, type MessageKind, priorities } from '../../src/kernel/message/message.ts';
import { modelAgentNames } from '../../src/ledger/agents.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { noMetrics } from '../../src/relay/deps.ts';
import { ownerName } from '../../src/relay/envelope.ts';
import type { RunningRelay } from '../../src/relay/open-relay.ts';
import type { AgentRuntime } from '../../src/runtime/runtime.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { complainingLog } from './complaining-log.ts';
import { type Boundaries, WatchedLedger } from './watched-ledger.ts';

export interface WorldPlaces {
  readonly home: string;
  /** Where the effects are: a line each. */
  readonly effects: string;
}

export interface World extends AsyncDisposable {
  readonly ledger: WatchedLedger;
  readonly relay: RunningRelay;
  readonly tools: HomeTools;
  readonly runtime: AgentRuntime;
}

export async function openWorld(order: WorldPlaces, boundaries: Boundaries): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const engines = composeEngines();
  const settings = { ...defaultSettings, home: order.home, modelSlots: 2 };
  // What is not said, nobody here asks for.
  const log = complainingLog as unknown as Log;
  const home = opened.use(
    await openHome(engines, order.home, { holder: 'test', onLost: complainingLog.error }),
  );
  const ledger = new WatchedLedger(home.ledger, boundaries);
  const open: OpenHome = { ...home, ledger };
  const modelAgents = new Set(await modelAgentNames(ledger.committed));
  const later: { runtime?: AgentRuntime } = {};
  const onMail = (name: string): void => later.runtime?.mailFor(name);
  const { relay } = opened.use(
    await openHomeRelay(engines, settings, { open, log, metrics: noMetrics, modelAgents, onMail }),
  );
  const sandboxes = opened.use(openHomeSandboxes(engines, settings, { open, log }));
  const { memory } = opened.use(openHomeMemory(engines, settings, { open, log, isDaemon: false }));
  const tools = opened.use(openHomeTools(engines, settings, { open, log, relay }));
  for (const repeatable of [true, false]) {
    tools.tools.register(appendingTool({ order, boundaries, relay }, repeatable));
  }
  const runtime = await openHomeRuntime(engines, settings, {
    ...{ open, log, relay, tools, sandboxes, memory, environment: {}, modelAgents },
    models: openHomeModels(engines, settings, { open, log, environment: {} }),
    doors: { socketOf: (name) => name, open: async () => {} },
  });
  const operations: Operations = await openHomeOperations(engines, settings, {
    ...{ open, log, blobs: homeBlobs(engines, order.home).blobs },
    queue: queueOf(engines, open, runtime),
  });
  registerTools(engines, settings, { open, tools, relay, sandboxes, memory, runtime, operations });
  later.runtime = opened.use(runtime);
  const kept = opened.move();
  return { ledger, relay, tools, runtime, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

interface ToolParts {
  readonly order: WorldPlaces;
  readonly boundaries: Boundaries;
  readonly relay: RunningRelay;
}

/** The two differ in whether they look for what they did before. */
function appendingTool({ order, boundaries, relay }: ToolParts, repeatable: boolean): Tool {
  return defineTool({
    name: repeatable ? 'test.append' : 'test.unsafe',
    summary: 'Appends a line to a file outside the ledger',
    schema: z.strictObject({ mail: z.optional(z.string()) }),
    effect: 'external',
    repeatable,
    actions: () => [],
    run: async ({ mail }, { key, principal }) => {
      if (mail !== undefined) await sendAsOwner(relay, { to: agentOf(principal), body: mail });
      boundaries.pass();
      if (!repeatable || !effectsIn(order.effects).includes(key)) addEffect(order.effects, key);
      boundaries.pass();
      return { appended: key };
    },
  });
}

function agentOf(principal: string): string {
  return principal.replace(/^agent:/, '');
}

export interface OwnersMessage {
  readonly to: string;
  readonly kind?: MessageKind;
  readonly body: string;
}

/** Once, however often it is sent. */
export async function sendAsOwner(
  relay: RunningRelay,
  { to, kind = 'message', body }: OwnersMessage,
): Promise<void> {
  const message: Message = {
    ...{ to, kind, priority: priorities.usual, body, dedupKey: 'the only one' },
    ...{ attachments: [], headers: [] },
  };
  const [accepted] = await relay.accept([{ sender: ownerName, message, isPermitted: true }]);
  if (accepted?.kind === 'refused') throw accepted.error;
}

export function effectsIn(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

function addEffect(path: string, key: string): void {
  const file = openSync(path, 'a', 0o600);
  writeSync(file, `${key}\n`);
  fsyncSync(file);
  closeSync(file);
}
