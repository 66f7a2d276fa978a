/** What a run took, suite by suite, file by file and test by test, and what it waited for. */
import { relative } from 'node:path';
import type { Waits } from '../tests/support/waits.ts';
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
    assertionResults.map(({ title, duration = 0, meta }) =>
      rowOf(`${relative(root, name)} > ${title}`, [
        { seconds: duration / 1000, waits: meta?.waits },
      ]),
    ),
  );
  return [
    table(
      'suite',
      results.map(({ name, files: own, whole }) => ({
        ...rowOf(name, whole),
        tests: own.flatMap(testsOf).length,
      })),
    ),
    table(
      'file',
      longest(
        results.flatMap(({ files: own, whole }) =>
          whole.map((file) => ({
            ...rowOf(relative(root, file.name), [file]),
            tests: own.filter(({ name }) => name === file.name).flatMap(testsOf).length,
          })),
        ),
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

interface Part {
  readonly seconds: number;
  readonly waits?: Waits | undefined;
}

function rowOf(title: string, parts: readonly Part[]): Row {
  const sum = (pick: (part: Part) => number | undefined): number =>
    parts.reduce((total, part) => total + (pick(part) ?? 0), 0);
  return {
    ...{ title, tests: parts.length },
    seconds: sum(({ seconds }) => seconds),
    ownCpu: sum(({ waits }) => waits?.ownCpu),
    childCpu: sum(({ waits }) => waits?.childCpu),
    processes: sum(({ waits }) => waits?.processes),
    daemons: sum(({ waits }) => waits?.daemons),
    timerSeconds: sum(({ waits }) => waits?.timerSeconds),
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
