import { expect, test } from 'vitest';
import type { SandboxResult } from '../../kernel/sandbox.ts';
import { resultOf } from './execute.ts';

const program = '/usr/bin/true';
const ran: SandboxResult = {
  end: { kind: 'exited', code: 0 },
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  truncated: false,
  met: [],
};

test.each<[SandboxResult['end'], object]>([
  [
    { kind: 'exited', code: 3 },
    { exit_code: 3, signal: null, stopped_by: null },
  ],
  [
    { kind: 'killed', signal: 'SIGTERM' },
    { exit_code: null, signal: 'SIGTERM', stopped_by: null },
  ],
  [
    { kind: 'stopped', by: 'memory' },
    { exit_code: null, signal: null, stopped_by: 'memory' },
  ],
])('the end %j is told', (end, told) => {
  expect(resultOf({ program, result: { ...ran, end }, ms: 7 }, 10_000)).toMatchObject(told);
});

test('bytes that are no text come as base64', () => {
  const stdout = Buffer.from([0xff, 0xfe, 0x00]);

  const answer = resultOf({ program, result: { ...ran, stdout }, ms: 7 }, 10_000);

  expect(answer).toMatchObject({ stdout_base64: '//4A', stderr: '' });
});

test('text that grows as JSON is cut until it has room, and says so', () => {
  const stdout = Buffer.from('\u0001'.repeat(5000));

  const answer = resultOf({ program, result: { ...ran, stdout }, ms: 7 }, 10_000);

  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(10_000);
  expect(answer).toMatchObject({ truncated: true, stdout: expect.stringMatching(/^\u0001+$/) });
});

test('a character that the limit has cut does not make bytes of a text', () => {
  const stdout = Buffer.from('a€').subarray(0, 2);

  const answer = resultOf({ program, result: { ...ran, stdout, truncated: true }, ms: 7 }, 10_000);

  expect(answer).toMatchObject({ stdout: 'a', truncated: true });
});
