/**
 * `npm test`: every promise guarded once, in one run on all cores, each suite within its budget of
 * seconds. The last line says how many passed.
 *
 *   npm test -- [--seed N] [--times] [SUITE…]
 *
 * What is drawn by chance follows from the tree of the last commit, or from --seed; --times tells
 * what took how long, and what it waited for.
 */
import { availableParallelism } from 'node:os';
import { suites, testBudgetSeconds } from '../tests/suites.ts';
import { measureSlowness } from '../tests/support/machine.ts';
import { commandLine, say } from './run-tool.ts';
import { runVitest } from './run-vitest.ts';
import { runStaticChecks } from './static-checks.ts';
import { faultsOf, type SuiteResult, summary } from './suite-result.ts';
import { timesInWords } from './times.ts';
import { checkoutState, seedOfTree } from './tree.ts';

const { values: options, positionals: wanted } = commandLine({
  seed: { type: 'string' },
  times: { type: 'boolean', default: false },
});
const inCi = (process.env['CI'] ?? '') !== '';

process.exitCode = await main();

async function main(): Promise<number> {
  const names = ['static', ...suites.map(({ name }) => name)];
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    say(`There is no suite "${unknown[0]}": ${names.join(', ')}`);
    return 2;
  }
  const seed = options.seed ?? String(seedOfTree());
  if (!/^\d+$/.test(seed)) {
    say(`"${seed}" is no seed: give the whole number that a run printed`);
    return 2;
  }
  say(`The cases of this run are drawn by ${seed}; the same again: npm test -- --seed ${seed}`);
  const slowness = await measureSlowness();
  if (slowness > 1)
    say(`This machine is slow or busy: limits are stretched ${slowness.toFixed(1)} x`);
  const before = checkoutState();
  const startedAt = performance.now();
  const chosen = suites.filter(({ name }) => isWanted(name));
  const statics = isWanted('static') ? [await runStatic()] : [];
  const ran = await runVitest({
    ...{ suites: chosen, seed, times: options.times },
    env: { AOS_TEST_SLOWNESS: slowness.toFixed(2) },
  });
  const results = [...statics, ...ran.results];
  const seconds = (performance.now() - startedAt) / 1000;
  // Other programs may have begun to use the machine in the meantime.
  const slownessNow = Math.max(slowness, await measureSlowness());
  const faults = faultsOf(results, { skipsFail: inCi, slowness: slownessNow });
  // A worker that died, or an error that no test was running for.
  if (ran.exitCode !== 0 && faults.length === 0) {
    faults.push(`the runner ended with ${ran.exitCode}`);
  }
  // On one core it takes what it takes.
  if (seconds > testBudgetSeconds * slownessNow && availableParallelism() > 1) {
    faults.push(`all of it took ${seconds.toFixed(0)} s of ${testBudgetSeconds} (tests/suites.ts)`);
  }
  say(`\nall of it took ${seconds.toFixed(0)} s of ${testBudgetSeconds}`);
  if (checkoutState() !== before) faults.push('the tests changed the checkout: see git status');
  if (options.times) say(timesInWords(results));
  say(summary(results, faults));
  return faults.length === 0 ? 0 : 1;
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

/** Each tool counts as one test. */
async function runStatic(): Promise<SuiteResult> {
  say('== static');
  const tools = await runStaticChecks();
  for (const { name, code, output } of tools) say(code === 0 ? `ok ${name}` : output);
  const failed = tools.filter(({ code }) => code !== 0).length;
  return {
    name: 'static',
    passed: tools.length - failed,
    failed,
    skipped: 0,
    seconds: Math.max(...tools.map(({ seconds }) => seconds)),
    budgetSeconds: 60,
    files: [],
    whole: [],
  };
}
