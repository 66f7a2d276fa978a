/**
 * `npm run bench [-- NAME] [--json]`: every bench, or those whose name begins with
 * NAME. Exit code 1 when one misses its target.
 */
import { loadavg } from 'node:os';
import { didYouMean } from '../src/kernel/suggest.ts';
import { cliBenches } from './cli.ts';
import { daemonBenches } from './daemon.ts';
import { fileBenches } from './files.ts';
import { fileSearchBenches } from './files-search.ts';
import { type BenchResult, runBench } from './frame.ts';
import { gatewayBenches } from './gateway.ts';
import { ledgerBenches } from './ledger.ts';
import { operationBenches } from './operations.ts';
import { relayBacklogBenches } from './relay-backlog.ts';
import { relayFileBenches } from './relay-files.ts';
import { relayIdleBenches } from './relay-idle.ts';
import { relaySocketBenches } from './relay-socket.ts';
import { runtimeBenches } from './runtime.ts';
import { runtimeAgentBenches } from './runtime-agents.ts';
import { sandboxBenches } from './sandbox.ts';
import { securityBenches } from './security.ts';
import { toolBenches } from './tools.ts';
import { transferBenches } from './transfer.ts';
import { removeBenchFolders } from './workplace.ts';

const benches = [
  ...cliBenches,
  ...ledgerBenches,
  ...gatewayBenches,
  ...daemonBenches,
  ...relayFileBenches,
  ...relaySocketBenches,
  ...relayBacklogBenches,
  ...relayIdleBenches,
  ...securityBenches,
  ...toolBenches,
  ...runtimeBenches,
  ...runtimeAgentBenches,
  ...sandboxBenches,
  ...transferBenches,
  ...operationBenches,
  ...fileBenches,
  ...fileSearchBenches,
];

const args = process.argv.slice(2);
const json = args.includes('--json');
const wanted = args.find((arg) => !arg.startsWith('-')) ?? '';
const chosen = benches.filter(({ name }) => name.startsWith(wanted));

try {
  process.exitCode = chosen.length === 0 ? refuse() : await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  removeBenchFolders();
}

function refuse(): number {
  const names = benches.map(({ name }) => name);
  process.stderr.write(
    `There is no bench "${wanted}".${didYouMean(wanted, names)}\n  try: one of ${names.join(', ')}\n`,
  );
  return 2;
}

async function main(): Promise<number> {
  const [load = 0] = loadavg();
  if (load > 1)
    process.stderr.write(`The machine is busy (load ${load.toFixed(1)}): read only the ratios.\n`);
  let passed = true;
  for (const bench of chosen) {
    const result = await runBench(bench);
    process.stdout.write(`${json ? JSON.stringify(result) : inWords(result)}\n`);
    passed &&= result.pass;
  }
  return passed ? 0 : 1;
}

function inWords(result: BenchResult): string {
  const { bench, value, unit, floor, floorIs, ratio, spread, target, pass } = result;
  const verdict = pass ? 'ok    ' : 'MISSED';
  return `${verdict} ${bench.padEnd(24)} ${value} ${unit}, floor ${floor} (${floorIs}), ratio ${ratio} [${spread.join('–')}], target ${target}`;
}
