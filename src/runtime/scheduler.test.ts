import { expect, test, vi } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { integerBelow, seededRandom } from '../../tests/sim/random.ts';
import { untilTrue } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import { changeState, insertAgent } from '../ledger/agents.ts';
import { insertBudget, readBudget } from '../ledger/operations/leases.ts';
import {
  askToEnd,
  changeOperation,
  findOperation,
  insertOperation,
  type OperationRow,
  putOff,
} from '../ledger/operations/operations.ts';
import { concludeIn } from './conclude.ts';
import { Scheduler, type SchedulerDeps } from './scheduler.ts';
import { endAsAsked, putBack } from './submit.ts';

const agents = ['jean', 'jared', 'samantha', 'kid'];

interface Choices {
  readonly slots?: number;
  readonly take?: SchedulerDeps['take'];
  readonly start?: SchedulerDeps['start'];
}

/** A ledger with agents, whose operations run until the test says what they come to. */
class World implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly started: string[] = [];
  readonly stopped: [string, string][] = [];
  readonly logged: string[] = [];
  readonly ledger: SimulatedLedger;
  readonly #runs = new Map<string, PromiseWithResolvers<void>>();
  readonly #life = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(ledger: SimulatedLedger) {
    this.ledger = ledger;
  }

  static async create(): Promise<World> {
    const world = new World(await SimulatedLedger.create(new SimulatedClock()));
    const facts = { registered_at: 0, status: 'active', state: 'pending', body: 'model' } as const;
    await world.ledger.transact(async (tx) => {
      for (const name of agents) await insertAgent(tx, { name, ...facts });
    });
    return world;
  }

  scheduler({ slots = 2, ...choices }: Choices = {}): Scheduler {
    return new Scheduler({
      ledger: this.ledger,
      clock: this.clock,
      random: seededRandom(this.#running.length),
      log: {
        error: (_, words) => this.logged.push(words),
        warn: (_, words) => this.logged.push(words),
      },
      slots,
      placeGoal: async ({ agent = 'jean' }) => ({ agent, because: 'it was named' }),
      start: (operation) => this.#start(operation),
      stop: (id, why) => this.stopped.push([id, why.code]),
      toTell: () => {},
      ...choices,
    });
  }

  run(scheduler: Scheduler): void {
    this.#running.push(scheduler.run(this.#life.signal));
  }

  async #start({ id }: OperationRow): Promise<void> {
    const run = Promise.withResolvers<void>();
    this.started.push(id);
    this.#runs.set(id, run);
    await run.promise;
  }

  /** Until every scheduler has nothing to do but to wait. */
  async quiet(): Promise<void> {
    await untilTrue(() => this.clock.sleeping === this.#running.length);
  }

  async pass(durationMs: number): Promise<void> {
    await this.quiet();
    for (let passed = 0; passed < durationMs; passed += 1000) {
      await this.clock.advance(1000);
      await this.quiet();
    }
  }

  async complete(id: string): Promise<void> {
    const operation = await this.row(id);
    const ending = { state: 'completed', text: 'done' } as const;
    const at = this.clock.now();
    await this.ledger.transact((tx) => concludeIn(tx, { operation, ending, actor: 'system', at }));
    await this.letGo(id);
  }

  /** What `start` gave for it resolves. */
  async letGo(id: string): Promise<void> {
    this.#runs.get(id)?.resolve();
    await this.#run(id);
  }

  async #run(id: string): Promise<void> {
    await this.#runs.get(id)?.promise.catch(() => {});
    this.#runs.delete(id);
    // The scheduler hears of it in the next turn, and then looks again.
    await new Promise((resolve) => setImmediate(resolve));
    await this.quiet();
  }

  async breakOff(id: string, reason: unknown): Promise<void> {
    this.#runs.get(id)?.reject(reason);
    await this.#run(id);
  }

  async row(id: string): Promise<OperationRow> {
    const row = await findOperation(this.ledger.committed, id);
    if (row === undefined) throw new Error(`there is no operation ${id}`);
    return row;
  }

  async events(subject: string): Promise<string[]> {
    const rows = await this.ledger.committed.all<{ kind: string }>(
      'select kind from events where subject = $1 order by id',
      [subject],
    );
    return rows.map(({ kind }) => kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    for (const run of this.#runs.values()) run.resolve();
    await Promise.all(this.#running);
    await this.ledger[Symbol.asyncDispose]();
  }
}

const words = { text: 'count the files', owner: 'owner' };

test('submit() writes the operation, its budget and its event at once', async () => {
  await using world = await World.create();

  const { agentId, operationId } = await world.scheduler().submit({
    ...words,
    agent: 'jared',
    priority: 2,
    delayMs: 5,
    deadlineMs: 50,
    budget: { tokens: 9 },
  });

  expect(agentId).toBe('jared');
  const now = world.clock.now();
  expect(await world.row(operationId)).toMatchObject({
    ...{ agent: 'jared', owner: 'owner', goal: 'count the files', because: 'it was named' },
    ...{ state: 'queued', priority: 2, due_at: now + 5, deadline_at: now + 50, of_mail: 0 },
  });
  const budget = await readBudget(world.ledger.committed, `operation:${operationId}`);
  expect(budget?.tokens.limit).toBe(9);
  expect(await world.events(`operation:${operationId}`)).toEqual(['operation.submitted']);
});

test.each([
  ['no words', { text: ' \n' }],
  ['too many words', { text: 'ä'.repeat(128 * 1024 + 1) }],
  ['a priority of 10', { priority: 10 }],
  ['a priority of -1', { priority: -1 }],
  ['a priority of 1.5', { priority: 1.5 }],
  ['a delay in the past', { delayMs: -1 }],
  ['no number as a delay', { delayMs: Number.NaN }],
  ['a deadline in the past', { deadlineMs: -5 }],
  ['an endless deadline', { deadlineMs: Number.POSITIVE_INFINITY }],
  ['a deadline before it is due', { delayMs: 50, deadlineMs: 50 }],
])('a goal with %s is refused before anybody is found for it', async (_what, wrong) => {
  await using world = await World.create();
  const placeGoal = vi.fn();
  const scheduler = new Scheduler({ ...depsOf(world), placeGoal });

  const attempt = scheduler.submit({ ...words, ...wrong });

  await expect(attempt).rejects.toMatchObject({ code: 'operation.bad-goal' });
  expect(placeGoal).not.toHaveBeenCalled();
});

function depsOf({ ledger, clock }: World): SchedulerDeps {
  return {
    ...{ ledger, clock, random: seededRandom(1), slots: 1 },
    log: { error: () => {}, warn: () => {} },
    placeGoal: async () => ({ agent: 'jean', because: '' }),
    start: async () => {},
    stop: () => {},
    toTell: () => {},
  };
}

test('a goal of 256 KiB is accepted, and one that is due beyond the end of time too', async () => {
  await using world = await World.create();

  const { operationId } = await world
    .scheduler()
    .submit({ ...words, text: 'g'.repeat(256 * 1024), delayMs: Number.MAX_SAFE_INTEGER });

  expect((await world.row(operationId)).due_at).toBe(8.64e15);
});

test('nobody has more than 10,000 operations open', async () => {
  await using world = await World.create();
  await world.ledger.transact(async (tx) => {
    const facts = { agent: 'jean', owner: 'owner', parent: null, goal: 'g', because: '' };
    const rest = { priority: 5, due_at: 0, deadline_at: null, created_at: 0, of_mail: 0 } as const;
    for (let n = 0; n < 10_000; n++) await insertOperation(tx, { id: `x${n}`, ...facts, ...rest });
  });
  const scheduler = world.scheduler();

  await expect(scheduler.submit(words)).rejects.toMatchObject({
    code: 'operation.bad-goal',
    message: expect.stringContaining('has 10000 open already'),
  });
  await expect(scheduler.submit({ ...words, owner: 'agent:jared' })).resolves.toBeDefined();
});

test('a goal that others pay for is taken out of their budgets, or refused', async () => {
  await using world = await World.create();
  await world.ledger.transact((tx) => insertBudget(tx, 'agent:jean', { tokens: 100 }));
  const scheduler = world.scheduler();
  const goal = { ...words, agent: 'jared', paidBy: ['agent:jean'] };

  const { operationId } = await scheduler.submit({ ...goal, budget: { tokens: 60 } });

  const refused = scheduler.submit({ ...goal, budget: { tokens: 60 } });
  await expect(refused).rejects.toMatchObject({ code: 'budget.spent' });
  await scheduler.cancel(operationId, { by: 'owner' });
  expect((await readBudget(world.ledger.committed, 'agent:jean'))?.tokens.used).toBe(0);
});

test('as many run as there are slots, and the next begins when one has ended', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 2 });
  const ids: string[] = [];
  for (const agent of ['jean', 'jared', 'samantha']) {
    ids.push((await scheduler.submit({ ...words, agent, priority: ids.length })).operationId);
  }

  world.run(scheduler);
  await world.quiet();

  expect(world.started).toEqual(ids.slice(0, 2));
  expect(scheduler.running).toBe(2);
  await world.complete(ids[0] ?? '');
  expect(world.started).toEqual(ids);
  expect((await world.events(`operation:${ids[0]}`)).slice(0, 3)).toEqual([
    'operation.submitted',
    'operation.started',
    'operation.completed',
  ]);
});

test('a goal that comes while the scheduler waits is begun without the poll', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  world.run(scheduler);
  await world.quiet();

  const { operationId } = await scheduler.submit(words);

  await untilTrue(() => world.started.length > 0);
  expect(world.started).toEqual([operationId]);
});

test('an agent does one operation at a time, and a paused one none', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 4 });
  const first = await scheduler.submit(words);
  const second = await scheduler.submit({ ...words, owner: 'agent:jared' });
  await scheduler.submit({ ...words, agent: 'jared' });
  const pause = { from: ['pending'], to: 'paused', reason: null, at: 0 } as const;
  await world.ledger.transact((tx) => changeState(tx, 'jared', pause));

  world.run(scheduler);
  await world.quiet();

  expect(world.started).toEqual([first.operationId]);
  await world.complete(first.operationId);
  expect(world.started).toEqual([first.operationId, second.operationId]);
});

test('with one slot the owners take turns, though one has many goals', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 1 });
  for (let n = 0; n < 20; n++) await scheduler.submit({ ...words, owner: 'agent:busy' });
  const { operationId } = await scheduler.submit({ ...words, owner: 'agent:patient' });
  world.run(scheduler);
  await world.quiet();

  await world.complete(world.started[0] ?? '');

  expect(world.started[1]).toBe(operationId);
});

test('a delayed goal begins when it is due, by the poll', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  world.run(scheduler);
  await scheduler.submit({ ...words, delayMs: 5000 });

  await world.pass(4000);
  expect(world.started).toEqual([]);
  await world.pass(2000);
  expect(world.started).toHaveLength(1);
});

test('a clock that jumps, either way, neither stops the scheduler nor forgets a goal', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 4 });
  world.run(scheduler);
  await scheduler.submit({ ...words, delayMs: 5000 });
  world.clock.jump(-86_400_000);
  await scheduler.submit({ ...words, agent: 'jared' });
  await world.pass(1000);
  expect(world.started).toHaveLength(2);

  world.clock.jump(2 * 86_400_000);
  await scheduler.submit({ ...words, agent: 'samantha' });
  await world.pass(1000);
  expect(world.started).toHaveLength(3);
});

test('a goal that is late before it began fails, one that runs is stopped, once', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 1 });
  const runs = await scheduler.submit({ ...words, deadlineMs: 2500 });
  const waits = await scheduler.submit({ ...words, deadlineMs: 2500 });
  world.run(scheduler);

  await world.pass(6000);

  expect(await world.row(waits.operationId)).toMatchObject({
    state: 'failed',
    result: expect.stringContaining('operation.late'),
  });
  expect(world.stopped).toEqual([[runs.operationId, 'operation.late']]);
  expect((await world.row(runs.operationId)).state).toBe('running');
});

test('prioritize() changes who is next, and says no to what is over or unknown', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 1 });
  const first = await scheduler.submit(words);
  const second = await scheduler.submit({ ...words, agent: 'jared' });

  await scheduler.prioritize(second.operationId, 0, 'owner');

  const queue = await scheduler.getQueue();
  expect(queue.map(({ id }) => id)).toEqual([second.operationId, first.operationId]);
  expect(await world.events(`operation:${second.operationId}`)).toContain('operation.prioritized');
  await scheduler.cancel(first.operationId, { by: 'owner' });
  const codeOf = (id: string, priority: number) =>
    scheduler.prioritize(id, priority, 'owner').catch((error: AosError) => error.code);
  expect(await codeOf(first.operationId, 0)).toBe('operation.over');
  expect(await codeOf('nothing', 0)).toBe('operation.unknown');
  expect(await codeOf(second.operationId, 10)).toBe('operation.bad-goal');
});

test('cancel() ends what is queued, with a reason that can be read', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);

  await scheduler.cancel(operationId, { by: 'owner', reason: 'too expensive' });

  expect(await world.row(operationId)).toMatchObject({
    state: 'cancelled',
    result: expect.stringContaining('was cancelled by \\"owner\\": too expensive'),
  });
  const again = scheduler.cancel(operationId, { by: 'owner' });
  await expect(again).rejects.toMatchObject({ code: 'operation.over' });
  const unknown = scheduler.cancel('nothing', { by: 'owner' });
  await expect(unknown).rejects.toMatchObject({ code: 'operation.unknown' });
});

test('cancel() of what runs asks whoever runs it, and is kept over a crash', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);
  world.run(scheduler);
  await world.quiet();

  await scheduler.cancel(operationId, { by: 'owner' });
  await scheduler.cancel(operationId, { by: 'owner' });

  const stop = [operationId, 'operation.cancelled'];
  expect(world.stopped).toEqual([stop, stop]);
  expect((await world.row(operationId)).state).toBe('running');
  // Its runner died; the next one finds it.
  const back = { from: ['running'], actor: 'system', at: world.clock.now() } as const;
  expect(await world.ledger.transact((tx) => putBack(tx, operationId, back))).toBe(true);
  expect(await world.row(operationId)).toMatchObject({ state: 'cancelled' });
});

test('what was asked to end and came back into the queue ends instead of running again', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);
  world.run(scheduler);
  await world.quiet();
  await scheduler.cancel(operationId, { by: 'owner' });
  const at = world.clock.now();

  await world.ledger.transact((tx) => putOff(tx, operationId, { at, dueAt: at }));
  await world.letGo(operationId);

  expect(world.started).toEqual([operationId]);
  expect(await world.row(operationId)).toMatchObject({ state: 'cancelled' });
});

test('cancel() takes what was submitted for it along', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const top = await scheduler.submit(words);
  world.run(scheduler);
  await world.quiet();
  const child = await scheduler.submit({ ...words, agent: 'jared', parent: top.operationId });
  const delayed = { ...words, agent: 'kid', delayMs: 9000 };
  const below = await scheduler.submit({ ...delayed, parent: child.operationId });
  await world.quiet();

  await scheduler.cancel(top.operationId, { by: 'owner' });

  expect(world.stopped.map(([id]) => id)).toEqual([top.operationId, child.operationId]);
  expect((await world.row(below.operationId)).state).toBe('cancelled');
});

test('what waits holds no slot, is not begun by itself, and goes on when it is put back', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 1 });
  const { operationId } = await scheduler.submit(words);
  const other = await scheduler.submit({ ...words, agent: 'jared', priority: 9 });
  world.run(scheduler);
  await world.quiet();
  const wait = { from: ['running'], to: 'waiting', at: 0, waitsFor: 'mail' } as const;
  await world.ledger.transact((tx) => changeOperation(tx, operationId, wait));
  await world.letGo(operationId);
  expect(world.started).toEqual([operationId, other.operationId]);

  expect(await scheduler.requeue(operationId)).toBe(true);
  expect(await scheduler.requeue(operationId)).toBe(false);
  await world.complete(other.operationId);

  expect(world.started).toEqual([operationId, other.operationId, operationId]);
});

test('what is put back before its run has let go is not begun a second time beside it', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 2 });
  const { operationId } = await scheduler.submit(words);
  world.run(scheduler);
  await world.quiet();
  const wait = { from: ['running'], to: 'waiting', at: 0, waitsFor: 'mail' } as const;
  await world.ledger.transact((tx) => changeOperation(tx, operationId, wait));

  await scheduler.requeue(operationId);
  await world.pass(2000);
  expect(world.started).toEqual([operationId]);

  await world.letGo(operationId);
  expect(world.started).toEqual([operationId, operationId]);
});

test('cancel() ends what waits or is paused', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);
  const pause = { from: ['queued'], to: 'paused', at: 0 } as const;
  await world.ledger.transact((tx) => changeOperation(tx, operationId, pause));

  await scheduler.cancel(operationId, { by: 'owner' });

  expect((await world.row(operationId)).state).toBe('cancelled');
});

test('a run that breaks off fails its operation, says so, and frees the slot', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler({ slots: 1 });
  const { operationId } = await scheduler.submit(words);
  const next = await scheduler.submit({ ...words, agent: 'jared' });
  world.run(scheduler);
  await world.quiet();

  await world.breakOff(operationId, new TypeError('x is not a function'));

  expect(await world.row(operationId)).toMatchObject({
    state: 'failed',
    result: expect.stringContaining('x is not a function'),
  });
  expect(world.logged).toEqual(['an operation broke off']);
  expect(world.started).toEqual([operationId, next.operationId]);
});

test('a run that lost its lease is left to whoever has it', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);
  world.run(scheduler);
  await world.quiet();

  await world.breakOff(operationId, new AosError('lease.lost', { message: 'lost' }));

  expect((await world.row(operationId)).state).toBe('running');
});

test('an operation whose lease cannot be had stays queued, holds up no other, and is tried again', async () => {
  await using world = await World.create();
  let isFree = false;
  const scheduler = world.scheduler({ take: async (_, { agent }) => isFree || agent !== 'jean' });
  const { operationId } = await scheduler.submit({ ...words, priority: 0 });
  const other = await scheduler.submit({ ...words, agent: 'jared' });
  world.run(scheduler);
  await world.quiet();
  expect(world.started).toEqual([other.operationId]);
  expect(await world.row(operationId)).toMatchObject({ state: 'queued', started_at: null });

  isFree = true;
  await world.pass(1000);

  expect(world.started).toEqual([other.operationId, operationId]);
});

test('a ledger that fails for a moment stops nothing for good', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  await scheduler.submit(words);
  world.ledger.fate = 'fails';
  world.run(scheduler);
  await world.quiet();
  expect(world.started).toEqual([]);
  expect(world.logged.length).toBeGreaterThan(0);

  world.ledger.fate = 'works';
  await world.pass(1000);

  expect(world.started).toHaveLength(1);
});

test('two schedulers over one ledger never begin the same operation twice', async () => {
  await using world = await World.create();
  const starts = new Map<string, number>();
  const random = seededRandom('two');
  const start = async (operation: OperationRow) => {
    const { id } = operation;
    starts.set(id, (starts.get(id) ?? 0) + 1);
    await world.clock.sleep(integerBelow(random, 50));
    const ending = { state: 'completed', text: '' } as const;
    await world.ledger.transact((tx) =>
      concludeIn(tx, { operation, ending, actor: 'system', at: world.clock.now() }),
    );
  };
  const both = [world.scheduler({ slots: 3, start }), world.scheduler({ slots: 3, start })];
  const [first] = both;
  for (const scheduler of both) world.run(scheduler);
  for (let n = 0; n < 60; n++) {
    const agent = agents[integerBelow(random, agents.length)];
    await first?.submit({ ...words, agent, priority: integerBelow(random, 10) });
  }

  const isDone = async () => {
    await world.clock.advance(100);
    const row = await world.ledger.committed.get<{ n: number }>(
      `select count(*) as n from operations where state = 'completed'`,
    );
    return row?.n === 60;
  };
  await untilTrue(isDone);

  expect([...starts.values()]).toEqual(Array(60).fill(1));
});

test('run() ends when it is told to, after all that it began has', async () => {
  await using world = await World.create();
  const scheduler = world.scheduler();
  const { operationId } = await scheduler.submit(words);
  const stop = new AbortController();
  const states: string[] = [];
  const running = scheduler.run(stop.signal).then(() => states.push('run ended'));
  await untilTrue(() => world.started.length === 1);

  stop.abort();
  await scheduler.submit({ ...words, agent: 'jared' });
  states.push('letting go');
  await world.letGo(operationId);
  await running;

  expect(states).toEqual(['letting go', 'run ended']);
  expect(world.started).toEqual([operationId]);
  expect((await world.row(operationId)).state).toBe('running');
});

test('endAsAsked() leaves alone what nobody asked to end', async () => {
  await using world = await World.create();
  const { operationId } = await world.scheduler().submit(words);
  const by = { actor: 'system', at: 0 };

  const row = await world.row(operationId);

  expect(await world.ledger.transact((tx) => endAsAsked(tx, row, by))).toBe(false);
  expect(await world.ledger.transact((tx) => askToEnd(tx, operationId, '{}'))).toBe(false);
});
