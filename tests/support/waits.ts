/**
 * What a test spent its time on, for `npm test -- --times`: processor time of the worker and of
 * the processes it waited for, processes and daemons started, and timers that ran out. All of it
 * is counted from the outside of the test, in the worker that runs it.
 */
import { createHook } from 'node:async_hooks';
import childProcess from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Waits {
  /** Seconds of processor time of this worker, and of its children that have ended. */
  readonly ownCpu: number;
  readonly childCpu: number;
  readonly processes: number;
  readonly daemons: number;
  /** Seconds that the timers which ran out had been set to, and how many there were. */
  readonly timerSeconds: number;
  readonly timers: number;
}

/** What one test file took from its loading to its last hook. */
export interface WholeFile {
  readonly name: string;
  readonly seconds: number;
  readonly waits: Waits;
}

declare module 'vitest' {
  interface TaskMeta {
    waits?: Waits;
  }
}

const counted = { processes: 0, daemons: 0, timerSeconds: 0, timers: 0 };

let isCounting = false;

/** Begins to count; without it every count stays 0. */
export function countWaits(): void {
  // One worker may run many files, each of which asks for it.
  if (isCounting) return;
  isCounting = true;
  subscribe('child_process', (message) => {
    // For this channel Node documents the message to hold the process.
    const { process: child } = message as { process: childProcess.ChildProcess };
    // The arguments are set by spawn() only after this.
    queueMicrotask(() => noteStart(child.spawnargs ?? []));
  });
  countSynchronousStarts();
  countTimers();
}

export function waitsSoFar(): Waits {
  const { user, system } = process.cpuUsage();
  return { ownCpu: (user + system) / 1e6, childCpu: childCpu(), ...counted };
}

export function waitsSince(before: Waits): Waits {
  const now = waitsSoFar();
  return {
    ownCpu: now.ownCpu - before.ownCpu,
    childCpu: now.childCpu - before.childCpu,
    processes: now.processes - before.processes,
    daemons: now.daemons - before.daemons,
    timerSeconds: now.timerSeconds - before.timerSeconds,
    timers: now.timers - before.timers,
  };
}

function noteStart(args: readonly string[]): void {
  counted.processes += 1;
  if (args.includes('up')) counted.daemons += 1;
}

// No channel tells of these.
function countSynchronousStarts(): void {
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const original = childProcess[name];
    const counting = (...args: unknown[]): unknown => {
      counted.processes += 1;
      return Reflect.apply(original, childProcess, args);
    };
    Object.assign(childProcess, { [name]: counting });
  }
  syncBuiltinESMExports();
}

function countTimers(): void {
  const delays = new Map<number, number>();
  createHook({
    init(id, type, _trigger, resource) {
      if (type !== 'Timeout') return;
      delays.set(id, Number(Reflect.get(resource, '_idleTimeout')));
    },
    before(id) {
      const delay = delays.get(id);
      if (delay === undefined) return;
      counted.timers += 1;
      counted.timerSeconds += delay / 1000;
    },
    destroy(id) {
      delays.delete(id);
    },
    trackPromises: false,
  }).enable();
}

/** Of children that have ended and were waited for, with theirs. */
function childCpu(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  // cutime and cstime, the 16th and 17th field, in hundredths of a second.
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
