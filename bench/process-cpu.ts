import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

// The second line of bash's `times`: every child it has waited for, and their children,
// to the millisecond. Not `time`, which adds the shell's own forks to both sides and so
// flatters the ratio; not another shell, which counts in hundredths of a second.
const loop = `
n=$1; shift
for ((i = 0; i < n; i++)); do "$@" >/dev/null 2>&1 </dev/null || exit 9; done
times`;

/** CPU milliseconds (user and system) of one run of a command, the mean of `times` runs. */
export async function processCpuMs(
  command: readonly string[],
  { times, env }: { readonly times: number; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  try {
    const { stdout } = await run('bash', ['-c', loop, 'bash', String(times), ...command], { env });
    const [, children = ''] = stdout.trim().split('\n');
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
    );
    // No number where bash said none: a bench that measured nothing must not pass.
    if (seconds.length !== 2) return Number.NaN;
    return (1000 * seconds.reduce((sum, part) => sum + part)) / times;
  } catch (cause) {
    const words = `"${command.join(' ')}" fails on this machine, so it cannot be measured`;
    throw new Error(words, { cause });
  }
}
