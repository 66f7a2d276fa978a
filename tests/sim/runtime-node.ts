/** One process of the daemon, as far as model agents go: the real relay, door and runtime. */

import type { LanguageModel } from '../../src/kernel/agent/model.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Clock, Random } from '../../src/kernel/ports.ts';
import { findAgent, modelAgentNames } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { defaultRelayLimits, noMetrics, type RelayLog } from '../../src/relay/deps.ts';
import { openRelay, type RunningRelay } from '../../src/relay/open-relay.ts';
import { sendNote } from '../../src/relay/tell.ts';
import { pricesFrom } from '../../src/runtime/budgets.ts';
import { CommandBodies } from '../../src/runtime/command/command-bodies.ts';
import { Followers } from '../../src/runtime/followers.ts';
import { LeaseKeeper } from '../../src/runtime/lease-keeper.ts';
import { defaultRunLimits } from '../../src/runtime/model/deps.ts';
import { ModelRuns } from '../../src/runtime/model/model-runs.ts';
import { AgentRuntime } from '../../src/runtime/runtime.ts';
import { Scheduler } from '../../src/runtime/scheduler.ts';
import type { Goal, Placement } from '../../src/runtime/submit.ts';
import { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { keyPairOf } from '../../src/security/identity/key-pair.ts';
import { Scrubber } from '../../src/security/secrets/scrub.ts';
import { agentSpawn } from '../../src/toolbox/agent/tools.ts';
import { ToolCalls } from '../../src/tools/call.ts';
import { defaultCallLimits } from '../../src/tools/deps.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { noWalls } from '../support/no-walls.ts';
import { MemoryInboxes } from '../support/temporary-relay.ts';
import { SimulatedDisk } from './disk.ts';
import type { Life } from './life.ts';
import { seededRandom } from './random.ts';
import { Ice } from './runtime-ice.ts';
import { type Surroundings, simulatedModel, simulatedTools } from './runtime-models.ts';
import { watchedLedger } from './runtime-watched-ledger.ts';
import type { RuntimeWorld } from './runtime-world.ts';

export interface RuntimeNode {
  readonly owner: string;
  readonly life: Life;
  readonly ice: Ice;
  readonly runtime: AgentRuntime;
  readonly scheduler: Scheduler;
  readonly calls: ToolCalls;
  readonly relay: RunningRelay;
}

export interface RuntimeNodeChoices {
  readonly life: Life;
  readonly ledger: Ledger;
  readonly start: number;
}

interface Parts {
  readonly owner: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: RelayLog;
  readonly grants: Grants;
  readonly modelAgents: Set<string>;
  readonly around: Surroundings;
  readonly later: { runtime?: AgentRuntime };
}

/** Also takes up what the process before has left; `run` has not been called yet. */
export async function openRuntimeNode(
  world: RuntimeWorld,
  { life, ledger: shared, start }: RuntimeNodeChoices,
): Promise<RuntimeNode> {
  const owner = `node ${start}`;
  const ice = new Ice();
  const found = (finding: string): void => world.found(finding);
  const ledger = ice.ledger(life.ledger(watchedLedger(shared, { owner, found })));
  const clock = ice.clock(life.clock(() => world.clock.now()));
  const random = seededRandom(`runtime ${world.plan.seed}/${start}`);
  const modelAgents = world.modelAgentsOf(await modelAgentNames(ledger.committed));
  const parts: Parts = {
    ...{ owner, ledger, clock, random, modelAgents, later: {} },
    log: logOf(world, owner),
    grants: new Grants({ ledger, clock, random }),
    around: {
      clock,
      pass: async () => {
        await life.pass(async () => {});
        await ice.gate();
      },
    },
  };
  const relay = await openRelayOf(world, parts);
  const { tools, calls } = toolsOf(world, parts, relay);
  const { runtime, scheduler } = runtimeOf(world, parts, { relay, tools, calls });
  await calls.recover();
  await runtime.recover();
  return { owner, life, ice, runtime, scheduler, calls, relay };
}

function logOf(world: RuntimeWorld, owner: string): RelayLog {
  const write = (facts: object, words: string): void => {
    world.note(`${owner}: ${words} ${shown(facts)}`);
  };
  return { info: () => {}, warn: write, error: write };
}

function shown(facts: object): string {
  return JSON.stringify(facts, (_key, value: unknown) =>
    value instanceof Error ? `${value.message} ${value.stack?.split('\n')[1] ?? ''}` : value,
  ).slice(0, 300);
}

function openRelayOf(world: RuntimeWorld, parts: Parts): Promise<RunningRelay> {
  const { owner, ledger, clock, random, log, grants, modelAgents } = parts;
  return openRelay({
    ...{ ledger, grants, clock, random, log, metrics: noMetrics, inboxes: new MemoryInboxes() },
    limits: defaultRelayLimits,
    realHome: '/home',
    takesInTurns: (name) => modelAgents.has(name),
    onMail: (name) => world.mailFor(name),
    hasAttachment: async () => false,
    holder: owner,
    sameBoot: true,
    locate: async () => 'gone',
    inboxWatch: { expect: () => {}, forget: () => {} },
  });
}

function toolsOf(world: RuntimeWorld, parts: Parts, relay: RunningRelay) {
  const { ledger, clock, random, log, grants, later, around } = parts;
  const tools = new ToolRegistry();
  const calls = new ToolCalls({
    ...{ ledger, grants, clock, random, log, scrubber: new Scrubber(), limits: defaultCallLimits },
    tool: (name) => tools.get(name),
    notify: (note) => sendNote(relay, note),
  });
  tools.register(
    agentSpawn({
      ...{ ledger, home: '/home', defaultModel: 'sim:model' },
      runtime: () => later.runtime,
    }),
  );
  for (const tool of simulatedTools(world, around)) tools.register(tool);
  tools.joinTo(calls);
  return { tools, calls };
}

interface Doors {
  readonly relay: RunningRelay;
  readonly tools: ToolRegistry;
  readonly calls: ToolCalls;
}

const leaseMs = { ttl: 15_000, beat: 5000 };

function runtimeOf(world: RuntimeWorld, parts: Parts, { relay, tools, calls }: Doors) {
  const { owner, ledger, clock, random, log, grants, modelAgents, around, later } = parts;
  const leases = new LeaseKeeper({
    ...{ ledger, clock, log, owner, ttlMs: leaseMs.ttl, beatMs: leaseMs.beat },
    // One process that has the home knows that the others are gone; of two that share, none does.
    isGone: (other) => world.plan.nodes === 1 && other !== owner,
  });
  const model = simulatedModel(world, around);
  const followers = new Followers();
  const shared = { ledger, clock, random, log, leases, followers, calls };
  const runs: ModelRuns = new ModelRuns({
    ...shared,
    models: { open: async () => openModel(world, model) },
    tools: () => tools.list(),
    prices: pricesFrom('sim:model=1/2'),
    limits: { ...defaultRunLimits, mostTurns: 30 },
    requeue: async (id) => void (await scheduler.requeue(id)),
    toTell: () => runtime.toTell(),
    onIdle: (agent) => runtime.serveMailOf(agent),
    mailboxes: relay.mailboxes,
  });
  const scheduler: Scheduler = new Scheduler({
    ...shared,
    slots: world.plan.slots,
    placeGoal: (goal) => placeGoal(ledger, goal),
    take: (tx, operation) => runs.take(tx, operation),
    start: (operation) => runs.start(operation),
    stop: (id, why) => runs.stop(id, why),
    toTell: () => runtime.toTell(),
  });
  const commands = new CommandBodies({
    ...shared,
    ...{ home: '/home', slots: 1, notify: async () => {}, environmentOf: async () => ({}) },
    programs: {
      ...{ start: noPrograms, adopt: noPrograms, partsOf: noPrograms },
      ...{ check: () => {}, holdsBy: () => 'marks' },
    },
    sandboxes: noWalls,
    logs: { sizeOf: () => 0, tail: () => '', rotate: async () => false, forget: () => {} },
  });
  const runtime: AgentRuntime = new AgentRuntime({
    ...{ ...shared, grants, runs, commands, scheduler, modelAgents, home: '/home' },
    capabilities: new CapabilityManager({ ledger, grants, clock }),
    disk: new SimulatedDisk({ seed: 1 }),
    keys: { of: keyFor },
    notify: (note) => sendNote(relay, note),
    openDoor: async () => {},
    wakeMail: () => {},
    sendPrompt: async () => {},
    folderFor: async (_by, path) => path,
    checkProgram: async (spec) => spec,
  });
  later.runtime = runtime;
  return { runtime, scheduler };
}

function openModel({ plan, isCalm, dice }: RuntimeWorld, model: LanguageModel): LanguageModel {
  if (!plan.faults || isCalm || !dice.chance(3)) return model;
  throw new AosError('model.no-key', { message: 'There is no key' });
}

async function placeGoal({ committed }: Ledger, { agent = '' }: Goal): Promise<Placement> {
  const row = await findAgent(committed, agent);
  if (row !== undefined && row.state !== 'terminated') return { agent, because: 'it was named' };
  throw new AosError('agent.not-there', { message: `${agent} is not there` });
}

function noPrograms(): never {
  throw new AosError('program.missing', { message: 'There are no programs here' });
}

// Thousands of agents have few names, and a key takes its time.
const keys = new Map<string, ReturnType<typeof keyPairOf>>();

function keyFor(name: string) {
  const bytes = new Uint8Array(32).fill(7);
  Buffer.from(name).copy(bytes, 1, 0, 31);
  const pair = keys.get(name) ?? keyPairOf(bytes);
  if (pair === undefined) throw new Error('that is no key');
  keys.set(name, pair);
  return pair;
}
