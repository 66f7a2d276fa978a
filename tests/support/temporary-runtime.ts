/**
 * The runtime over a ledger in memory: the real relay, door, scheduler and loop; models and
 * tools are what a test says, and programs are none.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { realRandom } from '../../src/engines/clock.ts';
import type { ModelSpec } from '../../src/kernel/agent/agent.ts';
import type { LanguageModel } from '../../src/kernel/agent/model.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { JournalStep } from '../../src/kernel/journal/step.ts';
import type { Clock, Random } from '../../src/kernel/ports.ts';
import type { Programs } from '../../src/kernel/programs.ts';
import { type AgentRow, findAgent, modelAgentNames } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { findOperation, type OperationRow } from '../../src/ledger/operations/operations.ts';
import { readSteps } from '../../src/ledger/operations/steps.ts';
import type { Script } from '../../src/models/scripted/script.ts';
import { type ScriptFunction, scriptedModel } from '../../src/models/scripted/scripted-model.ts';
import { defaultRelayLimits, noMetrics } from '../../src/relay/deps.ts';
import { openRelay, type RunningRelay } from '../../src/relay/open-relay.ts';
import { sendNote } from '../../src/relay/tell.ts';
import { pricesFrom } from '../../src/runtime/budgets.ts';
import { CommandBodies } from '../../src/runtime/command/command-bodies.ts';
import { Followers, type RunEvent } from '../../src/runtime/followers.ts';
import { LeaseKeeper } from '../../src/runtime/lease-keeper.ts';
import { defaultRunLimits, type RunLimits } from '../../src/runtime/model/deps.ts';
import { ModelRuns } from '../../src/runtime/model/model-runs.ts';
import { AgentRuntime } from '../../src/runtime/runtime.ts';
import { Scheduler } from '../../src/runtime/scheduler.ts';
import type { SpawnOrder } from '../../src/runtime/spawn.ts';
import { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { keyPairOf } from '../../src/security/identity/key-pair.ts';
import { Scrubber } from '../../src/security/secrets/scrub.ts';
import { agentList, agentSpawn } from '../../src/toolbox/agent/tools.ts';
import { messageSend } from '../../src/toolbox/message/tools.ts';
import { ToolCalls } from '../../src/tools/call.ts';
import { defaultCallLimits } from '../../src/tools/deps.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { SimulatedDisk } from '../sim/disk.ts';
import { SimulatedLedger } from '../sim/ledger.ts';
import { noWalls } from './no-walls.ts';
import { MemoryInboxes } from './temporary-relay.ts';

export interface TemporaryRuntime extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly runtime: AgentRuntime;
  readonly scheduler: Scheduler;
  readonly relay: RunningRelay;
  readonly calls: ToolCalls;
  readonly capabilities: CapabilityManager;
  readonly grants: Grants;
  readonly leases: LeaseKeeper;
  readonly sights: readonly RunEvent[];
  readonly logged: readonly object[];
  /** A model agent on the test's model, with a goal; resolves to the id of its operation. */
  begin(
    order?: Partial<Omit<SpawnOrder, 'spec'>> & { readonly spec?: Partial<ModelSpec> },
  ): Promise<string>;
  operation(id: string): Promise<OperationRow>;
  agent(name: string): Promise<AgentRow>;
  steps(id: string): Promise<readonly JournalStep[]>;
  /** Lets things happen until the operation is in this state. */
  until(id: string, state: OperationRow['state']): Promise<OperationRow>;
  /** Lets things happen until this holds. */
  when(holds: () => Promise<boolean> | boolean, what: string): Promise<void>;
  /** As kill -9 does: nothing is ended, and another process opens the same ledger. */
  crash(): Promise<TemporaryRuntime>;
}

export interface RuntimeChoices {
  /** By the name behind `test:`; `model` where nothing else is said. */
  readonly models?: Readonly<Record<string, Script | ScriptFunction | LanguageModel>>;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<RunLimits>;
  readonly slots?: number;
  readonly prices?: string;
  readonly clock?: Clock;
  /** For ids that are the same in every run. */
  readonly random?: Random;
}

interface Parts extends RuntimeChoices {
  readonly ledger: SimulatedLedger;
  readonly clock: Clock;
  readonly starts: number;
}

export async function temporaryRuntime(choices: RuntimeChoices = {}): Promise<TemporaryRuntime> {
  const clock = choices.clock ?? new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  return open({ ...choices, ledger, clock, starts: 1 });
}

async function open(parts: Parts): Promise<TemporaryRuntime> {
  const { ledger, clock, starts } = parts;
  const random = parts.random ?? realRandom;
  const logged: object[] = [];
  const write = (facts: object): void => void logged.push(facts);
  const log = { info: () => {}, warn: write, error: write };
  const grants = new Grants({ ledger, clock, random });
  const modelAgents = new Set(await modelAgentNames(ledger.committed));
  const later: { runtime?: AgentRuntime } = {};
  const relay = await openRelay({
    ...{ ledger, grants, clock, random, log, metrics: noMetrics, inboxes: new MemoryInboxes() },
    limits: defaultRelayLimits,
    realHome: '/home',
    takesInTurns: (name) => modelAgents.has(name),
    onMail: (name) => later.runtime?.mailFor(name),
    hasAttachment: async () => false,
    holder: String(starts),
    sameBoot: true,
    locate: async () => 'gone',
    inboxWatch: { expect: () => {}, forget: () => {} },
  });
  const tools = new ToolRegistry();
  const calls = new ToolCalls({
    ...{ ledger, grants, clock, random, log, scrubber: new Scrubber(), limits: defaultCallLimits },
    tool: (name) => tools.get(name),
    notify: (note) => sendNote(relay, note),
  });
  const agentTools = {
    ...{ ledger, home: '/home', defaultModel: 'test:model' },
    runtime: () => later.runtime,
  };
  tools.register(agentSpawn(agentTools));
  tools.register(agentList(agentTools));
  tools.register(messageSend({ relay, clock }));
  for (const tool of parts.tools ?? []) tools.register(tool);
  tools.joinTo(calls);
  const capabilities = new CapabilityManager({ ledger, grants, clock });
  const owner = `process ${starts}`;
  const leases = new LeaseKeeper({
    ...{ ledger, clock, log, owner, ttlMs: 15_000, beatMs: 5000 },
    isGone: (other) => other !== owner,
  });
  const followers = new Followers();
  const models = { open: async (id: string) => modelOf(parts, id, clock) };
  const shared = { ledger, clock, random, log, leases, followers, models, calls };
  const runs: ModelRuns = new ModelRuns({
    ...shared,
    tools: () => tools.list(),
    mailboxes: relay.mailboxes,
    prices: pricesFrom(parts.prices ?? 'test:model=1/2'),
    limits: { ...defaultRunLimits, ...parts.limits },
    requeue: async (id) => void (await scheduler.requeue(id)),
    toTell: () => runtime.toTell(),
    onIdle: (agent) => runtime.serveMailOf(agent),
  });
  const scheduler: Scheduler = new Scheduler({
    ...shared,
    slots: parts.slots ?? 8,
    placeGoal: async (goal) => ({ agent: goal.agent ?? 'nobody', because: 'it was named' }),
    take: (tx, operation) => runs.take(tx, operation),
    start: (operation) => runs.start(operation),
    stop: (id, why) => runs.stop(id, why),
    toTell: () => runtime.toTell(),
  });
  const commands = new CommandBodies({
    ...shared,
    ...{ programs: noPrograms, home: '/home', slots: 1, notify: async () => {} },
    logs: { sizeOf: () => 0, tail: () => '', rotate: async () => false, forget: () => {} },
    environmentOf: async () => ({}),
    sandboxes: noWalls,
  });
  const runtime = new AgentRuntime({
    ...{ ...shared, grants, capabilities, runs, commands, scheduler, modelAgents },
    ...{ disk: new SimulatedDisk({ seed: 1 }), home: '/home' },
    keys: { of: (name) => keyFor(name) },
    notify: (note) => sendNote(relay, note),
    openDoor: async () => {},
    wakeMail: (name) => relay.wake(name),
    sendPrompt: async () => {},
    folderFor: async (_by, path) => path,
    checkProgram: async (spec) => spec,
  });
  later.runtime = runtime;
  await calls.recover();
  await runtime.recover();
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const sights: RunEvent[] = [];
  const operation = async (id: string): Promise<OperationRow> => {
    const row = await findOperation(ledger.committed, id);
    if (row === undefined) throw new Error(`there is no operation ${id}`);
    return row;
  };
  const when: TemporaryRuntime['when'] = async (holds, what) => {
    for (let turn = 0; turn < 4000; turn++) {
      if (await holds()) return;
      await nextTurn();
      if (clock instanceof SimulatedClock && turn % 4 === 3)
        await clock.advance(turn < 400 ? 5 : 250);
    }
    throw new Error(`it never came to this: ${what}`);
  };
  return {
    ...{
      ledger,
      clock,
      runtime,
      scheduler,
      relay,
      calls,
      capabilities,
      grants,
      leases,
      sights,
      logged,
    },
    begin: async ({ spec, ...order } = {}) => {
      const { operationId = '' } = await runtime.spawn({
        name: 'jean',
        by: 'owner',
        goal: { text: 'Do it.' },
        ...order,
        spec: { ...usualSpec, ...spec },
      });
      followers.follow(operationId, (sight) => sights.push(sight));
      return operationId;
    },
    operation,
    agent: async (name) => {
      const row = await findAgent(ledger.committed, name);
      if (row === undefined) throw new Error(`there is no agent ${name}`);
      return row;
    },
    steps: (id) => readSteps(ledger.committed, id),
    until: async (id, state) => {
      await when(async () => (await operation(id)).state === state, `${id} is ${state}`).catch(
        async (failure: unknown) => {
          const row = await operation(id);
          throw new Error(
            `${String(failure)}; it is ${row.state}: ${row.result} ${JSON.stringify(logged, errorText)}`,
          );
        },
      );
      return operation(id);
    },
    when,
    crash: async () => {
      ledger.cut();
      const { platter } = ledger;
      // What runs in the process that died goes nowhere: its ledger is gone.
      stop.abort();
      void running.catch(() => {});
      const next = await SimulatedLedger.create(clock, platter);
      return open({ ...parts, ledger: next, starts: starts + 1 });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await settle(clock, running);
      await settle(clock, Promise.resolve(runtime[Symbol.asyncDispose]()));
      await settle(clock, Promise.resolve(calls[Symbol.asyncDispose]()));
      await settle(clock, Promise.resolve(relay[Symbol.asyncDispose]()));
    },
  };
}

function errorText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.message} ${value.stack}` : value;
}

/** Ending takes time, which here only passes when somebody lets it. */
async function settle(clock: Clock, ending: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = ending.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    if (clock instanceof SimulatedClock) await clock.advance(1000);
    await nextTurn();
  }
  await over;
}

const usualSpec: ModelSpec = {
  body: 'model',
  model: 'test:model',
  instructions: 'You are a test.',
  max_output_tokens: 100,
  restart: 'never',
  is_standing: false,
};

async function modelOf({ models = {} }: Parts, id: string, clock: Clock): Promise<LanguageModel> {
  const found = models[id.replace(/^test:/, '')];
  if (found === undefined) {
    throw new AosError('model.unknown', { message: `There is no model ${id}` });
  }
  if (typeof found === 'object' && 'answer' in found) return found;
  return scriptedModel(found, { id, clock });
}

function keyFor(name: string) {
  const bytes = new Uint8Array(32).fill(7);
  Buffer.from(name).copy(bytes, 1, 0, 31);
  const pair = keyPairOf(bytes);
  if (pair === undefined) throw new Error('that is no key');
  return pair;
}

const noPrograms: Programs = {
  check: () => {},
  holdsBy: () => 'marks',
  start: () => {
    throw new Error('there are no programs here');
  },
  adopt: () => {
    throw new Error('there are no programs here');
  },
  partsOf: () => {
    throw new Error('there are no programs here');
  },
};
