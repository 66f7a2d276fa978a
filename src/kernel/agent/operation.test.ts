import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chooseNext,
  compareGoals,
  isDue,
  levelOf,
  type QueuedGoal,
  type QueueMoment,
} from './operation.ts';

const start = Date.UTC(2030, 0, 1);
const ageingMs = 60_000;

function goal(id: string, facts: Partial<QueuedGoal> = {}): QueuedGoal {
  return {
    id,
    agent: `of-${id}`,
    owner: 'owner',
    priority: 5,
    queued_at: start,
    due_at: start,
    deadline_at: null,
    ...facts,
  };
}

function moment(facts: Partial<QueueMoment> = {}): QueueMoment {
  const none = { running: new Map(), lastTurns: new Map(), busy: new Set<string>() };
  return { now: start, ageingMs, ...none, ...facts };
}

/** Starts one after another in a single slot, and tells their ids. */
function drain(queued: readonly QueuedGoal[], now = start): string[] {
  const left = new Map(queued.map((one) => [one.id, one]));
  const lastTurns = new Map<string, number>();
  const order: string[] = [];
  for (;;) {
    const { next } = chooseNext(left.values(), moment({ now, lastTurns }));
    if (next === undefined) return order;
    left.delete(next.id);
    order.push(next.id);
    lastTurns.set(next.owner, order.length);
  }
}

test('priority 0 comes first, then age, then the id', () => {
  const queued = [
    goal('d', { priority: 9 }),
    goal('c', { queued_at: start - 1 }),
    goal('b'),
    goal('a'),
    goal('e', { priority: 0 }),
  ];

  expect(drain(queued)).toEqual(['e', 'c', 'a', 'b', 'd']);
});

test('a goal is better by a level for each minute that it waited, and never below 0', () => {
  const level = (waitedMs: number) => levelOf(goal('a'), { now: start + waitedMs, ageingMs });

  expect([0, 59_999, 60_000, 300_000, 9e12].map(level)).toEqual([5, 5, 4, 0, 0]);
  expect(level(-9e12)).toBe(5);
});

test('one that has waited long comes before a fresh one of a better priority', () => {
  const old = goal('old', { priority: 9, queued_at: start - 9 * ageingMs });

  expect(drain([goal('fresh', { priority: 1 }), old])).toEqual(['old', 'fresh']);
});

test('the owner who has less at work comes first, then the one whose turn is longer ago', () => {
  const queued = [goal('a', { owner: 'x' }), goal('b', { owner: 'y' }), goal('c', { owner: 'z' })];
  const running = new Map([['x', 2]]);
  const lastTurns = new Map([['y', 7]]);

  expect(chooseNext(queued, moment({ running })).next?.id).toBe('b');
  expect(chooseNext(queued, moment({ running, lastTurns })).next?.id).toBe('c');
});

test('an owner with 1,000 goals does not hold up another owner with one', () => {
  const many = Array.from({ length: 1000 }, (_, place) =>
    goal(`m${String(place).padStart(4, '0')}`, { owner: 'busy', queued_at: start - 5000 }),
  );

  const order = drain([...many, goal('one', { owner: 'patient' })]);

  expect(order.indexOf('one')).toBeLessThanOrEqual(1);
  expect(order).toHaveLength(1001);
});

test('agents that are busy or paused are passed over', () => {
  const queued = [goal('a', { agent: 'jean' }), goal('b', { agent: 'jared' })];

  expect(chooseNext(queued, moment({ busy: new Set(['jean']) })).next?.id).toBe('b');
  expect(chooseNext(queued, moment({ busy: new Set(['jean', 'jared']) })).next).toBeUndefined();
});

test('what is past its deadline is told apart and never chosen', () => {
  const queued = [goal('late', { priority: 0, deadline_at: start }), goal('fine')];

  const { next, late } = chooseNext(queued, moment());

  expect(next?.id).toBe('fine');
  expect(late.map(({ id }) => id)).toEqual(['late']);
});

test('a delayed goal is due at its moment, whatever small steps the clock makes', () => {
  const hour = 3_600_000;
  const delayed = goal('a', { due_at: start + hour });

  expect(isDue(delayed, start + hour - 1)).toBe(false);
  expect(isDue(delayed, start + hour)).toBe(true);
  expect(isDue(delayed, start - 5000)).toBe(false);
});

test('a clock that is put back holds up nothing for good', () => {
  const year = 365 * 86_400_000;

  expect(isDue(goal('at-once'), start - 5000)).toBe(true);
  expect(isDue(goal('delayed', { due_at: start + 1000 }), start - year)).toBe(true);
});

const goals = fc.uniqueArray(
  fc.record({
    id: fc.nat({ max: 65535 }).map((one) => one.toString(16)),
    agent: fc.constantFrom('a', 'b', 'c', 'd'),
    owner: fc.constantFrom('x', 'y', 'z'),
    priority: fc.integer({ min: 0, max: 9 }),
    queued_at: fc.integer({ min: start - 900_000, max: start + 900_000 }),
    due_at: fc.integer({ min: start - 900_000, max: start + 900_000 }),
    deadline_at: fc.option(fc.integer({ min: start - 900_000, max: start + 900_000 })),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);

test('the order is total and does not depend on how the goals are listed', () => {
  const counts = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.nat({ max: 3 }));
  fc.assert(
    fc.property(goals, counts, counts, (queued, running, turns) => {
      const at = moment({
        running: new Map(Object.entries(running)),
        lastTurns: new Map(Object.entries(turns)),
      });
      const sorted = queued.toSorted((a, b) => compareGoals(a, b, at));

      expect(queued.toReversed().toSorted((a, b) => compareGoals(a, b, at))).toEqual(sorted);
      for (const [place, one] of sorted.entries()) {
        for (const other of sorted.slice(place + 1)) {
          expect(compareGoals(one, other, at)).toBeLessThan(0);
          expect(compareGoals(other, one, at)).toBeGreaterThan(0);
        }
      }
      expect(chooseNext(queued.toReversed(), at)).toMatchObject({
        next: chooseNext(queued, at).next,
      });
    }),
  );
});

test('every goal is started, late or not yet due, however the clock jumps', () => {
  fc.assert(
    fc.property(goals, fc.integer({ min: -9e12, max: 9e12 }), (queued, jumpMs) => {
      const now = start + jumpMs;

      const order = drain(queued, now);

      const { late } = chooseNext(queued, moment({ now }));
      const notDue = queued.filter((one) => !isDue(one, now) && !late.includes(one));
      expect(order.length + late.length + notDue.length).toBe(queued.length);
    }),
  );
});

test('no goal starves, though one of priority 0 comes in with every start for an hour', () => {
  const lastTurns = new Map<string, number>();
  const queue = new Map([['old', goal('old', { priority: 9, owner: 'patient' })]]);
  let rounds = 0;
  for (; queue.has('old') && rounds < 3600; rounds++) {
    const now = start + rounds * 1000;
    const id = `n${rounds}`;
    queue.set(id, goal(id, { priority: 0, owner: 'busy', queued_at: now, due_at: now }));
    const { next } = chooseNext(queue.values(), moment({ now, lastTurns }));
    queue.delete(next?.id ?? '');
    lastTurns.set(next?.owner ?? '', rounds + 1);
  }

  expect(rounds).toBeLessThanOrEqual(9 * 60 + 1);
});
