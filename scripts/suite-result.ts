import type { Waits, WholeFile } from '../tests/support/waits.ts';

export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly budgetSeconds: number;
  /** The tests that failed, and why, in a line each. */
  readonly failures?: readonly string[];
  readonly files: readonly FileReport[];
  /** The same files with their hooks; one that died is not among them. */
  readonly whole: readonly WholeFile[];
}

export interface Strictness {
  /** In CI a test that was skipped has failed: something it needs is missing. */
  readonly skipsFail: boolean;
  /** How much more than its budget a suite may take; the full counts take what they take. */
  readonly slowness: number;
}

/** Why a run is not good, one sentence each; none is what we want. */
export function faultsOf(results: readonly SuiteResult[], strictness: Strictness): string[] {
  return results.flatMap((result) => {
    const fault = faultOf(result, strictness);
    return fault === undefined ? [] : [`${result.name}: ${fault}`];
  });
}

function faultOf(result: SuiteResult, { skipsFail, slowness }: Strictness): string | undefined {
  const { passed, failed, skipped, seconds, budgetSeconds } = result;
  if (failed > 0) return `${failed} failed`;
  if (passed === 0) return 'no test ran';
  if (skipsFail && skipped > 0) return `${skipped} skipped, which CI does not accept`;
  if (seconds > budgetSeconds * slowness) {
    return `took ${seconds.toFixed(0)} s of the ${budgetSeconds} s it may take (tests/suites.ts)`;
  }
  return undefined;
}

/** The closing lines: a table, the faults, and one line that counts. */
export function summary(results: readonly SuiteResult[], faults: readonly string[]): string {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    results.reduce((total, result) => total + result[field], 0);
  // A fault that no test stands for counts as one, so that the line never lies.
  const failed = Math.max(sum('failed'), faults.length);
  return [
    '',
    'suite         passed  failed  skipped  seconds  budget',
    ...results.map(row),
    ...results.flatMap(failureLines),
    ...faults.map((fault) => `FAILED ${fault}`),
    '',
    `${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`,
  ].join('\n');
}

const mostNamed = 20;
const mostCharacters = 400;

/** At the end, because of a long run often only that is kept. */
function failureLines({ name, failures = [] }: SuiteResult): string[] {
  const shown = failures.slice(0, mostNamed).map((line) => `${name}: ${line}`);
  const more = failures.length - shown.length;
  return [...shown, ...(more > 0 ? [`${name}: and ${more} more`] : [])];
}

/** What vitest reports of one file. */
export interface FileReport {
  readonly name: string;
  readonly message?: string;
  /** In milliseconds. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly TestReport[];
}

export interface TestReport {
  readonly status: string;
  readonly title: string;
  readonly fullName: string;
  /** In milliseconds. */
  readonly duration?: number;
  readonly failureMessages?: readonly string[];
  readonly meta?: { readonly waits?: Waits };
}

/** A line for each test that failed, and for a file that failed as a whole. */
export function failuresIn(files: readonly FileReport[], root: string): string[] {
  return files.flatMap(({ name, message, assertionResults }) => {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [`${file}: ${oneLine(message)}`];
    return failed.map(
      ({ fullName, failureMessages = [] }) =>
        `${file}: ${fullName}: ${oneLine(failureMessages.join(' '))}`,
    );
  });
}

function oneLine(text: string): string {
  // Without colours.
  const plain = text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
  return plain.replaceAll(/\s+/g, ' ').trim().slice(0, mostCharacters);
}

function row({ name, passed, failed, skipped, seconds, budgetSeconds }: SuiteResult): string {
  const cells = [
    String(passed).padStart(6),
    String(failed).padStart(6),
    String(skipped).padStart(7),
    seconds.toFixed(1).padStart(7),
    String(budgetSeconds).padStart(6),
  ];
  return `${name.padEnd(14)}${cells.join('  ')}`;
}
