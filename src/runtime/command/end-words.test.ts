import { expect, test } from 'vitest';
import type { ProgramEnd } from '../../kernel/programs.ts';
import { endWords } from './end-words.ts';

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
