/** What the files of control groups are called and say, in either version. */
import type { SandboxLimits } from '../../kernel/sandbox.ts';

export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

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
export function hasControllers(list: string): boolean {
  return missingControllers(list).length === 0;
}

export function missingControllers(list: string): readonly Controller[] {
  const there = new Set(list.trim().split(/\s+/));
  return controllers.filter((controller) => !there.has(controller));
}
