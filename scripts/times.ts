/** What a run took, suite by suite, file by file and test by test, and what it waited for. */
import { relative } from 'node:path';
import { root } from './run-tool.ts';
import type { FileReport, SuiteResult, TestReport } from './suite-result.ts';

const mostFiles = 25;
const mostTests = 40;

interface Row {
  readonly title: string;
  readonly tests: number;
  readonly seconds: number;
  readonly ownCpu: number;
  readonly childCpu: number;
  readonly processes: number;
  readonly daemons: number;
  readonly timerSeconds: number;
}

/** Three tables: all suites, and the files and tests that took longest. */
export function timesInWords(results: readonly SuiteResult[]): string {
  const files = results.flatMap((result) => result.files);
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => rowOf(`${relative(root, name)} > ${test.title}`, [test])),
  );
  return [
    table(
      'suite',
      results.map(({ name, files: own }) => rowOf(name, own.flatMap(testsOf))),
    ),
    table(
      'file',
      longest(
        files.map((file) => rowOf(relative(root, file.name), testsOf(file))),
        mostFiles,
      ),
    ),
    table('test', longest(tests, mostTests)),
  ].join('\n\n');
}

function testsOf({ assertionResults }: FileReport): readonly TestReport[] {
  return assertionResults;
}

function longest(rows: readonly Row[], most: number): Row[] {
  return rows.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
}

function rowOf(title: string, tests: readonly TestReport[]): Row {
  const sum = (pick: (test: TestReport) => number | undefined): number =>
    tests.reduce((total, test) => total + (pick(test) ?? 0), 0);
  return {
    ...{ title, tests: tests.length },
    seconds: sum(({ duration }) => duration) / 1000,
    ownCpu: sum(({ meta }) => meta?.waits?.ownCpu),
    childCpu: sum(({ meta }) => meta?.waits?.childCpu),
    processes: sum(({ meta }) => meta?.waits?.processes),
    daemons: sum(({ meta }) => meta?.waits?.daemons),
    timerSeconds: sum(({ meta }) => meta?.waits?.timerSeconds),
  };
}

function table(what: string, rows: readonly Row[]): string {
  const heads = ['tests', 'seconds', 'own cpu', 'child cpu', 'timers', 'programs', 'daemons'];
  const width = 10;
  return [
    `${heads.map((head) => head.padStart(width)).join('')}  ${what}`,
    ...rows.map(({ title, ...row }) => {
      const numbers = [row.seconds, row.ownCpu, row.childCpu, row.timerSeconds];
      const [tests, ...others] = [row.tests, row.processes, row.daemons].map(String);
      const cells = [tests ?? '', ...numbers.map((number) => number.toFixed(1)), ...others];
      return `${cells.map((cell) => cell.padStart(width)).join('')}  ${title}`;
    }),
  ].join('\n');
}
