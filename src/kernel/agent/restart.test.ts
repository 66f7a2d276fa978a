import { expect, test } from 'vitest';
import { decideRestart, recentRestarts } from './agent.ts';

const now = Date.UTC(2030, 0, 1);
const failed = { policy: 'on-failure', end: 'failed', restarts: [], now } as const;

test.each([
  ['never', 'ok', 'stop'],
  ['never', 'failed', 'stop'],
  ['on-failure', 'ok', 'stop'],
  ['on-failure', 'failed', 'restart'],
  ['always', 'ok', 'restart'],
  ['always', 'failed', 'restart'],
] as const)('with the policy %s, an end that was %s leads to: %s', (policy, end, kind) => {
  expect(decideRestart({ ...failed, policy, end }).kind).toBe(kind);
});

test('each restart waits twice as long as the one before, and the fourth is not tried', () => {
  const decisions = [[], [1], [1, 2], [1, 2, 3]].map((agos) =>
    decideRestart({ ...failed, restarts: agos.map((ago) => now - ago * 1000) }),
  );

  expect(decisions).toEqual([
    { kind: 'restart', afterMs: 500 },
    { kind: 'restart', afterMs: 1000 },
    { kind: 'restart', afterMs: 2000 },
    { kind: 'give-up' },
  ]);
});

test('no restart waits longer than 30 seconds', () => {
  const restarts = Array.from({ length: 40 }, (_, index) => now - index);

  const decision = decideRestart({
    ...failed,
    restarts,
    intensity: { most: 100, withinMs: 60_000 },
  });

  expect(decision).toEqual({ kind: 'restart', afterMs: 30_000 });
});

test('restarts that are a minute old do not count any more', () => {
  const restarts = [now - 60_000, now - 61_000, now - 62_000];

  expect(decideRestart({ ...failed, restarts })).toEqual({ kind: 'restart', afterMs: 500 });
});

test('a clock that was set back does not end all restarts', () => {
  const restarts = [now + 86_400_000, now + 86_401_000, now + 86_402_000];

  expect(decideRestart({ ...failed, restarts })).toEqual({ kind: 'restart', afterMs: 500 });
});

test('a program that fails at once is given up after a few tries, whichever way the clock jumped', () => {
  for (const jumpMs of [-86_400_000, 0, 86_400_000]) {
    let restarts: readonly number[] = [now, now, now];
    let tries = 0;
    for (let at = now + jumpMs; tries < 10; at += 1000) {
      const life = { ...failed, restarts, now: at };
      if (decideRestart(life).kind !== 'restart') break;
      restarts = [...recentRestarts(life), at];
      tries++;
    }

    expect(tries).toBeLessThanOrEqual(3);
  }
});
