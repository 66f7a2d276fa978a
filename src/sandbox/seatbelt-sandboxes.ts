/**
 * Sandboxes of macOS, by `sandbox-exec`. NOT TRIED YET: it was written on a machine where it
 * cannot run. It is weaker than the form for Linux: paths are the host's, a program and what it
 * starts share the host's process list, memory and processor are not held, and what opens a
 * session of its own outlives its call.
 */
import type { ChildProcessWithoutNullStreams as StartedProgram } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { endOfCode } from '../engines/process/programs-shim.ts';
import { newId } from '../kernel/new-id.ts';
import type { Clock } from '../kernel/ports.ts';
import type {
  HeldSandboxBody,
  SandboxCommand,
  Sandboxes,
  SandboxLimit,
  SandboxLimits,
  SandboxResult,
  SandboxRun,
  SandboxState,
  SandboxView,
} from '../kernel/sandbox.ts';
import { early } from '../kernel/turns.ts';
import { Output } from './box/run-in-box.ts';
import type { SandboxOptions } from './bubblewrap-sandboxes.ts';
import { commandScript, lineEnd, proxyVariables } from './launch/inner-script.ts';
import { workspaceInside } from './launch/launcher-arguments.ts';
import { seatbeltProfile } from './launch/seatbelt-profile.ts';
import { unavailable } from './view/unavailable.ts';

const launcher = '/usr/bin/sandbox-exec';

export class SeatbeltSandboxes implements Sandboxes {
  readonly #options: SandboxOptions;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  async state(): Promise<SandboxState> {
    if (!existsSync(launcher)) return missing;
    const exact = { output: 'exact', time: 'exact', 'file-size': 'each' } as const;
    const holds = {
      ...exact,
      processes: 'each',
      workspace: 'not',
      memory: 'not',
      cpu: 'not',
    } as const;
    return { kind: 'works', path: launcher, rung: 'rlimits', holds };
  }

  examine(): Promise<SandboxState> {
    return this.state();
  }

  async run(order: SandboxRun): Promise<SandboxResult> {
    const state = await this.state();
    if (state.kind === 'unavailable') throw unavailable(state);
    order.signal.throwIfAborted();
    const server = order.network === undefined ? undefined : await listen();
    await using _network =
      server === undefined
        ? undefined
        : order.network?.({ server, [Symbol.asyncDispose]: async () => void server.close() });
    // Awaited here: the network ends with this scope, and not before the run does.
    return await this.#runWith(order, portOf(server));
  }

  checkView(): void {}

  async prepareBody(): Promise<never> {
    throw unavailable(onlyCalls);
  }

  holdBody(): HeldSandboxBody {
    return { ended: () => undefined, [Symbol.dispose]: () => {} };
  }

  async discard(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #runWith(order: SandboxRun, proxyPort: number | undefined): Promise<SandboxResult> {
    return untilOver(this.#options.clock, this.#start(order, proxyPort), order);
  }

  #start({ view, command, limits }: SandboxRun, proxyPort: number | undefined): StartedProgram {
    const { clock, random } = this.#options;
    const id = newId(clock.now(), random);
    const [program, ...args] = this.#words(view, { id, command, limits, proxyPort });
    const { spawn } = process.getBuiltinModule('node:child_process');
    const base = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: view.workspace };
    const proxy = proxyPort === undefined ? {} : proxyVariables(proxyPort);
    const env = { ...base, ...proxy, ...command.env };
    return spawn(program, args, { cwd: hostPath(view, command.cwd), env, detached: true });
  }

  #words(view: SandboxView, order: WordsOrder): readonly [string, ...string[]] {
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const profile = join(folder, `${order.id}.sb`);
    writeFileSync(profile, seatbeltProfile(view, order), { mode: 0o600 });
    const [program, ...args] = order.command.argv;
    const command: SandboxCommand = {
      argv: [hostPath(view, program), ...args],
      cwd: hostPath(view, order.command.cwd),
      env: {},
    };
    const inner = { limits: order.limits, byProcess: false, cpuSeconds: undefined };
    const script = lineEnd + commandScript(command, inner);
    return [launcher, '-f', profile, '/bin/sh', '-c', script];
  }
}

/** The output that is kept, and the end: its own, a limit's, or that of the caller's signal. */
async function untilOver(
  clock: Clock,
  child: StartedProgram,
  order: SandboxRun,
): Promise<SandboxResult> {
  const { signal, timeoutMs } = order;
  let stoppedBy: SandboxLimit | undefined;
  const kill = (): void => killGroup(child.pid);
  const stop = (by: SandboxLimit): void => {
    stoppedBy ??= by;
    kill();
  };
  const output = new Output(order.outputBytes, () => stop('output'));
  takeOutput(child, output, order);
  child.stdin.on('error', () => {});
  child.stdin.end(order.stdin);
  const over = new AbortController();
  signal.addEventListener('abort', kill, { once: true });
  if (timeoutMs !== undefined) {
    clock.sleep(timeoutMs, over.signal).then(
      () => stop('time'),
      () => {},
    );
  }
  try {
    const code = await exitOf(child);
    kill();
    signal.throwIfAborted();
    return { end: endOf(code, stoppedBy), ...output.taken(), met: [] };
  } finally {
    over.abort(early);
    signal.removeEventListener('abort', kill);
  }
}

function takeOutput(child: StartedProgram, output: Output, order: SandboxRun): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (bytes: Buffer) => {
      const kept = output.add(stream, bytes);
      if (kept.length > 0) order.onOutput?.(stream, kept);
    });
  }
}

function exitOf(child: StartedProgram): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit) => resolve(exit ?? 137));
  });
}

function endOf(code: number, stoppedBy: SandboxLimit | undefined): SandboxResult['end'] {
  if (stoppedBy !== undefined) return { kind: 'stopped', by: stoppedBy };
  const end = endOfCode(code);
  return end.kind === 'unknown' ? { kind: 'exited', code } : end;
}

interface WordsOrder {
  readonly id: string;
  readonly command: SandboxCommand;
  readonly limits: SandboxLimits;
  readonly proxyPort: number | undefined;
}

const onlyCalls = {
  kind: 'unavailable',
  says: 'on macOS there is a sandbox for shell.execute, and none for the programs of agents',
  fix: 'As the owner, and outside of any sandbox: aos spawn NAME --unsandboxed -- PROGRAM',
} as const satisfies SandboxState;

const missing = {
  kind: 'unavailable',
  says: 'this macOS has no sandbox-exec',
  fix: 'use Linux with bubblewrap',
} as const satisfies SandboxState;

/**
 * A program has no view of its own here: what is called /workspace elsewhere has its host's name.
 */
function hostPath({ workspace }: SandboxView, path: string): string {
  if (path !== workspaceInside && !path.startsWith(`${workspaceInside}/`)) return path;
  return workspace + path.slice(workspaceInside.length);
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server | undefined): number | undefined {
  const address = server?.address();
  return typeof address === 'object' ? address?.port : undefined;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process is left in it.
  }
}
