/** What the command line costs, against a Node that does nothing. */
import { join } from 'node:path';
import { startDaemon } from '../tests/support/running-daemon.ts';
import type { Bench, Sides } from './frame.ts';
import { processCpuMs } from './process-cpu.ts';
import { workplace } from './workplace.ts';

const aos = join(import.meta.dirname, '..', 'bin', 'aos.cjs');
// Few runs and many rounds: what disturbs the machine then disturbs both sides alike.
const runsPerRound = 5;

export const cliBenches: readonly Bench[] = [
  cliBench('cli.version', ['--version'], '<=2.0'),
  cliBench('cli.doctor', ['doctor'], '<=2.0'),
  { ...cliBench('cli.status', ['status'], '<=2.5'), prepare: prepareStatus },
  { ...cliBench('cli.alone', ['ps'], '<=8'), prepare: prepareAlone },
];

function cliBench(name: string, args: readonly string[], target: Bench['target']): Bench {
  return {
    name,
    unit: 'ms cpu',
    floorIs: 'node -e ""',
    target,
    rounds: 31,
    prepare: () => prepare(args),
  };
}

async function prepare(args: readonly string[]): Promise<Sides> {
  const { folder, disposables } = await workplace();
  return sides(folder, args, disposables);
}

async function prepareStatus(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const home = join(folder, 'home');
  disposables.use(await startDaemon(home));
  return sides(home, ['status'], disposables);
}

/** Without a daemon the command opens the home itself. */
async function prepareAlone(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const home = join(folder, 'home');
  {
    await using daemon = await startDaemon(home);
    await daemon.client.register('jean');
    await daemon.stop();
  }
  return sides(home, ['ps'], disposables);
}

function sides(home: string, args: readonly string[], disposables: AsyncDisposableStack): Sides {
  // Not the user's settings, which may make a command do more, less or nothing.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AOS_'));
  const env = { ...Object.fromEntries(inherited), AOS_HOME: home };
  const options = { times: runsPerRound, env };
  const value = () => processCpuMs([process.execPath, aos, ...args], options);
  const floor = () => processCpuMs([process.execPath, '-e', ''], options);
  return { value, floor, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}
