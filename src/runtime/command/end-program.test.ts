import { expect, test } from 'vitest';
import type { ProgramEnd } from '../../kernel/programs.ts';
import type { SandboxLimit, SandboxLimits } from '../../kernel/sandbox.ts';
import { endWords } from './end-program.ts';

test.each<[ProgramEnd, number | undefined, string, string]>([
  [{ kind: 'exited', code: 3 }, 2000, 'no key\n', 'exited with 3 after 2 s; last lines: no key'],
  [{ kind: 'exited', code: 3 }, 12, '', 'exited with 3 after 12 ms'],
  [{ kind: 'exited', code: 0 }, 200_000, 'done\n', 'exited with 0 after 3 min'],
  [{ kind: 'killed', signal: 'SIGKILL' }, 8_000_000, ' \n', 'was killed by SIGKILL after 2 h'],
  [{ kind: 'unknown' }, undefined, '', 'ended without a word while no daemon watched'],
  [
    { kind: 'exited', code: 1 },
    1,
    'a\r\nb\u001b[2J',
    'exited with 1 after 1 ms; last lines: a\nb\\u001b[2J',
  ],
])('%j after %s ms with the last words %j is told as it was', (end, ranMs, tail, words) => {
  expect(endWords({ end, ranMs, tail })).toBe(words);
});

test('of one that nobody watched it is told when it ended', () => {
  const end = { kind: 'exited', code: 3 } as const;
  const endedAt = Date.UTC(2026, 4, 1, 12) + 0.5;

  const told = endWords({ end, ranMs: undefined, endedAt, tail: '' });

  expect(told).toBe('exited with 3 at 2026-05-01T12:00:00Z, while no daemon watched');
});

const limits: SandboxLimits = {
  ...{ memoryBytes: 4096 * 2 ** 20, processes: 64, cpuPercent: 100, openFiles: 64 },
  ...{ fileBytes: 2 ** 30, workspaceBytes: 2 ** 30, workspaceFiles: 200_000 },
};

test.each<[SandboxLimit, string]>([
  ['memory', 'it used more memory than 4096 MB'],
  [
    'workspace',
    'it filled its workspace beyond 1024 MB or 200000 files, or its outbox or inbox beyond what a mailbox may hold',
  ],
  ['file-size', 'it wrote a file of more than 1024 MB'],
  ['processes', 'it had more than 64 processes'],
  ['output', 'it wrote too much'],
  ['time', 'it took too long'],
])('one that was stopped for its limit of %s says so', (by, words) => {
  const end = { kind: 'killed', signal: 'SIGKILL' } as const;

  const told = endWords({ end, ranMs: 2000, tail: 'ah\n', stopped: { by, limits } });

  expect(told).toBe(`was stopped after 2 s: ${words}; last lines: ah`);
});
