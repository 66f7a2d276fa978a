/** The runtime of a home: its agents, its queue, its models and its programs. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { CommandSpec } from '../../kernel/agent/agent.ts';
import type { ModelCatalog } from '../../kernel/agent/model.ts';
import { programEnvironment } from '../../kernel/agent/program.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import type { RememberedItem } from '../../kernel/journal/step.ts';
import { type Message, priorities } from '../../kernel/message/message.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import { openModels } from '../../models/catalog.ts';
import { ownerName } from '../../relay/envelope.ts';
import type { RunningRelay } from '../../relay/open-relay.ts';
import { sendNote } from '../../relay/tell.ts';
import { pricesFrom } from '../../runtime/budgets.ts';
import { CommandBodies } from '../../runtime/command/command-bodies.ts';
import { Followers } from '../../runtime/followers.ts';
import { LeaseKeeper } from '../../runtime/lease-keeper.ts';
import {
  defaultRunLimits,
  type ModelRun,
  type ModelRunDeps,
  RunObservers,
} from '../../runtime/model/deps.ts';
import { ModelRuns } from '../../runtime/model/model-runs.ts';
import { AgentRuntime, type RuntimeDeps } from '../../runtime/runtime.ts';
import { Scheduler } from '../../runtime/scheduler.ts';
import type { SpawnOrder } from '../../runtime/spawn.ts';
import { openAgentKeys } from '../../security/identity/principal-keys.ts';
import { renewHandle } from '../../security/register.ts';
import { type Environment, modelKeyOf } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import { checkWorkingFolder, type HomeBodies, openHomeBodies } from './bodies.ts';
import type { Engines } from './compose.ts';
import { placeGoal } from './goals.ts';
import { withoutSymlinks } from './home-folder.ts';
import type { OpenHome } from './open-home.ts';
import type { HomeSandboxes } from './sandboxes.ts';
import { bundledScripts } from './scripts.ts';
import type { HomeTools } from './tools.ts';

export interface HomeRuntimeOptions {
  readonly open: OpenHome;
  readonly log: Log;
  readonly relay: RunningRelay;
  readonly tools: HomeTools;
  readonly sandboxes: HomeSandboxes;
  readonly memory: MemoryManager;
  readonly environment: Environment;
  readonly models: ModelCatalog;
  readonly modelAgents: Set<string>;
  readonly doors: AgentDoors;
}

/** The sockets of agents. */
export interface AgentDoors {
  socketOf(name: string): string;
  open(name: string): Promise<void>;
  /** A command agent was terminated. */
  onTerminated?(name: string): Promise<void>;
}

const leaseMs = { ttl: 15_000, beat: 5000 };
/** Of a model's window, however small it is. */
const shareOfMemory = 1 / 8;

export async function openHomeRuntime(
  engines: Engines,
  settings: Settings,
  options: HomeRuntimeOptions,
): Promise<AgentRuntime> {
  const { open, log, relay, models } = options;
  const parts: RuntimeParts = {
    ...{ ...engines, ledger: open.ledger, log, models },
    leases: leasesOf(engines, options),
    followers: new Followers(),
    observers: new RunObservers(),
  };
  // Runs, the queue and programs report to the runtime, which holds them together.
  const runs: ModelRuns = new ModelRuns({
    ...runDeps(parts, settings, options),
    requeue: async (id) => void (await scheduler.requeue(id)),
    toTell: () => runtime.toTell(),
    onIdle: (agent) => runtime.serveMailOf(agent),
  });
  const scheduler: Scheduler = new Scheduler({
    ...parts,
    slots: settings.modelSlots === 0 ? availableParallelism() * 4 : settings.modelSlots,
    placeGoal: (goal) => placeGoal({ ...engines, open, settings, runtime, models }, goal),
    makeKey: (id) => open.operationKeys.make(id),
    take: (tx, operation) => runs.take(tx, operation),
    start: (operation) => runs.start(operation),
    stop: (id, why) => runs.stop(id, why),
    toTell: () => runtime.toTell(),
  });
  const bodies = openHomeBodies(engines, options);
  const commands = new CommandBodies({
    ...parts,
    logs: engines.programLogs,
    home: open.home,
    sandboxes: bodies,
    environmentOf: (name, spec) => environmentOf(engines, options, name, spec),
    notify: (note) => sendNote(relay, note),
    slots: settings.programSlots,
    onEnd: () => runtime.toTell(),
  });
  const runtime: AgentRuntime = new AgentRuntime({
    ...{ ...(await runtimeDeps(parts, options, bodies)), runs, commands, scheduler },
  });
  return runtime;
}

interface RuntimeParts extends Engines {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly models: ModelCatalog;
  readonly leases: LeaseKeeper;
  readonly followers: Followers;
  readonly observers: RunObservers;
}

function leasesOf({ clock }: Engines, { open, log }: HomeRuntimeOptions): LeaseKeeper {
  const owner = `daemon ${open.epoch}`;
  return new LeaseKeeper({
    ...{ ledger: open.ledger, clock, log, owner },
    // Who held the home before holds it no more: this process has its lock.
    isGone: (other) => other !== owner,
    ttlMs: leaseMs.ttl,
    beatMs: leaseMs.beat,
  });
}

function runDeps(
  parts: RuntimeParts,
  settings: Settings,
  options: HomeRuntimeOptions,
): ModelRunDeps {
  const { tools, relay } = options;
  return {
    ...parts,
    calls: tools.calls,
    tools: () => tools.tools.list(),
    mailboxes: relay.mailboxes,
    prices: pricesFrom(settings.modelPrices),
    limits: defaultRunLimits,
    remember: (run) => remember(options, settings.memoryTokens, run),
  };
}

async function runtimeDeps(
  parts: RuntimeParts,
  options: HomeRuntimeOptions,
  bodies: HomeBodies,
): Promise<Omit<RuntimeDeps, 'runs' | 'commands' | 'scheduler'>> {
  const { open, relay, tools, modelAgents, doors } = options;
  return {
    ...{ ...parts, grants: open.grants, capabilities: tools.capabilities, calls: tools.calls },
    ...{ home: open.home, modelAgents },
    keys: await openAgentKeys(parts, open.home),
    notify: (note) => sendNote(relay, note),
    openDoor: (name) => doors.open(name),
    onTerminated: async (name) => doors.onTerminated?.(name),
    checkProgram: async (spec, wanted) => {
      if (spec.unsandboxed === true) checkProgram(parts, options, spec);
      return bodies.check(spec, wanted);
    },
    folderFor: (by, path) => folderFor(parts, open, by, path),
    wakeMail: (name) => relay.wake(name),
    sendPrompt: (order, prompt) => sendPrompt(relay, order, prompt),
  };
}

/**
 * What an agent remembers is its own, so one that works for an outsider is not told of it by
 * itself. Memories that cannot be looked up keep no agent from working.
 */
async function remember(
  { memory, log }: HomeRuntimeOptions,
  mostTokens: number,
  { operation, model, signal }: Pick<ModelRun, 'operation' | 'model' | 'signal'>,
): Promise<readonly RememberedItem[]> {
  const { id, agent, goal, is_sealed } = operation;
  const tokens = Math.min(mostTokens, Math.floor(model.contextTokens * shareOfMemory));
  if (tokens === 0 || is_sealed === 1) return [];
  const caller = { principal: `agent:${agent}`, user: `operation:${id}`, operation: id, signal };
  try {
    return await memory.pack(caller, { goal, tokens });
  } catch (failure) {
    signal.throwIfAborted();
    log.warn({ err: failure, operation: id }, 'a run begins without what its agent remembers');
    return [];
  }
}

export function openHomeModels(
  engines: Engines,
  settings: Settings,
  { open, log, environment }: Pick<HomeRuntimeOptions, 'open' | 'log' | 'environment'>,
): ModelCatalog {
  for (const provider of ['anthropic', 'openai']) {
    const key = modelKeyOf(environment, provider);
    if (key !== undefined) open.secrets.scrubAlso(`model.${provider}`, key);
  }
  return openModels({
    ...engines,
    log,
    endpoints: endpointsIn(settings.modelEndpoints),
    anthropicUrl: settings.anthropicUrl,
    openaiUrl: settings.openaiUrl,
    scripts: bundledScripts,
    keyOf: async (provider) =>
      open.secrets.valueOf(`model.${provider}`) ?? modelKeyOf(environment, provider),
    readScript: async (path) =>
      Buffer.from(await readWholeFile(engines.disk, path, largestScriptBytes)).toString(),
  });
}

const largestScriptBytes = 1024 * 1024;

function endpointsIn(text: string): Record<string, string> {
  if (text === 'none') return {};
  const pairs = text.split(' ').map((pair) => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return Object.fromEntries(pairs);
}

/** A handle of its own for every start: the one before is good no longer. */
async function environmentOf(
  engines: Engines,
  { open, environment, doors }: HomeRuntimeOptions,
  name: string,
  spec: CommandSpec,
): Promise<Record<string, string>> {
  const { handle } = await renewHandle({ ...engines, ...open }, { name, actor: 'system' });
  return programEnvironment({
    ...{ name, handle, goal: spec.prompt, own: spec.env, machine: environment },
    home: open.home,
    socket: join(open.home, doors.socketOf(name)),
  });
}

async function sendPrompt(
  relay: RunningRelay,
  { name, by, spawnKey }: SpawnOrder,
  prompt: string,
): Promise<void> {
  const message: Message = {
    ...{ to: name, kind: 'message', priority: priorities.usual, body: prompt },
    ...{ attachments: [], headers: [] },
    // A request that is taken up again after a crash prompts once.
    ...(spawnKey === undefined ? {} : { dedupKey: `prompt-${spawnKey}` }),
  };
  const sender = by === 'owner' ? ownerName : by.replace(/^agent:/, '');
  const [accepted] = await relay.accept([{ sender, message, isPermitted: true }]);
  if (accepted?.kind === 'refused') throw accepted.error;
}

/** A symlink in it may lead elsewhere than what was asked when the message was accepted. */
async function folderFor(
  { disk }: Engines,
  open: OpenHome,
  by: string,
  path: string,
): Promise<string> {
  const real = await withoutSymlinks(disk, path);
  if (by !== 'owner' && real !== path) await checkWorkingFolder(open, `agent:${by}`, real);
  return real;
}

/** Before anything is made: with the environment that it would get, but for its handle. */
function checkProgram(
  { programs }: Engines,
  { open, environment }: HomeRuntimeOptions,
  { argv, cwd = open.home, env: own }: CommandSpec,
): void {
  const none = { name: '', handle: '', socket: '' };
  const env = programEnvironment({ ...none, home: open.home, own, machine: environment });
  programs.check({ argv, cwd, env });
}
