/** What a sandbox costs: made for the call, made ready before it, and one after another. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSettings } from '../src/app/config/settings.ts';
import { composeEngines } from '../src/app/home/compose.ts';
import { openHomeMemory } from '../src/app/home/memory.ts';
import { openHome } from '../src/app/home/open-home.ts';
import { openHomeRelay } from '../src/app/home/relay.ts';
import { openHomeSandboxes } from '../src/app/home/sandboxes.ts';
import { openHomeTools, registerTools } from '../src/app/home/tools.ts';
import type { Log } from '../src/app/log.ts';
import type { SandboxView } from '../src/kernel/sandbox.ts';
import { noMetrics } from '../src/relay/deps.ts';
import { hostParts } from '../src/sandbox/launch/box-files.ts';
import { launcherArguments } from '../src/sandbox/launch/launcher-arguments.ts';
import { seccompFilter } from '../src/sandbox/launch/seccomp/filter.ts';
import { registerAgent } from '../src/security/register.ts';
import type { ToolCalls } from '../src/tools/call.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { workplace } from './workplace.ts';

const program = '/usr/bin/true';

export const sandboxBenches: readonly Bench[] = [
  {
    name: 'sandbox.cold',
    unit: 'ms',
    floorIs: 'bwrap with the same flags and filter, started from this process; p50',
    target: '<=1.6',
    rounds: 15,
    prepare: prepareCold,
  },
  {
    name: 'sandbox.warm',
    unit: 'ms',
    floorIs: 'a bare spawn of the same program; p50',
    target: '<=1.3',
    rounds: 15,
    prepare: prepareWarm,
  },
  {
    name: 'sandbox.rate',
    unit: 'calls/s',
    floorIs: 'bwrap with the same flags and filter, one after another',
    target: '>=0.6',
    rounds: 9,
    prepare: prepareRate,
  },
  {
    name: 'sandbox.idle',
    unit: 'KB',
    floorIs:
      'the memory of one /bin/sleep; a sandbox that waits is a launcher, its first process and two shells',
    target: 'printed',
    rounds: 5,
    prepare: prepareIdle,
  },
];

const callsPerRound = 8;
// Long enough for the next one to be ready, as between two turns of a model.
const betweenMs = 40;

async function prepareCold(): Promise<Sides> {
  const home = await openSandboxHome(0);
  return {
    value: () => timeEach(home.execute),
    floor: () => timeEach(home.bareLauncher),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareWarm(): Promise<Sides> {
  const home = await openSandboxHome(2);
  return {
    value: () => timeEach(home.execute),
    floor: () => timeEach(() => ended(program, [])),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareRate(): Promise<Sides> {
  const home = await openSandboxHome(2);
  return {
    value: () => rateOf(home.execute),
    floor: () => rateOf(home.bareLauncher),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareIdle(): Promise<Sides> {
  const home = await openSandboxHome(1);
  return {
    async value() {
      await home.execute();
      await wait(300);
      // Each hangs below the shell that started it; a shell without one is a spare.
      const started = childrenOf(process.pid).filter((pid) => childrenOf(pid).length > 0);
      const all = started.flatMap((pid) => [pid, ...below(pid)]);
      return all.reduce((sum, pid) => sum + ownKilobytes(pid), 0) / started.length;
    },
    async floor() {
      const child = spawn('/bin/sleep', ['5'], { env: {}, stdio: 'ignore' });
      await wait(50);
      const kilobytes = ownKilobytes(child.pid ?? 0);
      child.kill('SIGKILL');
      return kilobytes;
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

interface SandboxHome extends AsyncDisposable {
  /** The whole of `shell.execute`, through the door. */
  readonly execute: () => Promise<void>;
  readonly bareLauncher: () => Promise<void>;
}

const silent = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Log;

async function openSandboxHome(sandboxesReady: number): Promise<SandboxHome> {
  const { folder, disposables } = await workplace();
  const engines = composeEngines();
  engines.closeInherited();
  const settings = { ...defaultSettings, home: join(folder, 'home'), sandboxesReady };
  const open = disposables.use(
    await openHome(engines, settings.home, { holder: 'bench', onLost: () => {} }),
  );
  const { relay } = disposables.use(
    await openHomeRelay(engines, settings, {
      ...{ open, log: silent, metrics: noMetrics, modelAgents: new Set() },
    }),
  );
  const sandboxes = disposables.use(openHomeSandboxes(engines, settings, { open, log: silent }));
  const { memory } = disposables.use(
    openHomeMemory(engines, settings, { open, log: silent, isDaemon: false }),
  );
  const tools = disposables.use(openHomeTools(engines, settings, { open, log: silent, relay }));
  registerTools(engines, settings, { open, tools, relay, sandboxes, memory });
  await registerAgent({ ...engines, ...open }, open.home, {
    ...{ name: 'jean', actor: 'owner', body: 'command' },
  });
  await tools.capabilities.grant({ agent: 'jean', capability: 'shell:*:execute' }, 'owner');
  const view = await sandboxes.viewFor('agent:jean');
  const execute = () => callTrue(tools.calls);
  await execute();
  return {
    execute,
    bareLauncher: bareLauncher(folder, view),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function callTrue(calls: ToolCalls): Promise<void> {
  const outcome = await calls.call({
    ...{ principal: 'agent:jean', tool: 'shell.execute', args: { program } },
  });
  const isDone =
    outcome.kind === 'answered' && (outcome.output as { exit_code?: unknown }).exit_code === 0;
  if (!isDone) throw new Error(`the program did not run: ${JSON.stringify(outcome)}`);
}

function bareLauncher(folder: string, view: SandboxView): () => Promise<void> {
  const host = hostParts(folder, view.uid ?? 1000);
  const options = { seccomp: 3, listens: false, env: { PATH: '/usr/bin' } };
  const words = [...launcherArguments(host, view, options), '--', program];
  const filter = join(folder, 'filter.bpf');
  writeFileSync(filter, seccompFilter(process.arch, 'tool') ?? new Uint8Array());
  return () => ended('/usr/bin/bwrap', words, openSync(filter, 'r'));
}

function ended(command: string, args: readonly string[], extra?: number): Promise<void> {
  const stdio = ['pipe', 'pipe', 'pipe', ...(extra === undefined ? [] : [extra])] as const;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(command, [...args], { env: {}, stdio: [...stdio] });
  child.once('error', reject);
  child.once('close', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`${command} ended with ${code}`));
  });
  if (extra !== undefined) closeSync(extra);
  return promise;
}

async function timeEach(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < callsPerRound; index++) {
    await wait(betweenMs);
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return quantile(times, 0.5);
}

const callsInRow = 25;

async function rateOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < callsInRow; index++) await work();
  return (callsInRow * 1000) / (performance.now() - start);
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const lists = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'));
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

function below(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...below(child)]);
}

/** Proportional: what processes share counts once for all of them. */
function ownKilobytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
}
