import { expect, test } from 'vitest';
import { failuresIn, faultsOf, type SuiteResult, summary } from './suite-result.ts';

const good: SuiteResult = {
  name: 'unit',
  passed: 3,
  failed: 0,
  skipped: 0,
  seconds: 5,
  budgetSeconds: 10,
  files: [],
  whole: [],
};
const strict = { skipsFail: true, slowness: 1 };

test('a suite that passed in time has no fault', () => {
  expect(faultsOf([good], strict)).toEqual([]);
});

test.each<[string, Partial<SuiteResult>, string]>([
  ['a failed test', { failed: 2 }, 'unit: 2 failed'],
  ['a suite without a test', { passed: 0 }, 'unit: no test ran'],
  ['a skipped test in CI', { skipped: 1 }, 'unit: 1 skipped, which CI does not accept'],
  [
    'an overrun budget',
    { seconds: 10.5 },
    'unit: took 11 s of the 10 s it may take (tests/suites.ts)',
  ],
])('%s is a fault', (_what, change, fault) => {
  expect(faultsOf([{ ...good, ...change }], strict)).toEqual([fault]);
});

test('outside CI a skip is only counted, and with full counts a budget is not held', () => {
  const lax = { skipsFail: false, slowness: Number.POSITIVE_INFINITY };

  expect(faultsOf([{ ...good, skipped: 1, seconds: 999 }], lax)).toEqual([]);
});

test('on a machine that is slower by half a suite may take half more', () => {
  const slow = { ...strict, slowness: 1.5 };

  expect(faultsOf([{ ...good, seconds: 14 }], slow)).toEqual([]);
  expect(faultsOf([{ ...good, seconds: 16 }], slow)).toHaveLength(1);
});

test('the last line counts, and a fault without a failed test counts as failed', () => {
  expect(summary([good, good], []).split('\n').at(-1)).toBe('6 passed, 0 failed, 0 skipped');
  expect(summary([good], ['too slow']).split('\n').at(-1)).toBe('3 passed, 1 failed, 0 skipped');
});

test('the closing lines name the tests that failed, and why', () => {
  const failures = failuresIn(
    [
      {
        ...{ name: '/repo/tests/a.test.ts', startTime: 0, endTime: 1 },
        assertionResults: [
          { status: 'passed', title: 'one', fullName: 'one' },
          {
            status: 'failed',
            title: 'two',
            fullName: 'two',
            failureMessages: ['\u001b[31mexpected 1\u001b[39m\n  to be 2'],
          },
        ],
      },
      {
        ...{ name: '/repo/tests/b.test.ts', startTime: 0, endTime: 1, assertionResults: [] },
        message: 'Cannot find module',
      },
    ],
    '/repo',
  );

  const lines = summary([{ ...good, failed: 1, failures }], ['unit: 1 failed']).split('\n');

  expect(lines).toContain('unit: tests/a.test.ts: two: expected 1 to be 2');
  expect(lines).toContain('unit: tests/b.test.ts: Cannot find module');
});
