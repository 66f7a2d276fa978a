/**
 * `npm test`: everything once, suite by suite, each within its budget of seconds.
 * With `--full` the suites run the full counts. The last line says how many passed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suites } from '../tests/suites.ts';
import { root, say } from './run-tool.ts';
import { runStaticChecks } from './static-checks.ts';

interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly budgetSeconds: number;
  readonly ok: boolean;
}

const full = process.argv.includes('--full');
const strict = (process.env['CI'] ?? '') !== '';
const folder = mkdtempSync(join(tmpdir(), 'aos-results-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const before = checkoutState();
  const results = [await runStatic()];
  for (const suite of suites) {
    say(`\n== ${suite.name}`);
    results.push(await runSuite(suite.name, suite.budgetSeconds));
  }
  const faults = faultsOf(results, before);
  tell(results);
  for (const fault of faults) say(`FAILED: ${fault}`);
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    results.reduce((total, result) => total + result[field], 0);
  const failed = Math.max(sum('failed'), faults.length === 0 ? 0 : 1);
  say(`\n${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
  return faults.length === 0 ? 0 : 1;
}

/** Lint, types and unused code: each tool counts as one test. */
async function runStatic(): Promise<SuiteResult> {
  say('== static');
  const runs = await runStaticChecks();
  for (const { name, code, output } of runs) say(code === 0 ? `ok ${name}` : output);
  const failed = runs.filter(({ code }) => code !== 0).length;
  return {
    name: 'static',
    passed: runs.length - failed,
    failed,
    skipped: 0,
    seconds: Math.max(...runs.map(({ seconds }) => seconds)),
    budgetSeconds: 60,
    ok: failed === 0,
  };
}

async function runSuite(name: string, budgetSeconds: number): Promise<SuiteResult> {
  const startedAt = performance.now();
  const resultFile = join(folder, `${name}.json`);
  const code = await vitest(name, resultFile);
  const seconds = (performance.now() - startedAt) / 1000;
  const counts = readCounts(resultFile);
  const inTime = full || seconds <= budgetSeconds;
  return { name, ...counts, seconds, budgetSeconds, ok: code === 0 && inTime && counts.passed > 0 };
}

function vitest(project: string, resultFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const args = ['run', '--project', project, '--reporter=default', '--reporter=json'];
    const child = spawn(
      join(root, 'node_modules', '.bin', 'vitest'),
      [...args, `--outputFile.json=${resultFile}`],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...(full ? { AOS_TEST_FULL: '1' } : {}) },
      },
    );
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function readCounts(file: string): { passed: number; failed: number; skipped: number } {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    // The runner died before it could write its report; its exit code tells the rest.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function faultsOf(results: readonly SuiteResult[], before: string): string[] {
  const faults = results.flatMap(({ name, ok, failed, passed, seconds, budgetSeconds }) => {
    if (ok) return [];
    if (failed > 0) return [`${name}: ${failed} failed`];
    if (passed === 0) return [`${name}: no test ran`];
    if (seconds > budgetSeconds) {
      return [
        `${name}: took ${seconds.toFixed(0)} s of the ${budgetSeconds} s it may (tests/suites.ts)`,
      ];
    }
    return [`${name}: the runner failed`];
  });
  const skipped = results.filter((result) => result.skipped > 0).map(({ name }) => name);
  if (strict && skipped.length > 0) faults.push(`skipped tests in ${skipped.join(', ')}`);
  if (checkoutState() !== before)
    faults.push('the tests changed files of the checkout (git status)');
  return faults;
}

function checkoutState(): string {
  try {
    return execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  } catch {
    // Not a git checkout, e.g. an unpacked archive: nothing to compare.
    return '';
  }
}

function tell(results: readonly SuiteResult[]): void {
  say('\nsuite         passed  failed  skipped  seconds  budget');
  for (const { name, passed, failed, skipped, seconds, budgetSeconds } of results) {
    const numbers = [
      String(passed).padStart(6),
      String(failed).padStart(6),
      String(skipped).padStart(7),
      seconds.toFixed(1).padStart(7),
      String(budgetSeconds).padStart(6),
    ];
    say(`${name.padEnd(14)}${numbers.join('  ')}`);
  }
}
