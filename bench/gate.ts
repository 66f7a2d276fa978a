/**
 * `npm run bench -- --gate [NAME]`: has anything become slower? Rows that count CPU, over their
 * floors, are compared with the ratios kept in expected.json. A busy machine makes all of it take
 * longer, and little of it take more. `--keep` writes down what was measured.
 *
 * A row that seems slower is measured again, and fails when it is so every time: chance does not
 * repeat itself, and slowness does.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, quantile, type Sides } from './frame.ts';
import { cpuMs } from './server-cpu.ts';

/** Whose CPU is counted: the bench's own number, this process, or those that it has started. */
type Counted = 'number' | 'own' | 'started';

interface GateRow {
  readonly bench: string;
  readonly counted: Counted;
  readonly rounds: number;
}

const rows: readonly GateRow[] = [
  { bench: 'cli.version', counted: 'number', rounds: 9 },
  { bench: 'cli.status', counted: 'number', rounds: 9 },
  { bench: 'cli.alone', counted: 'number', rounds: 7 },
  { bench: 'gateway.get', counted: 'number', rounds: 5 },
  { bench: 'gateway.post', counted: 'number', rounds: 5 },
  { bench: 'gateway.verify', counted: 'own', rounds: 9 },
  { bench: 'ledger.batched', counted: 'own', rounds: 9 },
  { bench: 'memory.store', counted: 'own', rounds: 5 },
  { bench: 'relay.socket', counted: 'started', rounds: 5 },
  { bench: 'runtime.spawn', counted: 'own', rounds: 9 },
  { bench: 'runtime.step', counted: 'own', rounds: 9 },
  { bench: 'security.authorize', counted: 'own', rounds: 9 },
  { bench: 'tools.call', counted: 'own', rounds: 9 },
  { bench: 'transfer.seal', counted: 'own', rounds: 9 },
];

/** Of the ratio that is kept. */
const tolerance = 1.15;
const tries = 3;
const keptFile = join(import.meta.dirname, 'expected.json');

export type Kept = Readonly<Record<string, number>>;

export type Verdict =
  | { readonly kind: 'as-before' | 'slower' | 'faster'; readonly kept: number }
  | { readonly kind: 'not-kept' };

/** A ratio against the one that is kept: CPU over a floor, so less is better. */
export function judge(bench: string, ratio: number, kept: Kept): Verdict {
  const before = kept[bench];
  if (before === undefined) return { kind: 'not-kept' };
  // Nothing measured is no number, and no pass.
  if (!(ratio <= before * tolerance)) return { kind: 'slower', kept: before };
  return { kind: ratio * tolerance < before ? 'faster' : 'as-before', kept: before };
}

export interface GateOptions {
  readonly wanted: string;
  readonly keep: boolean;
  readonly json: boolean;
}

export async function runGate(
  benches: readonly Bench[],
  { wanted, keep, json }: GateOptions,
): Promise<number> {
  const kept: Kept = JSON.parse(readFileSync(keptFile, 'utf8'));
  const measured: Record<string, number> = { ...kept };
  const failed: string[] = [];
  const chosen = rows.filter(({ bench }) => bench.startsWith(wanted));
  if (chosen.length === 0) {
    const names = rows.map(({ bench }) => bench).join(', ');
    process.stderr.write(`"${wanted}" is not in the gate.\n  try: one of ${names}\n`);
    return 2;
  }
  for (const row of chosen) {
    const { ratio, verdict } = await measureRow(row, benches, keep ? {} : kept);
    measured[row.bench] = ratio;
    if (verdict.kind === 'slower' || verdict.kind === 'not-kept') failed.push(row.bench);
    const line = { bench: row.bench, ratio, ...verdict };
    process.stdout.write(`${json ? JSON.stringify(line) : inWords(line)}\n`);
  }
  if (keep) {
    writeFileSync(keptFile, `${JSON.stringify(measured, undefined, 2)}\n`);
    return 0;
  }
  process.stdout.write(`${chosen.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length === 0 ? 0 : 1;
}

function inWords({ bench, ratio, ...verdict }: { bench: string; ratio: number } & Verdict): string {
  const now = `${bench.padEnd(20)} ${ratio} of its floor`;
  switch (verdict.kind) {
    case 'as-before':
      return `ok     ${now}, kept ${verdict.kept}`;
    case 'faster':
      return `ok     ${now}, kept ${verdict.kept}: keep it with npm run bench -- --gate ${bench} --keep`;
    case 'slower':
      return `SLOWER ${now}, kept ${verdict.kept} (bench/expected.json)`;
    case 'not-kept':
      return `NEW    ${now}: keep it with npm run bench -- --gate ${bench} --keep`;
  }
}

async function measureRow(
  row: GateRow,
  benches: readonly Bench[],
  kept: Kept,
): Promise<{ ratio: number; verdict: Verdict }> {
  const bench = benches.find(({ name }) => name === row.bench);
  if (bench === undefined) throw new Error(`there is no bench "${row.bench}"`);
  await using sides = await bench.prepare();
  const ratios = [await measure(sides, row)];
  // One that seems slower is measured again, and the middle of all counts.
  while (ratios.length < tries && judge(row.bench, ratios[0] ?? 0, kept).kind === 'slower') {
    ratios.push(await measure(sides, row));
  }
  const ratio = quantile(ratios, 0.5);
  return { ratio, verdict: judge(row.bench, ratio, kept) };
}

async function measure(sides: Sides, { counted, rounds }: GateRow): Promise<number> {
  const count = {
    number: (side: () => Promise<number>) => side(),
    own: (side: () => Promise<number>) => spent(ownCpuMs, side),
    started: (side: () => Promise<number>) => spent(startedCpuMs, side),
  }[counted];
  // Once each, so that the first round does not pay for what is compiled and cached.
  await count(sides.value);
  await count(sides.floor);
  const values: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    values.push(await count(sides.value));
    floors.push(await count(sides.floor));
  }
  return Number((quantile(values, 0.5) / quantile(floors, 0.5)).toPrecision(3));
}

async function spent(cpu: () => number, side: () => Promise<number>): Promise<number> {
  const before = cpu();
  await side();
  return cpu() - before;
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Of the programs that this process has started and that still run. */
function startedCpuMs(): number {
  return readdirSync(`/proc/self/task`)
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '')
    .reduce((sum, pid) => sum + cpuMs(Number(pid)), 0);
}
