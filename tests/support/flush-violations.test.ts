import { expect, test } from 'vitest';
import { flushViolations } from './flush-violations.ts';

const exchanges = {
  log: 'ledger.db-wal',
  asks: /write\(1<.*"ask (\w+)/,
  answers: /write\(1<.*"answer (\w+)/,
};

const lines = {
  ask: '7 write(1<pipe:[5]>, "ask a\\n", 6) = 6',
  write: '7 pwrite64(21</home/ledger.db-wal>, "\\0"..., 4096, 32) = 4096',
  flush: '7 fdatasync(21</home/ledger.db-wal>) = 0',
  answer: '7 write(1<pipe:[5]>, "answer a\\n", 9) = 9',
  begunFlush: '7 fdatasync(21</home/ledger.db-wal> <unfinished ...>',
  endedFlush: '7 <... fdatasync resumed>) = 0',
  failedFlush: '7 fdatasync(21</home/ledger.db-wal>) = -1 EIO (Input/output error)',
  otherFlush: '7 fdatasync(20</home/ledger.db>) = 0',
  otherProcess: '8 <... fdatasync resumed>) = 0',
};

function violations(...names: readonly (keyof typeof lines)[]): string[] {
  return flushViolations(names.map((name) => lines[name]).join('\n'), exchanges);
}

test('a write, its flush and then the answer are in order', () => {
  expect(violations('ask', 'write', 'flush', 'answer')).toEqual([]);
  expect(violations('ask', 'write', 'begunFlush', 'endedFlush', 'answer')).toEqual([]);
});

test('a question that another process interrupts is a question all the same', () => {
  const begun = '7 read(24<socket:[9]>,  <unfinished ...>';
  const ended = '7 <... read resumed>"ask a"..., 65536) = 208';
  const asks = /read\(24<.*"ask (\w+)/;
  const trace = [begun, lines.otherProcess, ended, lines.write, lines.flush, lines.answer];

  expect(flushViolations(trace.join('\n'), { ...exchanges, asks })).toEqual([]);
});

test.each([
  ['before the flush', violations('ask', 'write', 'answer', 'flush')],
  ['while the flush is under way', violations('ask', 'write', 'begunFlush', 'answer')],
  ['after a write that no flush covers', violations('ask', 'write', 'flush', 'write', 'answer')],
  [
    'after a write that was made during the flush',
    violations('ask', 'begunFlush', 'write', 'endedFlush', 'answer'),
  ],
  ['after a flush that failed', violations('ask', 'write', 'failedFlush', 'answer')],
  ['after the flush of another file', violations('ask', 'write', 'otherFlush', 'answer')],
  [
    "after the end of another process's flush",
    violations('ask', 'write', 'begunFlush', 'otherProcess', 'answer'),
  ],
])('an answer %s is told', (_when, told) => {
  expect(told).toEqual(['a was answered before what was written was flushed']);
});

test('an answer before anything was written is told', () => {
  expect(violations('write', 'flush', 'ask', 'answer', 'write', 'flush')).toEqual([
    'a was answered before anything was written',
  ]);
});

test('an answer that nobody asked for is told, and so is a trace without any', () => {
  expect(violations('answer')).toEqual(['a was answered and never asked']);
  expect(violations('ask', 'write', 'flush')).toEqual(['the trace shows no answer']);
});
