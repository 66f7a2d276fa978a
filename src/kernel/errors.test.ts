import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  AosError,
  type ErrorCode,
  errorCodes,
  errorKinds,
  exitCodeOf,
  httpStatusOf,
  toReport,
} from './errors.ts';

const root = join(import.meta.dirname, '..', '..');
const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => code in errorCodes);

test('docs/errors.md lists exactly the codes of the table, with their kind, status and exit code', () => {
  const documented = readFileSync(join(root, 'docs', 'errors.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, 5)
        .map((cell) => cell.trim()),
    );

  const table = codes.map((code) => [
    `\`${code}\``,
    errorCodes[code].kind,
    String(httpStatusOf(code) ?? '-'),
    String(exitCodeOf(code)),
  ]);
  expect(documented).toEqual(table);
});

test('every code of the table is raised somewhere', () => {
  const folders = ['src', 'bin'].map((name) => join(root, name));
  const sources = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter(
      (entry) => entry.isFile() && !entry.name.includes('.test.') && entry.name !== 'errors.ts',
    )
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

  const unused = codes.filter((code) => code !== 'internal.bug' && !sources.includes(`'${code}'`));

  expect(unused).toEqual([]);
});

test('each code has a status of its kind', () => {
  for (const code of codes) {
    const statuses: readonly number[] = errorKinds[errorCodes[code].kind].http;
    const status = httpStatusOf(code);
    if (status === undefined) expect(statuses).toEqual([]);
    else expect(statuses).toContain(status);
  }
});

test('toReport() keeps what an AosError says and leaves out what it does not say', () => {
  const error = new AosError('config.bad-value', {
    message: 'No',
    fix: 'Yes',
    cause: new Error('x'),
  });

  expect(toReport(error)).toEqual({ code: 'config.bad-value', message: 'No', fix: 'Yes' });
});

test('toReport() calls anything else a bug, in one line and without a stack', () => {
  const report = toReport(new TypeError('first line\n    at secret (/path/file.ts:1:1)'));

  expect(report.code).toBe('internal.bug');
  expect(report.message).toBe('Agent OS broke where it should not have: first line');
});

test.each([[undefined], [null], ['text'], [42], [{}]])(
  'toReport() survives %o being thrown',
  (thrown) => {
    expect(toReport(thrown)).toMatchObject({ code: 'internal.bug', message: expect.any(String) });
  },
);
