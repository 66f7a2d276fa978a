import { expect, test } from 'vitest';
import { decideAgain, mostMailGoals } from './mail-goals.ts';

type Latest = Parameters<typeof decideAgain>[0];

const now = 1_000_000;
const gone = JSON.stringify({ error: { code: 'model.unknown', message: 'It is gone' } });

function ended(agoMs: number, state: 'completed' | 'failed' = 'failed'): Latest[number] {
  const at = now - agoMs;
  return { state, created_at: at, ended_at: at, result: state === 'failed' ? gone : null };
}

test('mail is worked on at once when nothing went wrong last time', () => {
  expect(decideAgain([], now)).toEqual({ kind: 'submit', delayMs: 0 });
  expect(decideAgain([ended(10, 'completed'), ended(20), ended(30)], now)).toEqual({
    ...{ kind: 'submit', delayMs: 0 },
  });
});

test('after each failure it waits longer, and after the third retry within a minute it is given up', () => {
  const waits = [1, 2, 3].map((failures) =>
    decideAgain(
      Array.from({ length: failures }, (_, place) => ended(10 + place)),
      now,
    ),
  );

  const fourth = decideAgain([ended(10), ended(20), ended(30), ended(40)], now);

  expect(waits).toEqual([500, 1000, 2000].map((delayMs) => ({ kind: 'submit', delayMs })));
  expect(fourth).toEqual({ kind: 'give-up', why: 'It is gone' });
});

test('failures of long ago do not count', () => {
  const failures = [ended(10), ended(60_010), ended(60_020), ended(60_030), ended(60_040)];

  expect(decideAgain(failures, now)).toEqual({ kind: 'submit', delayMs: 1000 });
});

test('thirty goals of mail within a minute are too many, also where the clock was put back', () => {
  const within = (agoMs: number) =>
    Array.from({ length: mostMailGoals }, () => ended(agoMs, 'completed'));

  expect(decideAgain(within(59_999), now)).toMatchObject({ kind: 'too-many', delayMs: 60_000 });
  expect(decideAgain(within(60_000), now)).toMatchObject({ kind: 'submit', delayMs: 0 });
  expect(decideAgain(within(59_999).slice(1), now)).toMatchObject({ kind: 'submit' });
  expect(decideAgain(within(-3_600_000), now)).toMatchObject({ kind: 'submit', delayMs: 0 });
});
