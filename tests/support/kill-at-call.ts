/** Kills a running process right before one of its system calls, by strace, from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { limitMs } from './limits.ts';

export interface CallToKillAt {
  /** The name of a system call, such as `rename`. */
  readonly call: string;
  /** Which of them, counted from 1 from now on. */
  readonly number: number;
  /** Where strace writes what it saw. */
  readonly trace: string;
}

export interface ArmedKill extends AsyncDisposable {
  /** Lets go of the process. The call that it was killed at, as strace tells it, or undefined. */
  disarm(): Promise<string | undefined>;
}

const patienceMs = limitMs(200);

/** Resolves when the process is being watched. */
export async function killAtCall(
  pid: number,
  { call, number, trace }: CallToKillAt,
): Promise<ArmedKill> {
  const inject = `inject=${call}:signal=SIGKILL:when=${number}`;
  const watched = ['-e', `trace=${call}`, '-e', inject];
  const strace = spawn('strace', ['-f', '-y', ...watched, '-o', trace, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(strace, 'close');
  const [said] = await Promise.race([once(strace.stderr.setEncoding('utf8'), 'data'), ended]);
  if (!String(said).includes('attached')) throw new Error(`strace says: ${said}`);
  const disarm = async (): Promise<string | undefined> => {
    // SIGTERM lets it detach. It may wait for threads of the dead for ever: then it is killed.
    strace.kill('SIGTERM');
    using late = setTimeout(() => strace.kill('SIGKILL'), patienceMs);
    await ended;
    clearTimeout(late);
    return killedAt(readFileSync(trace, 'utf8'), call);
  };
  return {
    disarm,
    async [Symbol.asyncDispose]() {
      await disarm();
    },
  };
}

/** The last of them that was begun. */
function killedAt(trace: string, call: string): string | undefined {
  if (!trace.includes('+++ killed by SIGKILL +++')) return undefined;
  return trace.split('\n').findLast((line) => line.includes(` ${call}(`));
}

/** Dead already, also while strace keeps it from being buried. */
export function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // There is nothing left of it.
    return true;
  }
}
