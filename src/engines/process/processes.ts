/** Processes of this machine, told apart by number and start time. */
import { readFileSync } from 'node:fs';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import type { KillAnswer, KillSignal, Processes } from '../../kernel/ports.ts';

export const realProcesses: Processes = {
  selfPid: process.pid,
  startTimeOf,
  bootId,
  kill,
};

function startTimeOf(pid: number): string | undefined {
  if (!isPid(pid)) return undefined;
  return process.platform === 'linux' ? startTimeOnLinux(pid) : startTimeByPs(pid);
}

function startTimeOnLinux(pid: number): string | undefined {
  const ticks = startTicks(readIfThere(`/proc/${pid}/stat`) ?? '');
  if (ticks === undefined) return undefined;
  // Ticks count from the start of the machine, so that two starts could show the same.
  return `${bootId() ?? 'unknown-boot'}/${ticks}`;
}

function bootId(): string | undefined {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim();
}

/**
 * Field 22 of `/proc/PID/stat`. One that has ended and only waits for its parent to take
 * notice (`Z`, `X`) runs no more.
 */
export function startTicks(stat: string): string | undefined {
  // The second field is the program's name in parentheses, and may itself hold any of them.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || /^[ZXx]?$/.test(state)) return undefined;
  return fields[18];
}

// For macOS, where it has not been tried.
function startTimeByPs(pid: number): string | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('/bin/ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, started] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(stdout ?? '') ?? [];
  return state?.startsWith('Z') ? undefined : started;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended, or this system has no such file: either way there is no answer.
    return undefined;
  }
}

function kill(pid: number, signal: KillSignal): KillAnswer {
  // The system takes 0 and what is below for whole groups of processes.
  if (!isPid(pid)) return 'gone';
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (failure) {
    const osCode = osCodeOf(failure);
    if (osCode === 'ESRCH') return 'gone';
    if (osCode === 'EPERM') return 'denied';
    throw failure;
  }
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}
