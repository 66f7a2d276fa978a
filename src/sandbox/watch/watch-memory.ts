/**
 * The memory of a process and of all below it, where no control group counts it: what only
 * they have, on the disk too when it was swapped out. What a file backs can be had back.
 *
 * Parents are read from each process: not every system has lists of children, and those leave out
 * processes that start while they are read. A process that is not below one of ours never comes
 * there, so that its parent is read again only now and then, when its number may have come to mean
 * another.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface MeasuredMemory {
  readonly pids: readonly number[];
  /** At most so much: what a parent and a child have together is counted for each. */
  readonly bytes: number;
}

interface ProcessMemory {
  readonly parent: number;
  readonly bytes: number;
}

const looksBetweenFullOnes = 10;

export class ProcessTable {
  #seen = new Map<number, ProcessMemory>();
  /** Those that were below a process that was asked for. */
  #ours = new Set<number>();
  #looks = 0;

  /** One look at the system for all of them. */
  look(roots: readonly number[]): Map<number, MeasuredMemory> {
    const isFull = this.#looks++ % looksBetweenFullOnes === 0;
    const before = this.#seen;
    this.#seen = new Map();
    for (const pid of livingPids()) {
      const known = isFull || this.#ours.has(pid) ? undefined : before.get(pid);
      const seen = known ?? seenProcess(pid);
      if (seen !== undefined) this.#seen.set(pid, seen);
    }
    const children = Map.groupBy(this.#seen.keys(), (pid) => this.#seen.get(pid)?.parent);
    const answers = new Map(roots.map((root) => [root, this.#below(root, children)]));
    this.#ours = new Set([...answers.values()].flatMap(({ pids }) => pids));
    return answers;
  }

  #below(root: number, children: ReadonlyMap<number | undefined, number[]>): MeasuredMemory {
    const pids = new Set(this.#seen.has(root) ? [root] : []);
    let bytes = 0;
    // What is added on the way is gone through as well.
    for (const pid of pids) {
      bytes += this.#seen.get(pid)?.bytes ?? 0;
      for (const child of children.get(pid) ?? []) pids.add(child);
    }
    return { pids: [...pids], bytes };
  }
}

function livingPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function seenProcess(pid: number): ProcessMemory | undefined {
  const status = readProc(pid, 'status');
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1];
  if (parent === undefined) return undefined;
  return { parent: Number(parent), bytes: bytesIn(status) };
}

/** Takes `/proc/PID/status`. */
export function bytesIn(status: string): number {
  return kibibytes(status, ['RssAnon', 'RssShmem', 'VmSwap']) * 1024;
}

/** Takes `/proc/PID/smaps_rollup`; undefined where it says nothing. */
export function exactBytesIn(rollup: string): number | undefined {
  if (!/^Pss:/m.test(rollup)) return undefined;
  // Older kernels do not say what of it is backed by files.
  const own = /^Pss_Anon:/m.test(rollup) ? ['Pss_Anon', 'Pss_Shmem'] : ['Pss'];
  return kibibytes(rollup, [...own, 'SwapPss']) * 1024;
}

function kibibytes(text: string, words: readonly string[]): number {
  return words
    .map((word) => Number(new RegExp(`^${word}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0))
    .reduce((sum, each) => sum + each, 0);
}

/**
 * What is shared is divided among the processes that share it. Slow for large ones: pauses after
 * each.
 */
export function* exactMemory(pids: readonly number[]): Generator<undefined, number> {
  let bytes = 0;
  for (const pid of pids) {
    // One that does not let itself be looked at so closely counts in full.
    bytes += exactBytesIn(readProc(pid, 'smaps_rollup')) ?? bytesIn(readProc(pid, 'status'));
    yield;
  }
  return bytes;
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    // It has ended, or is another user's.
    return '';
  }
}
