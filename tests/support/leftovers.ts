import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitMs } from './limits.ts';
import { liveTimers } from './live-timers.ts';

/** Everything that a test could leave behind, each thing as one line of words. */
export type Snapshot = readonly string[];

// Less where leaks are planted, so that they need not be waited for.
const patienceMs = limitMs(Number(process.env['AOS_TEST_LEAK_MS'] ?? '2000'));

export function snapshot(folder: string): Snapshot {
  return [...processes(), ...handles(), ...liveTimers(), ...descriptors(), ...files(folder)];
}

/** What is there now and was not there before, after giving it a moment to go. */
export async function leftovers(folder: string, before: Snapshot): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = added(before, snapshot(folder));
    if (found.length === 0 || Date.now() > deadline) return found;
    // Without a reference, or this very timer would be found.
    await sleep(5, undefined, { ref: false });
  }
}

// As many as there are more of: three timers before and four after is one leak.
function added(before: Snapshot, after: Snapshot): string[] {
  const known = [...before];
  return after.filter((line) => {
    const index = known.indexOf(line);
    if (index !== -1) known.splice(index, 1);
    return index === -1;
  });
}

// What ran before the tests did is not theirs. Looking at it again and again, twice a
// test, would take most of the time.
let foreign = new Set(runningPids());

function processes(): string[] {
  const mark = process.env['AOS_TEST_MARK'];
  if (mark === undefined) return [];
  const pids = runningPids();
  foreign = foreign.intersection(new Set(pids));
  const found: string[] = [];
  for (const pid of pids.filter((candidate) => !foreign.has(candidate))) {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readProc(`/proc/${pid}/stat`)) ?? [];
    const isOurs = parent === String(process.pid);
    // A thread of the kernel, or one that has ended and that its parent does not ask for.
    if (!isOurs && (parent === '2' || state === 'Z')) continue;
    const environment = readEnvironment(pid);
    if (environment.includes(mark) || isOurs) {
      found.push(`process ${pid}: ${readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
    }
  }
  return found;
}

// A process that is just becoming another program has no environment for a moment.
function readEnvironment(pid: string): string {
  for (let tries = 3; tries > 0; tries--) {
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment !== '') return environment;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  return '';
}

function runningPids(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended while we looked, or it is not ours to read.
    return '';
  }
}

// Timers are named one by one, by liveTimers().
function handles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => !/^(FSReq|CloseReq|Immediate|Timeout)/.test(kind))
    .map((kind) => `handle: ${kind}`);
}

function descriptors(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      return target.startsWith('/proc/') ? [] : [`descriptor: ${target}`];
    } catch {
      // The descriptor of this very listing.
      return [];
    }
  });
}

function files(folder: string): string[] {
  return ['tmp', 'home'].flatMap((name) =>
    readdirSync(join(folder, name)).map((entry) => `in the ${name} folder: ${entry}`),
  );
}
