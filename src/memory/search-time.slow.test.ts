import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { callerFor, jean, memoryWorld, place } from '../../tests/support/memory-world.ts';
import { foundMemories } from '../ledger/memory/found-memories.ts';
import { memoriesById } from '../ledger/memory/memories.ts';

keepCompiled();

const dayMs = 86_400_000;

test('memories that count no more crowd out none that does', async () => {
  await using world = await memoryWorld();
  await world.store('notes/lunch', 'Lunch with Ada and Ben, after the budget was talked over');
  const validTo = world.clock.now() + 5000;
  for (let day = 0; day < 40; day++) {
    await world.store(`meetings/${day}`, `budget meeting number ${day}`, { validTo });
  }
  expect(await world.found('budget meeting')).toHaveLength(10);

  await world.clock.advance(10_000);

  expect(await world.found('budget meeting')).toEqual(['notes/lunch']);
});

test('what says the same as one that has expired is found', async () => {
  await using world = await memoryWorld();
  await world.store('ndx/b', 'the kettle is in the cellar');
  await world.store('ndx/a', 'the kettle is in the cellar', { ttlMs: 1000 });
  expect(await world.found('kettle cellar')).toHaveLength(1);

  await world.clock.advance(2000);

  expect(await world.found('kettle cellar')).toEqual(['ndx/b']);
});

test('what is stored again with a longer life is found for as long', async () => {
  await using world = await memoryWorld();
  await world.store('plan', 'paint the fence', { ttlMs: 1000 });
  expect(await world.found('fence')).toEqual(['plan']);
  await world.store('plan', 'paint the fence', { ttlMs: 5000 });

  await world.clock.advance(2000);
  expect(await world.found('fence')).toEqual(['plan']);
  await world.clock.advance(4000);
  expect(await world.found('fence')).toEqual([]);
});

describe('a version that is not so yet', () => {
  const later = Date.UTC(2099, 0, 1);

  test('hides nothing of what is so now, also in an index that is made anew', async () => {
    await using world = await memoryWorld();
    await world.store('gate', 'the gate is green');
    await world.store('gate', 'the gate is green', { tags: ['later'], validFrom: later });
    const versions = async () =>
      (await world.memory.search(callerFor(jean), { query: 'green gate' })).hits.map(
        ({ memory, alike }) => [memory.version, alike.length],
      );

    expect(await versions()).toEqual([[1, 0]]);
    await world.index.clear();
    expect(await versions()).toEqual([[1, 0]]);
  });

  test('is found from then on, in place of the one before', async () => {
    await using world = await memoryWorld();
    await world.store('gate', 'the gate is green');
    const validFrom = world.clock.now() + dayMs;
    await world.store('gate', 'the gate is purple', { validFrom });
    const values = async () =>
      (await world.memory.search(callerFor(jean), { query: 'gate' })).hits.map(
        ({ memory }) => memory.value,
      );

    expect(await values()).toEqual(['the gate is green']);
    await world.clock.advance(2 * dayMs);
    expect(await values()).toEqual(['the gate is purple']);
  });
});

test('an older version is not found by tags that the present one has no more', async () => {
  await using world = await memoryWorld();
  await world.store('gate', 'the gate is green', { tags: ['old'] });
  const validTo = world.clock.now() + dayMs;
  await world.store('gate', 'the gate is purple', { validTo });
  const tagged = async () =>
    (await world.memory.search(callerFor(jean), { query: 'gate', tags: ['old'] })).hits.length;

  expect(await tagged()).toBe(0);
  await world.clock.advance(2 * dayMs);
  expect(await tagged()).toBe(1);
});

test('what was so when it was stored is found after the clock was set back, in a new index too', async () => {
  await using world = await memoryWorld();
  await world.clock.advance(dayMs);
  await world.store('plan', 'paint the fence');
  world.clock.jump(-dayMs / 2);
  await world.index.clear();

  expect(await world.found('fence')).toEqual(['plan']);
});

test('foundMemories() finds the same as memoriesById()', async () => {
  await using world = await memoryWorld();
  const start = world.clock.now();
  await world.store('a', 'one');
  await world.store('a', 'two', { validTo: start + 1000 });
  await world.store('b', 'one', { ttlMs: 1000 });
  await world.store('b', 'two', { validFrom: start + 2000 });
  await world.store('c', 'one');
  await world.store('c', 'two', { validFrom: start - 1000, validTo: start - 500 });
  await world.store('d', 'one');
  await world.memory.forget(place('d'), { below: false, actor: jean });
  const ids = Array.from({ length: 10 }, (_, index) => index + 1);
  const sql = world.ledger.committed;

  for (const now of [-dayMs, -600, 0, 999, 1000, 2000, dayMs].map((by) => start + by)) {
    const whole = await memoriesById(sql, ids, { now, at: null });
    const found = await foundMemories(sql, ids, now);
    expect(found).toEqual(
      whole.map(({ id, owner, scope, key, author }) => ({ id, owner, scope, key, author })),
    );
  }
});
