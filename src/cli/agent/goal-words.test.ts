import { describe, expect, test } from 'vitest';
import { budgetText, shortened, stateWords } from './goal-words.ts';

describe('shortened()', () => {
  test.each([
    ['leaves a short text as it is', 'hello', 10, 'hello'],
    ['puts a text of many lines on one', 'a\n  b\tc', 10, 'a b c'],
    ['cuts a long one and says so', 'abcdefghij', 5, 'abcd…'],
    ['cuts one that is long behind its blanks', `ab${' '.repeat(100)}cd`, 5, 'ab…'],
    ['spells out what would move the cursor', 'a\u001b[2J', 20, 'a\\u001b[2J'],
    ['cuts no character in two', 'abc\u{1f600}def', 5, 'abc…'],
  ])('%s', (_what, text, most, expected) => {
    expect(shortened(text, most)).toBe(expected);
  });
});

const due_at = '2026-01-01T00:00:00.000Z';
const now = Date.parse(due_at);

describe('stateWords()', () => {
  test.each([
    ['running', null, 0, 'running'],
    ['waiting', 'mail', 0, 'waiting for mail'],
    ['waiting', `call:${'a'.repeat(32)}`, 0, `waiting for call ${'a'.repeat(16)}`],
    ['queued', null, 0, 'queued'],
    ['queued', null, -90_000, 'queued, due in 1 min 30 s'],
  ] as const)('%s for %s', (state, waits_for, laterMs, expected) => {
    expect(stateWords({ state, waits_for, due_at }, now + laterMs)).toBe(expected);
  });
});

test('budgetText() is a little table of used, held and limit', () => {
  const none = { limit: null, used: 0, held: 0 };

  const text = budgetText({
    tokens: { limit: 1000, used: 10, held: 5 },
    cost: { limit: 500_000, used: 1200, held: 0 },
    wall: { ...none, used: 61_000 },
    tool_calls: none,
    children: none,
  });

  expect(text.split('\n').slice(0, 4)).toEqual([
    '  budget      used     held   limit',
    '  tokens      10       5      1000',
    '  cost        $0.0012  $0.00  $0.50',
    '  wall        1m 1s    0s     none',
  ]);
});
