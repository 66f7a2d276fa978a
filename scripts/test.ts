/**
 * `npm test`: everything once, suite by suite, each within its budget of seconds.
 * With `--full` the suites run their full counts. The last line says how many passed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suites } from '../tests/suites.ts';
import { root, say } from './run-tool.ts';
import { runStaticChecks } from './static-checks.ts';
import { failuresIn, faultsOf, type SuiteResult, summary } from './suite-result.ts';

const full = process.argv.includes('--full');
const inCi = (process.env['CI'] ?? '') !== '';

const folder = mkdtempSync(join(tmpdir(), 'aos-results-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const before = checkoutState();
  const results = [await runStatic()];
  for (const { name, budgetSeconds } of suites) {
    say(`\n== ${name}`);
    results.push(await runSuite(name, budgetSeconds));
  }
  const faults = faultsOf(results, { skipsFail: inCi, budgetsHold: !full });
  if (checkoutState() !== before) faults.push('the tests changed the checkout: see git status');
  say(summary(results, faults));
  return faults.length === 0 ? 0 : 1;
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
    exitCode: 0,
  };
}

async function runSuite(name: string, budgetSeconds: number): Promise<SuiteResult> {
  const startedAt = performance.now();
  const resultFile = join(folder, `${name}.json`);
  const exitCode = await vitest(name, resultFile);
  const seconds = (performance.now() - startedAt) / 1000;
  return { name, ...readCounts(resultFile), seconds, budgetSeconds, exitCode };
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

type Counts = Pick<SuiteResult, 'passed' | 'failed' | 'skipped' | 'failures'>;

function readCounts(file: string): Counts {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
      failures: failuresIn(report.testResults, root),
    };
  } catch {
    // The runner died before it could write its report; its exit code tells the rest.
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

function checkoutState(): string {
  try {
    return execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  } catch {
    // Not a git checkout, e.g. an unpacked archive: nothing to compare.
    return '';
  }
}
