/** What the command line costs, against a Node that does nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, Sides } from './frame.ts';
import { processCpuMs } from './process-cpu.ts';

const aos = join(import.meta.dirname, '..', 'bin', 'aos.cjs');
// The system counts in hundredths of a second: enough runs that one of those is nothing.
const runsPerRound = 25;

export const cliBenches: readonly Bench[] = [
  cliBench('cli.version', ['--version'], '<=2.0'),
  cliBench('cli.doctor', ['doctor'], '<=2.0'),
];

function cliBench(name: string, args: readonly string[], target: Bench['target']): Bench {
  return {
    name,
    unit: 'ms cpu',
    floorIs: 'node -e ""',
    target,
    rounds: 7,
    prepare: () => prepare(args),
  };
}

async function prepare(args: readonly string[]): Promise<Sides> {
  const home = await mkdtemp(join(tmpdir(), 'aos-bench-'));
  const options = { times: runsPerRound, env: { ...process.env, AOS_HOME: home } };
  const value = () => processCpuMs([process.execPath, aos, ...args], options);
  const floor = () => processCpuMs([process.execPath, '-e', ''], options);
  // Once each, so that the first round does not pay for a cold disk.
  await value();
  await floor();
  return { value, floor, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
}
