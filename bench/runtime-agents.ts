/** What ten thousand idle agents cost: memory, a list of them, and a start of the daemon. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningDaemon, startDaemon } from '../tests/support/running-daemon.ts';
import type { Bench, Sides } from './frame.ts';
import { addManyEvents } from './raw-ledger.ts';
import { untilQuiet } from './relay-home.ts';
import { benchFolder } from './workplace.ts';

const agents = 10_000;
const few = 100;
const events = 1_000_000;
const launcher = join(import.meta.dirname, '..', 'bin', 'aos.cjs');

export const runtimeAgentBenches: readonly Bench[] = [
  {
    name: 'runtime.agents.memory',
    unit: 'KB an agent',
    floorIs: `the limit of 6 KB, with ${agents} idle agents`,
    target: '<=1',
    rounds: 1,
    prepare: prepareMemory,
  },
  {
    name: 'runtime.agents.ps',
    unit: 'ms of "aos ps"',
    floorIs: `the same with ${few} agents instead of ${agents}`,
    target: '<=8',
    rounds: 11,
    prepare: preparePs,
  },
  {
    name: 'runtime.start',
    unit: 'ms until ready',
    floorIs: `an empty home, instead of ${agents} idle agents and ${events} events`,
    target: '<=2',
    rounds: 15,
    prepare: prepareStart,
  },
];

async function prepareMemory(): Promise<Sides> {
  const daemon = await startDaemon(await benchFolder());
  // What the daemon keeps after its first work is not the agents'.
  await spawnAgents(daemon, 'early', 1000);
  let measured: number | undefined;
  return {
    async value() {
      // The daemon gets its agents only once, so the round that warms up is the measurement.
      measured ??= await measureMemory(daemon);
      return measured;
    },
    floor: async () => 6,
    [Symbol.asyncDispose]: () => daemon.kill(),
  };
}

const steadyMs = 10_000;

async function measureMemory(daemon: RunningDaemon): Promise<number> {
  const steady = async (): Promise<number> => {
    await untilQuiet(daemon.pid);
    await sleep(steadyMs);
    return residentKb(daemon.pid);
  };
  const before = await steady();
  await spawnAgents(daemon, 'idle', agents);
  return Math.max(0, (await steady()) - before) / agents;
}

export function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function spawnAgents(daemon: RunningDaemon, name: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  // Several at a time, as the callers of a busy home are.
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (const number of numbers.filter((one) => one % 8 === lane)) {
        await daemon.client.spawn(`${name}-${number}`, { model: 'scripted:hello' });
      }
    }),
  );
}

async function preparePs(): Promise<Sides> {
  const many = await homeWith(agents);
  const some = await homeWith(few);
  return {
    value: async () => timePs(many.home),
    floor: async () => timePs(some.home),
    async [Symbol.asyncDispose]() {
      await many.daemon.kill();
      await some.daemon.kill();
    },
  };
}

async function homeWith(count: number) {
  const home = await benchFolder();
  const daemon = await startDaemon(home);
  await spawnAgents(daemon, 'idle', count);
  await untilQuiet(daemon.pid);
  return { home, daemon };
}

function timePs(home: string): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [launcher, '--home', home, 'ps'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`aos ps failed: ${stderr.toString()}`);
  return performance.now() - startedAt;
}

async function prepareStart(): Promise<Sides> {
  const full = await homeWith(agents);
  await full.daemon.stop();
  addManyEvents(join(full.home, 'ledger.db'), events);
  const empty = await homeWith(0);
  await empty.daemon.stop();
  return {
    value: () => timeStart(full.home),
    floor: () => timeStart(empty.home),
    async [Symbol.asyncDispose]() {},
  };
}

async function timeStart(home: string): Promise<number> {
  const startedAt = performance.now();
  await using daemon = await startDaemon(home);
  const tookMs = performance.now() - startedAt;
  await daemon.stop();
  return tookMs;
}
