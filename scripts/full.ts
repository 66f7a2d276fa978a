/**
 * `npm run test:full`: the full counts, slice by slice. What was done for this tree is not done
 * again, so a run that was stopped goes on where it was; what came out stands in
 * docs/reliability.md.
 *
 *   npm run test:full -- [--again] [--until SECONDS] [SLICE…]
 *
 * SLICE is the beginning of a slice's name. With --until, no slice is begun after that moment
 * (seconds since 1970), and the first is the one that the tree's hash names: so different trees
 * prove different parts.
 */
import { longestSliceSeconds, type Slice, slices } from '../tests/slices.ts';
import { suites } from '../tests/suites.ts';
import { FullRecord } from './full-record.ts';
import { commandLine, runTool, say } from './run-tool.ts';
import { runVitest } from './run-vitest.ts';
import { faultsOf } from './suite-result.ts';
import { seedOfTree } from './tree.ts';

const { values: options, positionals: wanted } = commandLine({
  again: { type: 'boolean', default: false },
  until: { type: 'string' },
});
const inCi = (process.env['CI'] ?? '') !== '';

process.exitCode = await main();

async function main(): Promise<number> {
  const record = new FullRecord({ writesDocs: !inCi });
  const chosen = inTurn(slices.filter(({ name }) => isWanted(name)));
  const unknown = wanted.find(
    (beginning) => !slices.some(({ name }) => name.startsWith(beginning)),
  );
  if (unknown !== undefined) {
    say(`There is no slice "${unknown}": ${slices.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  if (options.until !== undefined && !/^\d+$/.test(options.until)) {
    say(`"${options.until}" is no moment: give seconds since 1970, as date +%s prints them`);
    return 2;
  }
  say(`What is drawn by chance follows from ${seedOfTree()}, the number of this tree`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  const faults: string[] = [];
  let looked = 0;
  for (const slice of chosen) {
    if (!options.again && record.has(slice)) {
      say(`${slice.name} is done for this tree`);
      looked += 1;
      continue;
    }
    if (options.until !== undefined && Date.now() / 1000 > Number(options.until)) break;
    looked += 1;
    say(`\n== ${slice.name}`);
    const result = await runSlice(slice);
    for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += result[key];
    faults.push(...result.faults.map((fault) => `${slice.name}: ${fault}`));
    say(`${slice.name}: ${result.passed} passed in ${result.seconds.toFixed(0)} s`);
    if (result.faults.length === 0) record.add(slice, result);
  }
  if (looked === 0) faults.push('there was no time for any slice');
  for (const fault of faults) say(`FAILED ${fault}`);
  const failed = Math.max(total.failed, faults.length);
  say(`\n${total.passed} passed, ${failed} failed, ${total.skipped} skipped`);
  return faults.length === 0 ? 0 : 1;
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning));
}

/** From the one that the tree names on, round and round, where there may not be time for all. */
function inTurn(all: readonly Slice[]): readonly Slice[] {
  if (options.until === undefined || all.length === 0) return all;
  const first = seedOfTree() % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

interface SliceResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

async function runSlice(slice: Slice): Promise<SliceResult> {
  const startedAt = performance.now();
  const { faults, ...counts } = slice.kind === 'bench' ? await runBenches() : await runTests(slice);
  const seconds = (performance.now() - startedAt) / 1000;
  // CI shares its machine; there it is ended only when it takes twice as long.
  const late = seconds > longestSliceSeconds && !inCi;
  const words = `took ${seconds.toFixed(0)} s of the ${longestSliceSeconds} s of a slice`;
  return { ...counts, seconds, faults: late ? [...faults, words] : faults };
}

type Counts = Omit<SliceResult, 'seconds'>;

async function runTests({
  suite: name,
  part,
  args,
  without,
}: Extract<Slice, { kind: 'tests' }>): Promise<Counts> {
  const suite = suites.find((one) => one.name === name);
  if (suite === undefined) throw new Error(`there is no suite "${name}"`);
  const { results, exitCode } = await runVitest({
    ...{ suites: [suite], args, seed: String(seedOfTree()), mostSeconds: 2 * longestSliceSeconds },
    env: { AOS_TEST_FULL: '1', AOS_TEST_PART: part, AOS_TEST_WITHOUT: without.join(':') },
  });
  const faults = faultsOf(results, { skipsFail: inCi, slowness: Number.POSITIVE_INFINITY });
  const [result] = results;
  for (const failure of result?.failures ?? []) say(failure);
  if (exitCode !== 0 && faults.length === 0) faults.push(`the runner ended with ${exitCode}`);
  const { passed = 0, failed = 0, skipped = 0 } = result ?? {};
  return { passed, failed, skipped, faults };
}

async function runBenches(): Promise<Counts> {
  const { code, output } = await runTool('node', ['bench/run.ts', '--gate']);
  say(output);
  const [, passed = 0, failed = 0] = (/(\d+) passed, (\d+) failed/.exec(output) ?? []).map(Number);
  return { passed, failed, skipped: 0, faults: code === 0 ? [] : ['something is slower'] };
}
