import { describe, expect, test } from 'vitest';
import { callerFor, jean, memoryWorld } from '../../tests/support/memory-world.ts';

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
        ({ memory, alike }) => [memory.version, alike],
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
