/** One run of vitest over some suites, and what came out of each. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { type Suite, suites } from '../tests/suites.ts';
import { root } from './run-tool.ts';
import { type FileReport, failuresIn, type SuiteResult } from './suite-result.ts';

export interface VitestRun {
  readonly suites: readonly Suite[];
  readonly seed: string;
  /** More arguments of vitest: files, a shard. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Counts what each test waits for. */
  readonly times?: boolean;
}

export interface VitestOutcome {
  readonly results: readonly SuiteResult[];
  readonly exitCode: number;
}

export async function runVitest(run: VitestRun): Promise<VitestOutcome> {
  // Without a project vitest would run them all.
  if (run.suites.length === 0) return { exitCode: 0, results: [] };
  const folder = mkdtempSync(join(tmpdir(), 'aos-results-'));
  try {
    const report = join(folder, 'vitest.json');
    const exitCode = await vitest(run, report);
    const files = readReport(report);
    const results = run.suites.map((suite) => {
      const own = files.filter(({ name }) => suiteOf(relative(root, name)) === suite.name);
      return resultOf(suite, own);
    });
    return { exitCode, results };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function vitest(run: VitestRun, report: string): Promise<number> {
  const { suites: chosen, seed, args = [], env = {}, times = false } = run;
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const projects = chosen.flatMap(({ name }) => ['--project', name]);
  return new Promise((resolve, reject) => {
    const child = spawn(
      join(root, 'node_modules', '.bin', 'vitest'),
      ['run', ...projects, ...reporters, ...args],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ...process.env,
          AOS_TEST_SEED: seed,
          ...(times ? { AOS_TEST_TIMES: '1' } : {}),
          ...env,
        },
      },
    );
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function readReport(path: string): readonly FileReport[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    // The runner died before it could write its report; its exit code tells the rest.
    return [];
  }
}

/** The name of the suite that a test file is in. */
export function suiteOf(path: string): string | undefined {
  return suites.find(
    ({ include, exclude = [] }) =>
      include.some((pattern) => matchesGlob(path, pattern)) &&
      !exclude.some((pattern) => matchesGlob(path, pattern)),
  )?.name;
}

function resultOf({ name, budgetSeconds }: Suite, files: readonly FileReport[]): SuiteResult {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...states: readonly string[]): number =>
    tests.filter(({ status }) => states.includes(status)).length;
  const failures = failuresIn(files, root);
  return {
    ...{ name, budgetSeconds, failures, files },
    passed: count('passed'),
    // A file that could not be loaded has no test that failed.
    failed: Math.max(count('failed'), failures.length),
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
    seconds: files.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime), 0) / 1000,
  };
}
