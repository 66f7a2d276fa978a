/**
 * Where control groups with limits can be made: below the groups that this process is in.
 *
 * R1. In the second version a group either holds processes or hands its controllers on to groups
 *     below (the topmost one does both). So we move to a group of our own below ours first, and
 *     only where no other process is in ours: others are not ours to move.
 * R2. What did not work out is undone: we are where we were, and nothing of ours is left.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ownGroup, procs, readIfThere } from '../../engines/process/control-group.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';

export interface GroupRoom {
  readonly version: 1 | 2;
  /** The folder in which groups of that controller are made; it may be the same for several. */
  readonly folders: Readonly<Record<Controller, string>>;
  /** R2 */
  undo(): void;
}

/** The texts are those of `/proc/self/mountinfo` and `/proc/self/cgroup`. */
export function findRoom(mountinfo: string, place: string): GroupRoom | undefined {
  const second = ownGroup(mountinfo, place);
  if (second !== undefined && hasControllers(readIfThere(join(second, 'cgroup.controllers')))) {
    return roomIn(second);
  }
  return firstVersionRoom(mountinfo, place);
}

export function firstVersionRoom(mountinfo: string, place: string): GroupRoom | undefined {
  const [memory, pids, cpu] = controllers.map((name) => ownGroup(mountinfo, place, name));
  if (memory === undefined || pids === undefined || cpu === undefined) return undefined;
  return { version: 1, folders: { memory, pids, cpu }, undo: () => {} };
}

const ownName = 'aos-daemon';
const handedOn = 'cgroup.subtree_control';

/** Below a group of the second version that we are in. */
export function roomIn(own: string, pid: number = process.pid): GroupRoom | undefined {
  // We have moved already, or our parent had.
  const above = basename(own) === ownName ? dirname(own) : own;
  const missing = missingControllers(readIfThere(join(above, handedOn)));
  if (missing.length === 0) return room(above, () => {});
  if (above !== own) return undefined;
  if (isTopmost(own)) return handOn(own, missing, () => {});
  const isAlone = readIfThere(join(own, procs)).trim() === String(pid);
  return isAlone ? moveAndHandOn(own, missing, pid) : undefined;
}

function isTopmost(folder: string): boolean {
  return !existsSync(join(folder, 'cgroup.type'));
}

/** R1 */
function moveAndHandOn(
  own: string,
  missing: readonly Controller[],
  pid: number,
): GroupRoom | undefined {
  const child = join(own, ownName);
  const isNew = !existsSync(child);
  const moveBack = () => {
    writeFileSync(join(own, procs), String(pid));
    if (isNew) rmdirSync(child);
  };
  try {
    mkdirSync(child, { recursive: true });
    writeFileSync(join(child, procs), String(pid));
  } catch {
    tryTo(moveBack);
    return undefined;
  }
  return handOn(own, missing, moveBack);
}

function handOn(
  folder: string,
  missing: readonly Controller[],
  moveBack: () => void,
): GroupRoom | undefined {
  const write = (sign: '+' | '-') =>
    writeFileSync(join(folder, handedOn), missing.map((name) => sign + name).join(' '));
  const undo = () => {
    tryTo(() => write('-'));
    tryTo(moveBack);
  };
  try {
    write('+');
    if (hasControllers(readFileSync(join(folder, handedOn), 'utf8'))) return room(folder, undo);
  } catch {
    // Not ours to change.
  }
  undo();
  return undefined;
}

function room(folder: string, undo: () => void): GroupRoom {
  return { version: 2, folders: { memory: folder, pids: folder, cpu: folder }, undo };
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // Of something that failed halfway, not every part is there to be undone.
  }
}

// What the files of control groups are called and say, in either version.

const controllers = ['memory', 'pids', 'cpu'] as const;
type Controller = (typeof controllers)[number];

export interface GroupFile {
  readonly controller: Controller;
  readonly name: string;
}

export interface Setting extends GroupFile {
  readonly value: string;
  /** Kernels differ in these: the limit holds without it, only less well. */
  readonly ifThere?: true;
  /** Refused where a group above allows less, which then holds. */
  readonly ifAllowed?: true;
}

/** One version of control groups. */
export interface GroupWords {
  settings(limits: SandboxLimits): readonly Setting[];
  readonly memoryEvents: GroupFile;
}

// Both versions say these the same way.
export const processEvents: GroupFile = { controller: 'pids', name: 'pids.events' };
export const processCount: GroupFile = { controller: 'pids', name: 'pids.current' };

const cpuPeriodUs = 100_000;
// The system takes no less.
const leastCpuUs = 1000;

function cpuUs({ cpuPercent }: SandboxLimits): number {
  return Math.max(leastCpuUs, Math.round((cpuPercent * cpuPeriodUs) / 100));
}

export const groupWords: Readonly<Record<1 | 2, GroupWords>> = {
  1: {
    settings: (limits) => [
      memory('memory.limit_in_bytes', limits.memoryBytes),
      // With swap. It may never be lower than the one before, so it comes second.
      { ...memory('memory.memsw.limit_in_bytes', limits.memoryBytes), ifThere: true },
      processes(limits),
      { controller: 'cpu', name: 'cpu.cfs_period_us', value: String(cpuPeriodUs) },
      {
        ...{ controller: 'cpu', name: 'cpu.cfs_quota_us', value: String(cpuUs(limits)) },
        ifAllowed: true,
      },
    ],
    memoryEvents: { controller: 'memory', name: 'memory.oom_control' },
  },
  2: {
    settings: (limits) => [
      memory('memory.max', limits.memoryBytes),
      { ...memory('memory.swap.max', 0), ifThere: true },
      { ...memory('memory.oom.group', 1), ifThere: true },
      processes(limits),
      { controller: 'cpu', name: 'cpu.max', value: `${cpuUs(limits)} ${cpuPeriodUs}` },
    ],
    memoryEvents: { controller: 'memory', name: 'memory.events' },
  },
};

function memory(name: string, value: number): Setting {
  return { controller: 'memory', name, value: String(Math.floor(value)) };
}

function processes({ processes: most }: SandboxLimits): Setting {
  return { controller: 'pids', name: 'pids.max', value: String(most) };
}

/** The number behind a word, in a file of lines `word number`; 0 where it is not there. */
export function countOf(text: string, word: string): number {
  for (const line of text.split('\n')) {
    const [name, count] = line.split(' ');
    if (name === word && count !== undefined && /^\d+$/.test(count)) return Number(count);
  }
  return 0;
}

/** Whether all that limits need are in a list such as `cgroup.controllers`. */
function hasControllers(list: string): boolean {
  return missingControllers(list).length === 0;
}

export function missingControllers(list: string): readonly Controller[] {
  const there = new Set(list.trim().split(/\s+/));
  return controllers.filter((controller) => !there.has(controller));
}
