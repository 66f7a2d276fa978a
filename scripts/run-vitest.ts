/** One run of vitest over some suites, and what came out of each. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { type Suite, suites } from '../tests/suites.ts';
import type { WholeFile } from '../tests/support/waits.ts';
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
  /** When it takes longer, it is ended, which is a failure. */
  readonly mostSeconds?: number;
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
    const wholeFiles = join(folder, 'whole-files.jsonl');
    writeFileSync(wholeFiles, '');
    const exitCode = await vitest(run, { report, wholeFiles });
    const [files, whole] = [readReport(report), readLines(wholeFiles)];
    const results = run.suites.map((suite) => {
      const isOwn = ({ name }: { readonly name: string }) =>
        suiteOf(relative(root, name)) === suite.name;
      return resultOf(suite, files.filter(isOwn), whole.filter(isOwn));
    });
    return { exitCode, results };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const endings = ['SIGINT', 'SIGTERM'] as const;

interface ReportPaths {
  readonly report: string;
  readonly wholeFiles: string;
}

function vitest(run: VitestRun, { report, wholeFiles }: ReportPaths): Promise<number> {
  const { suites: chosen, seed, args = [], env = {}, times = false, mostSeconds } = run;
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
          AOS_TEST_WHOLE_FILES: wholeFiles,
          ...(times ? { AOS_TEST_TIMES: '1' } : {}),
          ...env,
        },
      },
    );
    // Who ends this script wants the tests to end, too.
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of endings) process.on(signal, pass);
    const limit =
      mostSeconds === undefined ? undefined : setTimeout(pass, mostSeconds * 1000, 'SIGTERM');
    child.on('error', reject);
    child.on('close', (code) => {
      for (const signal of endings) process.removeListener(signal, pass);
      clearTimeout(limit);
      resolve(code ?? 1);
    });
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

function readLines(path: string): readonly WholeFile[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The name of the suite that a test file is in. */
export function suiteOf(path: string): string | undefined {
  return suites.find(
    ({ include, exclude = [] }) =>
      include.some((pattern) => matchesGlob(path, pattern)) &&
      !exclude.some((pattern) => matchesGlob(path, pattern)),
  )?.name;
}

function resultOf(
  { name, budgetSeconds }: Suite,
  files: readonly FileReport[],
  whole: readonly WholeFile[],
): SuiteResult {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...states: readonly string[]): number =>
    tests.filter(({ status }) => states.includes(status)).length;
  const failures = failuresIn(files, root);
  return {
    ...{ name, budgetSeconds, failures, files, whole },
    passed: count('passed'),
    // A file that could not be loaded has no test that failed.
    failed: Math.max(count('failed'), failures.length),
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
    seconds: whole.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
