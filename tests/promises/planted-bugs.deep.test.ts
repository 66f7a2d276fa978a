/**
 * Every guard bites: the bug of each promise is planted in a copy of the checkout, and its guard,
 * run alone there, has to fail, and to pass without it. A guard that draws its cases has to find the
 * bug in those of two fixed seeds: what it finds in one may be luck.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suiteOf } from '../../scripts/run-vitest.ts';
import type { FileReport } from '../../scripts/suite-result.ts';
import { type CheckoutCopy, readyCopy } from '../gate/checkout-copy.ts';
import { type Outcome, run } from '../gate/running-program.ts';
import { limitMs } from '../support/limits.ts';
import { cases } from '../support/tier.ts';
import type { NamedTest } from './promise.ts';
import { promises } from './promises.ts';

const [fixedSeed, otherSeed] = ['1', '2'];

let copy: CheckoutCopy;

beforeAll(async () => {
  copy = await readyCopy();
  // The guards of the setup make copies too, of what git knows of.
  await inCopy('git', ['init', '--quiet']);
});

afterAll(() => copy[Symbol.asyncDispose]());

test.each(cases('planted', promises, 1))(
  '$id: the guard finds $bug.what, and nothing without it',
  async ({ guard, bug }) => {
    await build();
    const asItIs = await runAlone(guard, fixedSeed);
    using _ = copy.plant(bug.file, (text) => text.replace(bug.find, () => bug.put));
    await build();

    const planted: GuardRun[] = [];
    for (const seed of seedsFor(guard)) planted.push(await runAlone(guard, seed));

    expect(new Set(asItIs.states), said(asItIs)).toEqual(new Set(['passed']));
    for (const run of planted) expect(run.states, said(run)).toContain('failed');
  },
);

function seedsFor({ file }: NamedTest): readonly string[] {
  const text = readFileSync(copy.at(file), 'utf8');
  const isDrawing = /\b(?:cases|seeds|cutEverywhere)[<(]|\brunSeed\b|fast-check/.test(text);
  return isDrawing ? [fixedSeed, otherSeed] : [fixedSeed];
}

function said({ outcome }: GuardRun): string {
  return outcome.stdout + outcome.stderr;
}

/** What guards start is the bundle. */
async function build(): Promise<void> {
  const { code, stderr } = await inCopy(process.execPath, ['scripts/build.ts']);
  if (code !== 0) throw new Error(`the copy cannot be built: ${stderr}`);
}

interface GuardRun {
  /** Of the tests with that title. */
  readonly states: readonly string[];
  readonly outcome: Outcome;
}

async function runAlone({ file, title }: NamedTest, seed: string): Promise<GuardRun> {
  const report = copy.at('report.json');
  rmSync(report, { force: true });
  const outcome = await inCopy(
    'node_modules/.bin/vitest',
    [
      ...['run', '--project', suiteOf(file) ?? 'unit', file, '-t', patternOf(title)],
      ...['--reporter=json', `--outputFile.json=${report}`],
    ],
    seed,
  );
  if (!existsSync(report)) throw new Error(`vitest wrote no report: ${outcome.stderr}`);
  const files: readonly FileReport[] = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const wanted = new RegExp(`^${patternOf(title)}$`);
  // A file that cannot even be loaded shows nothing of the guard.
  const own = tests.filter((one) => wanted.test(one.title));
  return { states: own.map(({ status }) => status), outcome };
}

function patternOf(title: string): string {
  return title
    .split(/%[a-z]|\$[\w.]+|\$\{[^}]*\}/)
    .map((piece) => RegExp.escape(piece))
    .join('.*');
}

function inCopy(
  command: string,
  args: readonly string[],
  seed: string = fixedSeed,
): Promise<Outcome> {
  // Not with the fakes of the copy, by which a guard that needs strace would always fail.
  const env = { ...copy.env, PATH: process.env['PATH'], AOS_TEST_SEED: seed };
  return run(command, args, { cwd: copy.path, env, patienceMs: limitMs(120_000) });
}
