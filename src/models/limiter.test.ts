import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { until } from '../../tests/support/until.ts';
import { backoffMs, Limiter, type LimiterEntry } from './retry.ts';

const forEver = new AbortController().signal;

function limiter({ concurrency = 8 } = {}) {
  const clock = new SimulatedClock();
  return { clock, limiter: new Limiter({ clock, random: seededRandom(1), concurrency }) };
}

/** Whether somebody got in, once everything that could go on by itself has. */
function watched(entering: Promise<LimiterEntry>): { entry: LimiterEntry | undefined } {
  const seen: { entry: LimiterEntry | undefined } = { entry: undefined };
  void entering.then((entry) => {
    seen.entry = entry;
  });
  return seen;
}

test('so many get in at a time, and the next in the order they came', async () => {
  const { clock, limiter: gate } = limiter({ concurrency: 2 });
  const [first] = [await gate.enter(forEver), await gate.enter(forEver)];
  const third = watched(gate.enter(forEver));
  const fourth = watched(gate.enter(forEver));
  await clock.advance(1);
  expect(third.entry).toBeUndefined();

  first[Symbol.dispose]();
  // Leaving twice makes no second place.
  first[Symbol.dispose]();
  await clock.advance(1);

  await until(() => expect(third.entry).toBeDefined());
  expect(fourth.entry).toBeUndefined();
});

test('who is called off while waiting gives up the place in the line, and nobody else does', async () => {
  const { limiter: gate } = limiter({ concurrency: 1 });
  const first = await gate.enter(forEver);
  const calledOff = new AbortController();
  const second = gate.enter(calledOff.signal);
  const third = watched(gate.enter(forEver));

  calledOff.abort(new Error('called off'));
  await expect(second).rejects.toThrow('called off');
  first[Symbol.dispose]();

  await until(() => expect(third.entry).toBeDefined());
});

test('a cool-down holds up everybody, for as long as the vendor asked', async () => {
  const { clock, limiter: gate } = limiter();
  const turnedAway = await gate.enter(forEver);

  gate.coolDown(turnedAway, 30_000);
  const next = watched(gate.enter(forEver));
  await clock.advance(29_999);
  expect(next.entry).toBeUndefined();
  await clock.advance(1);

  await until(() => expect(next.entry).toBeDefined());
});

test('a cool-down can be called off, and gives the place back', async () => {
  const { clock, limiter: gate } = limiter({ concurrency: 1 });
  const turnedAway = await gate.enter(forEver);
  gate.coolDown(turnedAway, 1000);
  turnedAway[Symbol.dispose]();
  const calledOff = new AbortController();
  const waiting = gate.enter(calledOff.signal);
  await until(() => expect(clock.sleeping).toBe(1));

  calledOff.abort(new Error('called off'));
  await expect(waiting).rejects.toThrow('called off');
  const next = watched(gate.enter(forEver));
  await clock.advance(1000);

  await until(() => expect(next.entry).toBeDefined());
});

test('what is turned away in one wave counts once, and the next wave waits twice as long', async () => {
  const { clock, limiter: gate } = limiter();
  const wave = await Promise.all([1, 2, 3].map(() => gate.enter(forEver)));
  await clock.advance(1);

  for (const entry of wave) gate.coolDown(entry, undefined);
  const again = watched(gate.enter(forEver));
  await clock.advance(500);
  await until(() => expect(again.entry).toBeDefined());
  if (again.entry !== undefined) gate.coolDown(again.entry, undefined);
  const third = watched(gate.enter(forEver));
  await clock.advance(499);
  expect(third.entry).toBeUndefined();
  await clock.advance(501);

  await until(() => expect(third.entry).toBeDefined());
});

test('an answer ends the doubling', async () => {
  const { clock, limiter: gate } = limiter();
  for (let n = 0; n < 5; n++) {
    const entering = gate.enter(forEver);
    await clock.advance(60_000);
    gate.coolDown(await entering, undefined);
  }
  const entering = gate.enter(forEver);
  await clock.advance(60_000);
  const entry = await entering;

  gate.answered();
  gate.coolDown(entry, undefined);
  const next = watched(gate.enter(forEver));
  await clock.advance(500);

  await until(() => expect(next.entry).toBeDefined());
});

test('backoff doubles from half a second to a minute, spread over the upper half', () => {
  const random = { bytes: (size: number) => new Uint8Array(size) };
  const unlucky = { bytes: (size: number) => new Uint8Array(size).fill(255) };

  const waits = [1, 2, 3, 7, 8, 100].map((failures) => backoffMs(failures, random));

  expect(waits).toEqual([250, 500, 1000, 16_000, 30_000, 30_000]);
  expect(backoffMs(100, unlucky)).toBeLessThanOrEqual(60_000);
});
