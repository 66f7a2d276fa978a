import { expect, test } from 'vitest';
import { AosError } from '../../kernel/errors.ts';
import { paint, reportFailure, reportOutcome, type Style, type Terminal } from './report.ts';

const plain: Style = { json: false, debug: false };

interface Recorder extends Terminal {
  readonly said: { out: string; err: string };
}

function recorder({ colored = false } = {}): Recorder {
  const said = { out: '', err: '' };
  return {
    said,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    colorOut: colored,
    colorErr: colored,
    columns: 80,
    input: { isTerminal: true, read: async function* () {} },
  };
}

const failure = new AosError('id.unknown', {
  message: 'There is no agent "jo"',
  fix: 'aos ps',
  details: { known: ['jean'] },
});

test('reportOutcome() prints the text for a person', () => {
  const terminal = recorder();

  reportOutcome(terminal, plain, { data: { a: 1 }, text: 'a is 1' });

  expect(terminal.said).toEqual({ out: 'a is 1\n', err: '' });
});

test('reportOutcome() prints the data for a program', () => {
  const terminal = recorder();

  reportOutcome(terminal, { ...plain, json: true }, { data: { a: 1 }, text: 'a is 1' });

  expect(terminal.said).toEqual({ out: '{"ok":true,"data":{"a":1}}\n', err: '' });
});

test('reportFailure() prints the sentence and the fix on stderr', () => {
  const terminal = recorder();

  reportFailure(terminal, plain, failure);

  expect(terminal.said).toEqual({
    out: '',
    err: 'error: There is no agent "jo"\n  try: aos ps\n',
  });
});

test('reportFailure() prints no line for a fix that there is not', () => {
  const terminal = recorder();

  reportFailure(terminal, plain, new AosError('interrupted.signal', { message: 'Stopped' }));

  expect(terminal.said.err).toBe('error: Stopped\n');
});

test('reportFailure() prints code, message, fix and details for a program', () => {
  const terminal = recorder();

  reportFailure(terminal, { ...plain, json: true }, failure);

  expect(terminal.said.err).toBe('');
  expect(JSON.parse(terminal.said.out)).toEqual({
    ok: false,
    error: {
      code: 'id.unknown',
      message: 'There is no agent "jo"',
      fix: 'aos ps',
      details: { known: ['jean'] },
    },
  });
});

test('reportFailure() leaves out of the JSON what there is not', () => {
  const terminal = recorder();

  reportFailure(
    terminal,
    { ...plain, json: true },
    new AosError('interrupted.signal', { message: 'Stopped' }),
  );

  expect(terminal.said.out).toBe(
    '{"ok":false,"error":{"code":"interrupted.signal","message":"Stopped"}}\n',
  );
});

test('reportFailure() colours "error:" and "try:" where colours are wanted', () => {
  const terminal = recorder({ colored: true });

  reportFailure(terminal, plain, failure);

  expect(terminal.said.err).toBe(
    '\u001b[31merror:\u001b[0m There is no agent "jo"\n  \u001b[2mtry:\u001b[0m aos ps\n',
  );
});

test('reportFailure() never colours JSON', () => {
  const terminal = recorder({ colored: true });

  reportFailure(terminal, { ...plain, json: true }, failure);

  expect(terminal.said.out).not.toContain('\u001b');
});

test.each([
  ['a person', { json: false, debug: true }],
  ['a program', { json: true, debug: true }],
])('reportFailure() prints the stack for %s on stderr with --debug', (_reader, style) => {
  const terminal = recorder();

  reportFailure(terminal, style, new TypeError('x is not a function'));

  expect(terminal.said.err).toMatch(/TypeError: x is not a function\n\s+at /);
  expect(terminal.said.out).not.toMatch(/^\s+at /m);
});

test.each([
  ['a person', { json: false, debug: false }],
  ['a program', { json: true, debug: false }],
])('reportFailure() shows %s no stack without --debug', (_reader, style) => {
  const terminal = recorder();

  reportFailure(terminal, style, new TypeError('x is not a function'));

  expect(terminal.said.out + terminal.said.err).not.toMatch(/report\.test|\\n\s+at |^\s+at /m);
});

test.each([['a text'], [undefined], [{ some: 'object' }], [null]])(
  'reportFailure() calls %j, thrown in place of an error, a bug',
  (thrown) => {
    const terminal = recorder();

    reportFailure(terminal, { json: true, debug: true }, thrown);

    expect(JSON.parse(terminal.said.out).error.code).toBe('internal.bug');
  },
);

test('paint() spells out what would colour on its own', () => {
  expect(paint(false, 'good', 'a\u001b[31mb')).toBe('a\\u001b[31mb');
});

test('paint() colours what it has made safe', () => {
  expect(paint(true, 'good', 'a\u001b[31mb')).toBe('\u001b[32ma\\u001b[31mb\u001b[0m');
});
