/**
 * `npm run bench [-- NAME] [--json]`: every bench, or those whose name begins with
 * NAME. Exit code 1 when one misses its target. `--gate` compares CPU with what is kept (gate.ts).
 * `--data FILE` and `--embedder use-lite` are for
 * `memory`, which needs dialogues to ask about.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { didYouMean } from '../src/kernel/text/suggest.ts';
import { cliBenches } from './cli.ts';
import { daemonBenches } from './daemon.ts';
import { fileBenches } from './files.ts';
import { fileSearchBenches } from './files-search.ts';
import { type Bench, type BenchResult, runBench } from './frame.ts';
import { runGate } from './gate.ts';
import { gatewayBenches } from './gateway.ts';
import { ledgerBenches } from './ledger.ts';
import { memoryBenches } from './memory.ts';
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

const { values: options, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    data: { type: 'string' },
    embedder: { type: 'string' },
    gate: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const benches: readonly Bench[] = [
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
  ...memoryBenches(options),
];

const { json = false } = options;
const [wanted = ''] = positionals;
const chosen = benches.filter(({ name }) => name.startsWith(wanted));

try {
  if (chosen.length === 0) process.exitCode = refuse();
  else
    process.exitCode = options.gate
      ? await runGate(benches, { ...options, wanted, json })
      : await main();
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
    if (bench.skip !== undefined) {
      process.stdout.write(`${json ? JSON.stringify(skipped(bench)) : skippedInWords(bench)}\n`);
      continue;
    }
    const result = await runBench(bench);
    process.stdout.write(`${json ? JSON.stringify(result) : inWords(result)}\n`);
    passed &&= result.pass;
  }
  const skips = chosen.filter(({ skip }) => skip !== undefined).length;
  if (skips > 0) process.stderr.write(`${skips} of ${chosen.length} were skipped.\n`);
  return passed ? 0 : 1;
}

function skipped({ name, skip }: Bench) {
  return { bench: name, skipped: skip };
}

function skippedInWords({ name, skip }: Bench): string {
  return `skip   ${name.padEnd(24)} skipped: ${skip}`;
}

function inWords(result: BenchResult): string {
  const { bench, value, unit, floor, floorIs, ratio, spread, target, pass } = result;
  const verdict = pass ? 'ok    ' : 'MISSED';
  return `${verdict} ${bench.padEnd(24)} ${value} ${unit}, floor ${floor} (${floorIs}), ratio ${ratio} [${spread.join('–')}], target ${target}`;
}
