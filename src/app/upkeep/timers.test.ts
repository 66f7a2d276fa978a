import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { removeTimer, setTimer, type Timer } from '../../ledger/timers.ts';
import { type Ring, runTimers } from './timers.ts';

const second: Timer = {
  id: 'bell',
  kind: 'test.bell',
  subject: 'tower',
  payload: '{}',
  due_at: 0,
  every_ms: null,
};

const silent = { error: () => {}, warn: () => {} };

const recording: Ring = {
  kind: 'within',
  ring: (tx, { id }) => tx.record({ actor: 'system', kind: 'test.rang', subject: id }),
};

async function rung(ledger: Ledger): Promise<number> {
  const row = await ledger.committed.get<{ n: number }>('select count(*) as n from events');
  return row?.n ?? 0;
}

async function runFor(
  { clock, ledger }: { clock: SimulatedClock; ledger: Ledger },
  rings: Readonly<Record<string, Ring>>,
  durationMs: number,
): Promise<void> {
  const stop = new AbortController();
  const running = runTimers({ ledger, clock, log: silent }, rings, stop.signal);
  await pass(clock, durationMs);
  stop.abort();
  await running;
}

// In small steps, and never while the timers are at work: no time passes for them then.
async function pass(clock: SimulatedClock, durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 50) {
    await untilTrue(() => clock.sleeping > 0);
    await clock.advance(50);
  }
  await untilTrue(() => clock.sleeping > 0);
}

async function world() {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  return { clock, ledger, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() };
}

test('a timer rings once, when it is due and not before', async () => {
  await using here = await world();
  const due = { ...second, due_at: here.clock.now() + 1000 };
  await here.ledger.transact((tx) => setTimer(tx, due, 1));

  await runFor(here, { 'test.bell': recording }, 800);
  const early = await rung(here.ledger);
  await runFor(here, { 'test.bell': recording }, 3000);

  expect([early, await rung(here.ledger)]).toEqual([0, 1]);
});

test('a timer that came due while nobody ran rings at the next start', async () => {
  await using here = await world();
  const due = { ...second, due_at: here.clock.now() + 1000 };
  await here.ledger.transact((tx) => setTimer(tx, due, 1));
  await here.clock.advance(3_600_000);

  await runFor(here, { 'test.bell': recording }, 200);

  expect(await rung(here.ledger)).toBe(1);
});

test('a timer that comes again keeps its pace over a restart, and makes up for nothing', async () => {
  await using here = await world();
  const due = { ...second, due_at: here.clock.now() + 1000, every_ms: 1000 };
  await here.ledger.transact((tx) => setTimer(tx, due, 1));

  await runFor(here, { 'test.bell': recording }, 2500);
  const before = await rung(here.ledger);
  await here.clock.advance(60_000);
  await runFor(here, { 'test.bell': recording }, 1000);

  expect([before, await rung(here.ledger)]).toEqual([2, 4]);
});

test('a timer whose process dies in the middle rings exactly once all the same', async () => {
  await using here = await world();
  await here.ledger.transact((tx) => setTimer(tx, { ...second, due_at: here.clock.now() }, 1));
  here.ledger.fate = 'power-cut-before-flush';
  const stop = new AbortController();
  void runTimers({ ...here, log: silent }, { 'test.bell': recording }, stop.signal);
  await here.clock.advance(1000);
  stop.abort();

  await using again = await SimulatedLedger.create(here.clock, here.ledger.platter);
  await runFor({ clock: here.clock, ledger: again }, { 'test.bell': recording }, 500);

  expect(await rung(again)).toBe(1);
});

test('a timer that fails is tried again, later each time, and holds up no other', async () => {
  await using here = await world();
  const now = here.clock.now();
  await here.ledger.transact(async (tx) => {
    await setTimer(tx, { ...second, kind: 'test.broken', id: 'a', due_at: now }, 1);
    await setTimer(tx, { ...second, id: 'b', due_at: now }, 1);
  });
  let tries = 0;
  const broken: Ring = {
    kind: 'repeatable',
    ring: async () => {
      tries += 1;
      throw new Error('the rope is torn');
    },
  };

  await runFor(here, { 'test.bell': recording, 'test.broken': broken }, 8000);

  expect(await rung(here.ledger)).toBe(1);
  // At 0, 1, 3 and 7 seconds.
  expect(tries).toBe(4);
});

test('a timer of an unknown kind is left where it is', async () => {
  await using here = await world();
  await here.ledger.transact((tx) => setTimer(tx, { ...second, due_at: here.clock.now() }, 1));

  await runFor(here, {}, 5000);

  expect(await here.ledger.committed.all('select id from timers')).toHaveLength(1);
});

test('a jump of the wall clock is noticed within seconds', async () => {
  await using here = await world();
  const due = { ...second, due_at: here.clock.now() + 3_600_000 };
  await here.ledger.transact((tx) => setTimer(tx, due, 1));
  const stop = new AbortController();
  const running = runTimers({ ...here, log: silent }, { 'test.bell': recording }, stop.signal);
  await here.clock.advance(100);

  here.clock.jump(3_600_000);
  await pass(here.clock, 6000);
  stop.abort();
  await running;

  expect(await rung(here.ledger)).toBe(1);
});

test('a timer that was taken by somebody else meanwhile does not ring', async () => {
  await using here = await world();
  const due = { ...second, due_at: here.clock.now() };
  await here.ledger.transact((tx) => setTimer(tx, due, 1));
  const ledger: Ledger = Object.create(here.ledger, {
    transact: {
      value: async (work: Parameters<Ledger['transact']>[0]) => {
        await here.ledger.transact((tx) => removeTimer(tx, due.id));
        return here.ledger.transact(work);
      },
    },
    committed: { value: here.ledger.committed },
  });

  await runFor({ clock: here.clock, ledger }, { 'test.bell': recording }, 200);

  expect(await rung(here.ledger)).toBe(0);
});

test('a thousand that fail do not hide one that does not', async () => {
  await using here = await world();
  const now = here.clock.now();
  await here.ledger.transact(async (tx) => {
    for (let number = 0; number < 1200; number++) {
      await setTimer(tx, { ...second, id: `broken ${number}`, kind: 'test.broken', due_at: 1 }, 1);
    }
    await setTimer(tx, { ...second, due_at: now }, 1);
  });
  const broken: Ring = { kind: 'repeatable', ring: () => Promise.reject(new Error('no')) };

  await runFor(here, { 'test.bell': recording, 'test.broken': broken }, 500);

  expect(await rung(here.ledger)).toBe(1);
});

test('a slow one does not keep the others waiting', async () => {
  await using here = await world();
  const slowly = Promise.withResolvers<void>();
  await here.ledger.transact(async (tx) => {
    await setTimer(tx, { ...second, id: 'slow', kind: 'test.slow', due_at: 1 }, 1);
    await setTimer(tx, { ...second, due_at: 2 }, 1);
  });
  const slow: Ring = { kind: 'repeatable', isSlow: true, ring: () => slowly.promise };
  const stop = new AbortController();

  const deps = { ledger: here.ledger, clock: here.clock, log: silent };
  const running = runTimers(deps, { 'test.bell': recording, 'test.slow': slow }, stop.signal);
  await pass(here.clock, 300);
  const meanwhile = await rung(here.ledger);
  stop.abort();
  slowly.resolve();
  await running;

  expect(meanwhile).toBe(1);
});
