import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

// bash's `time` counts every child it has waited for, and their children, to the
// millisecond: what a user pays for a command, to the last of it. Node cannot tell
// that of a child, and `times` of other shells counts in hundredths of a second.
const loop = `
n=$1; shift; TIMEFORMAT='%3U %3S'
repeat() { for ((i = 0; i < n; i++)); do "$@" >/dev/null 2>&1 </dev/null || exit 9; done; }
time repeat "$@"`;

/** CPU milliseconds (user and system) of one run of a command, the mean of `times` runs. */
export async function processCpuMs(
  command: readonly string[],
  { times, env }: { readonly times: number; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  try {
    const { stderr } = await run('bash', ['-c', loop, 'bash', String(times), ...command], { env });
    const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
    return (1000 * (user + system)) / times;
  } catch (cause) {
    const words = `"${command.join(' ')}" fails on this machine, so it cannot be measured`;
    throw new Error(words, { cause });
  }
}
