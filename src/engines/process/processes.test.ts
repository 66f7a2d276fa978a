import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { realProcesses, startTicks } from './processes.ts';

test('startTicks() finds field 22 also behind a name that looks like fields', () => {
  const fields = Array.from({ length: 18 }, (_, index) => `f${index + 4}`).join(' ');

  expect(startTicks(`42 (a) R 1 (b) S ${fields} 777 x`)).toBe('777');
});

test('startTicks() takes one that has ended and was not fetched yet for gone', () => {
  const fields = Array.from({ length: 18 }, () => '0').join(' ');

  expect(startTicks(`42 (a) Z ${fields} 777 x`)).toBeUndefined();
  expect(startTicks('')).toBeUndefined();
});

test('startTimeOf() stays the same for a process and differs from that of an older one', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const closed = once(child, 'close');
  const pid = child.pid ?? 0;

  const first = realProcesses.startTimeOf(pid);

  expect(first).toEqual(expect.stringMatching(/./));
  expect(realProcesses.startTimeOf(pid)).toBe(first);
  expect(realProcesses.startTimeOf(realProcesses.selfPid)).not.toBe(first);
  expect(realProcesses.kill(pid, 'SIGKILL')).toBe('sent');
  await closed;
  expect(realProcesses.startTimeOf(pid)).toBeUndefined();
  expect(realProcesses.kill(pid, 'SIGKILL')).toBe('gone');
});

test.each([0, -1, 1.5, Number.NaN])('%d is no process and is never signalled', (pid) => {
  expect(realProcesses.startTimeOf(pid)).toBeUndefined();
  expect(realProcesses.kill(pid, 'SIGTERM')).toBe('gone');
});
