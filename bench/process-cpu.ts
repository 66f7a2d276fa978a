import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

// The shell's own `times` counts every child it has waited for, and their children:
// what a user pays for a command, to the last of it. Node cannot tell that of a child.
const loop = `
n=$1; shift; i=0
while [ $i -lt $n ]; do "$@" >/dev/null 2>&1 </dev/null || exit 9; i=$((i+1)); done
times`;

/** CPU milliseconds (user and system) of one run of a command, the mean of `times` runs. */
export async function processCpuMs(
  command: readonly string[],
  { times, env }: { readonly times: number; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const { stdout } = await run('sh', ['-c', loop, 'sh', String(times), ...command], { env }).catch(
    (cause: unknown) => {
      throw new Error(`"${command.join(' ')}" fails on this machine, so it cannot be measured`, {
        cause,
      });
    },
  );
  const [, children = ''] = stdout.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, match) => sum + Number(match[1]) * 60 + Number(match[2]),
    0,
  );
  return (1000 * seconds) / times;
}
