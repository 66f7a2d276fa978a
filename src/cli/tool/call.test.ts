import { expect, test } from 'vitest';
import { endWords, isSilent, programEnd } from './call.ts';

const ended = {
  ...{ program: '/bin/true', exit_code: 0, signal: null, stopped_by: null, ms: 1200 },
  ...{ stdout: '', stderr: '' },
};

test.each([
  [{}, 'exit code 0, 1.2s'],
  [{ exit_code: 3 }, 'exit code 3, 1.2s'],
  [{ exit_code: null, signal: 'SIGKILL' }, 'killed by SIGKILL, 1.2s'],
  [{ exit_code: null, stopped_by: 'memory' }, 'stopped: it used more memory than it may, 1.2s'],
  [{ exit_code: null, stopped_by: 'time' }, 'stopped: it took longer than it may, 1.2s'],
  [{ exit_code: null, stopped_by: 'new\n' }, 'stopped: by its limit "new\\u000a", 1.2s'],
])('endWords() of %j is %j', (facts, words) => {
  expect(endWords({ ...ended, ...facts })).toBe(words);
});

test('programEnd() knows what has run a program', () => {
  expect(programEnd(ended)).toBe(ended);
  for (const other of [null, 'text', 5, [], { content: 'x' }, { exit_code: 0 }]) {
    expect(programEnd(other)).toBeUndefined();
  }
});

test('isSilent() is true only where nothing came out', () => {
  expect(isSilent(ended)).toBe(true);
  expect(isSilent({ ...ended, stderr: 'x' })).toBe(false);
  const { stdout: _, ...binary } = ended;
  expect(isSilent(binary)).toBe(false);
});
