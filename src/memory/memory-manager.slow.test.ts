import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import {
  callerFor,
  jean,
  type MemoryWorld,
  memoryWorld,
  place,
  sam,
} from '../../tests/support/memory-world.ts';
import { estimateMessage, rememberedText } from '../kernel/journal/compact.ts';
import { memoryAction } from '../kernel/memory/memory.ts';
import { readEvents } from '../ledger/events.ts';
import { authorize } from '../security/permit.ts';

keepCompiled();

const dayMs = 86_400_000;

describe('what was stored', () => {
  test.each([
    ['a text', 'line one\nline "two" – 😀'],
    ['an object', { city: 'Berlin', rooms: [1, 2.5, null, true], 'odd \u0000 key': '' }],
    ['a number', 42],
    ['nothing at all', null],
    ['an empty text', ''],
  ])('comes back as it was: %s', async (_what, value) => {
    await using world = await memoryWorld();

    await world.store('projects/house', value);

    const found = await world.memory.retrieve(callerFor(jean), place('projects/house'));
    expect(found).toMatchObject({ value, version: 1, author: jean, scope: 'long-term' });
  });

  test('is kept as versions, the newest of which counts', async () => {
    await using world = await memoryWorld();
    for (const value of ['one', 'two', 'three']) {
      expect(await world.store('plan', value)).toBeGreaterThan(0);
      await world.clock.advance(1000);
    }

    const found = await world.memory.retrieve(callerFor(jean), place('plan'));
    const history = await world.memory.history(callerFor(jean), place('plan'));

    expect(found).toMatchObject({ value: 'three', version: 3 });
    expect(history.map(({ version, value }) => [version, value])).toEqual([
      [3, 'three'],
      [2, 'two'],
      [1, 'one'],
    ]);
  });

  test('is stored once where the same stands there already', async () => {
    await using world = await memoryWorld();
    await world.store('plan', { a: 1, b: 2 }, { tags: ['x', 'y'] });

    const again = await world.memory.store({
      ...{ place: place('plan'), value: { b: 2, a: 1 }, tags: ['y', 'x', 'y'] },
      ...{ author: jean, source: 'tool-call:other' },
    });
    const other = await world.store('plan', { a: 1, b: 3 }, { tags: ['x', 'y'] });

    expect([again.isNew, again.memory.version, other]).toEqual([false, 1, 2]);
  });

  test('by one call twice is one version', async () => {
    await using world = await memoryWorld();
    const source = 'tool-call:once';

    const versions = [
      await world.store('plan', 'x', { source }),
      await world.store('plan', 'x', { source }),
    ];

    expect(versions).toEqual([1, 1]);
  });

  test('is still there after the clock was set back', async () => {
    await using world = await memoryWorld();
    await world.clock.advance(dayMs);
    await world.store('plan', 'x');
    world.clock.jump(-dayMs / 2);

    expect(await world.memory.retrieve(callerFor(jean), place('plan'))).toMatchObject({
      value: 'x',
    });
    expect(await world.found('x')).toEqual(['plan']);
  });
});

describe('what was so then', () => {
  test('is what counted at that moment', async () => {
    await using world = await memoryWorld();
    const start = world.clock.now();
    await world.store('city', 'Lyon');
    await world.clock.advance(10 * dayMs);
    await world.store('city', 'Berlin');
    const at = async (asOf: number) =>
      (await world.memory.retrieve(callerFor(jean), place('city'), { asOf }))?.value;

    expect(await at(start - 1)).toBe(undefined);
    expect(await at(start)).toBe('Lyon');
    expect(await at(start + 10 * dayMs - 1)).toBe('Lyon');
    expect(await at(start + 10 * dayMs)).toBe('Berlin');
  });

  test('can be told later: since when it is so, and until when it was', async () => {
    await using world = await memoryWorld();
    const now = world.clock.now();
    await world.store('city', 'Berlin', { validFrom: now - 100 * dayMs });
    await world.store('city', 'Lyon', {
      ...{ validFrom: now - 300 * dayMs, validTo: now - 100 * dayMs },
    });
    const at = async (asOf?: number) =>
      (await world.memory.retrieve(callerFor(jean), place('city'), { asOf }))?.value;

    expect(await at()).toBe('Berlin');
    expect(await at(now - 200 * dayMs)).toBe('Lyon');
    expect(await at(now - 400 * dayMs)).toBe(undefined);
    expect(await world.found('Lyon Berlin')).toEqual(['city']);
  });

  const told = async (world: MemoryWorld, asOf?: number) =>
    (await world.memory.retrieve(callerFor(jean), place('door'), { asOf }))?.value;

  test('does not replace what is so since, where it is told late', async () => {
    await using world = await memoryWorld();
    const now = world.clock.now();
    const ago = (days: number) => now - days * dayMs;
    await world.store('door', 'green', { validFrom: ago(500) });
    await world.store('door', 'red', { validFrom: ago(100) });

    await world.store('door', 'blue', { validFrom: ago(900) });

    expect(await told(world)).toBe('red');
    expect(await told(world, ago(901))).toBe(undefined);
    expect(await told(world, ago(900))).toBe('blue');
    expect(await told(world, ago(501))).toBe('blue');
    expect(await told(world, ago(500))).toBe('green');
    expect(await told(world, ago(100))).toBe('red');
    const list = await world.memory.list(callerFor(jean), {
      ...{ owner: jean, scope: 'long-term', limit: 10 },
    });
    expect(list.map(({ value }) => value)).toEqual(['red']);
    expect(await world.found('blue green red')).toEqual(['door']);
    const { hits } = await world.memory.search(callerFor(jean), { query: 'red' });
    expect(hits.map(({ memory: { value } }) => value)).toEqual(['red']);
  });

  test('told late between two others holds until the next', async () => {
    await using world = await memoryWorld();
    const ago = (days: number) => world.clock.now() - days * dayMs;
    await world.store('door', 'blue', { validFrom: ago(900) });
    await world.store('door', 'green', { validFrom: ago(500) });

    await world.store('door', 'white', { validFrom: ago(700) });
    const again = await world.store('door', 'white', { validFrom: ago(700) });

    expect(again).toBe(3);
    expect(await told(world, ago(701))).toBe('blue');
    expect(await told(world, ago(700))).toBe('white');
    expect(await told(world, ago(499))).toBe('green');
    expect(await told(world)).toBe('green');
  });

  test('of the same beginning is what was told last', async () => {
    await using world = await memoryWorld();
    const validFrom = world.clock.now() - 10 * dayMs;
    for (const colour of ['blue', 'green']) await world.store('door', colour, { validFrom });

    expect(await told(world)).toBe('green');
    expect(await told(world, validFrom)).toBe('green');
  });

  test('is not cut short by what was forgotten', async () => {
    await using world = await memoryWorld();
    await world.store('door', 'green', { validFrom: world.clock.now() - 10 * dayMs });
    await world.memory.forget(place('door'), { below: false, actor: jean });

    await world.store('door', 'blue', { validFrom: world.clock.now() - 20 * dayMs });

    expect(await told(world)).toBe('blue');
  });

  test('is not cut short by what has expired', async () => {
    await using world = await memoryWorld();
    await world.store('door', 'green', { ttlMs: dayMs });
    await world.clock.advance(2 * dayMs);

    await world.store('door', 'blue', { validFrom: world.clock.now() - 20 * dayMs });

    expect(await told(world)).toBe('blue');
  });

  test('ends where something begins that was told before', async () => {
    await using world = await memoryWorld();
    await world.store('door', 'red', { validFrom: world.clock.now() + 10 * dayMs });

    const versions = [await world.store('door', 'blue'), await world.store('door', 'blue')];

    expect(versions).toEqual([2, 2]);
    expect(await told(world)).toBe('blue');
    await world.clock.advance(11 * dayMs);
    expect(await told(world)).toBe('red');
  });

  test('is what was stored last, also after the clock was set back', async () => {
    await using world = await memoryWorld();
    await world.store('door', 'blue');
    world.clock.jump(-dayMs);
    await world.store('door', 'green');

    expect(await told(world)).toBe('green');
    await world.clock.advance(2 * dayMs);
    expect(await told(world)).toBe('green');
    expect(
      await world.ledger.committed.all('select valid_to < valid_from as odd from memories'),
    ).toEqual([{ odd: 0 }, { odd: null }]);
  });

  test('is kept by an import of what was so before', async () => {
    await using world = await memoryWorld();
    await world.store('door', 'red');
    const at = '2020-01-01T00:00:00Z';
    const line = { scope: 'long-term', key: 'door', version: 1, value: 'blue' };

    const done = await world.memory.importLines(jean, [
      JSON.stringify({ ...line, created_at: at, valid_from: at }),
    ]);

    expect(done).toEqual({ imported: 1, known: 0 });
    expect(await told(world)).toBe('red');
    expect(await told(world, Date.parse('2021-01-01T00:00:00Z'))).toBe('blue');
  });

  test('will be so one day: it is not told before', async () => {
    await using world = await memoryWorld();
    await world.store('city', 'Oslo', { validFrom: world.clock.now() + dayMs });

    expect(await world.found('Oslo')).toEqual([]);
    await world.clock.advance(2 * dayMs);
    expect(await world.found('Oslo')).toEqual(['city']);
  });
});

test('what is kept for a while is told no more when it is over, and then goes', async () => {
  await using world = await memoryWorld();
  await world.store('code', 'swordfish', { ttlMs: dayMs });
  expect(await world.found('swordfish')).toEqual(['code']);

  await world.clock.advance(dayMs);

  expect(await world.memory.retrieve(callerFor(jean), place('code'))).toBe(undefined);
  expect(await world.found('swordfish')).toEqual([]);
  expect(await world.memory.history(callerFor(jean), place('code'))).toMatchObject([
    { version: 1, value: null },
  ]);
  await world.memory.keepHouse();
  expect(await world.ledger.committed.all('select value from memories')).toEqual([{ value: '' }]);
  await world.clock.advance(101 * dayMs);
  await world.memory.keepHouse();
  expect(await world.memory.history(callerFor(jean), place('code'))).toEqual([]);
});

describe('forget', () => {
  test('tells nobody any more, keeps that it was there, and what is stored then is new', async () => {
    await using world = await memoryWorld();
    await world.store('plan', 'swordfish');

    const keys = await world.memory.forget(place('plan'), { below: false, actor: jean });

    expect(keys).toBe(1);
    expect(await world.memory.retrieve(callerFor(jean), place('plan'))).toBe(undefined);
    expect(await world.found('swordfish')).toEqual([]);
    const history = await world.memory.history(callerFor(jean), place('plan'));
    expect(history).toMatchObject([{ version: 1, value: null }]);
    expect(await world.store('plan', 'swordfish')).toBe(2);
    expect(await world.found('swordfish')).toEqual(['plan']);
  });

  test('of what is not there says so', async () => {
    await using world = await memoryWorld();

    const attempt = world.memory.forget(place('plan'), { below: false, actor: jean });

    await expect(attempt).rejects.toMatchObject({ code: 'memory.unknown' });
  });
});

describe('sharing', () => {
  test('lets another read and find it, with all below its key and nothing else', async () => {
    await using world = await memoryWorld();
    await world.store('house', 'the roof is red');
    await world.store('house/roof', 'the roof has tiles');
    await world.store('houses', 'the roof of another');
    await world.store('money', 'the roof costs much');

    await world.memory.share({ place: place('house'), to: 'sam' }, jean);

    expect([...(await world.found('roof', sam))].sort()).toEqual(['house', 'house/roof']);
  });

  test('ends with the next read when it is taken back', async () => {
    await using world = await memoryWorld();
    await world.store('house', 'the roof is red');
    await world.memory.share({ place: place('house'), to: 'sam' }, jean);
    expect(await world.found('roof', sam)).toEqual(['house']);

    await world.memory.unshare({ place: place('house'), to: 'sam' }, jean);

    expect(await world.found('roof', sam)).toEqual([]);
    expect(await world.memory.shares(jean)).toEqual([]);
  });

  test('of the same again is the same grant, and ends when it expires', async () => {
    await using world = await memoryWorld();
    await world.store('house', 'the roof is red');
    const expires = world.clock.now() + dayMs;
    const share = { place: place('house'), to: 'sam', expires };

    const grants = [await world.memory.share(share, jean), await world.memory.share(share, jean)];

    expect(grants[0]?.id).toBe(grants[1]?.id);
    expect(await world.found('roof', sam)).toEqual(['house']);
    await world.clock.advance(dayMs);
    expect(await world.found('roof', sam)).toEqual([]);
  });

  test('with nobody, with oneself, and taking back what was not shared, is refused', async () => {
    await using world = await memoryWorld();
    const house = place('house');

    for (const [attempt, code] of [
      [() => world.memory.share({ place: house, to: 'nobody' }, jean), 'agent.unknown'],
      [() => world.memory.share({ place: house, to: 'jean' }, jean), 'memory.bad-value'],
      [() => world.memory.unshare({ place: house, to: 'sam' }, jean), 'memory.not-shared'],
      [() => world.memory.share({ place: place('a//b'), to: 'sam' }, jean), 'memory.bad-key'],
    ] as const) {
      await expect(attempt()).rejects.toMatchObject({ code });
    }
  });

  test('is not taken back by somebody else', async () => {
    await using world = await memoryWorld();
    await world.memory.share({ place: place('house'), to: 'sam' }, jean);

    const attempt = world.memory.unshare({ place: place('house'), to: 'sam' }, 'agent:eve');

    await expect(attempt).rejects.toMatchObject({ code: 'memory.not-shared' });
    expect(await world.memory.shares(jean)).toHaveLength(1);
  });
});

test('a share ends when whoever gave it may not share any more', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:**:read,write,share');
  const anns = place('house', 'agent:ann');
  await world.store('', 'the roof is red', { place: anns, author: 'agent:ann' });
  await world.memory.share({ place: anns, to: 'sam' }, 'agent:ann');
  expect(await world.found('roof', sam)).toEqual(['house']);

  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

  expect(await world.found('roof', sam)).toEqual([]);
  expect(await world.memory.retrieve(callerFor(sam), anns)).toBe(undefined);
  expect(await world.memory.history(callerFor(sam), anns)).toEqual([]);
});

test('a share that has ended stands in the way of no other grant', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:**:read,write,share');
  const anns = place('house', 'agent:ann');
  await world.store('house', 'x', { place: anns, author: 'agent:ann' });
  await world.memory.share({ place: anns, to: 'sam' }, 'agent:ann');
  await world.give(sam, 'memory:of/ann/long-term/**:read,search');
  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

  expect(await world.memory.retrieve(callerFor(sam), anns)).toMatchObject({ value: 'x' });
  expect(await world.found('x', sam)).toEqual(['house']);
});

test('a share that has ended lets nobody past a human who is to be asked', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:**:read,write,share');
  const anns = place('house', 'agent:ann');
  await world.store('house', 'x', { place: anns, author: 'agent:ann' });
  await world.memory.share({ place: anns, to: 'sam' }, 'agent:ann');
  const asking = await world.grants.change((_tx, changes) =>
    changes.give({
      ...{ principal: sam, capability: 'memory:of/ann/long-term/**:read,search', parent: null },
      ...{ granted_by: 'owner', origin: 'owner', asks: 1 },
    }),
  );
  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);
  const wish = { principal: sam, action: memoryAction(sam, anns, 'read') };

  const decision = await authorize(world.grants, world.ledger.committed, wish);

  expect(decision).toMatchObject({ kind: 'allowed', grant: { id: asking.id, asks: true } });
  expect(await world.found('x', sam)).toEqual([]);
});

test('of what lies below a key nothing is listed where its giver may share the key alone', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:**:read,write,share');
  const [house, door] = [place('house', 'agent:ann'), place('house/door', 'agent:ann')];
  for (const each of [house, door]) {
    await world.store('', each.key, { place: each, author: 'agent:ann' });
  }
  await world.memory.share({ place: house, to: 'sam' }, 'agent:ann');
  const page = { owner: 'agent:ann', scope: 'long-term', prefix: 'house', limit: 9 } as const;
  expect(await world.memory.list(callerFor(sam), page)).toHaveLength(2);

  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);
  await world.give('agent:ann', 'memory:long-term/house:share');

  expect(await world.memory.list(callerFor(sam), page)).toEqual([]);
  expect(await world.memory.retrieve(callerFor(sam), house)).toBeDefined();
});

test('two grants that rest on one which is counted use it up together', async () => {
  await using world = await memoryWorld();
  for (const key of ['a/one', 'b/two']) await world.store(key, 'harvest apples');
  const above = await world.give('agent:mid', 'memory:of/jean/long-term/**:search{max:3}');
  for (const part of ['a', 'b']) {
    await world.grants.change((_tx, changes) =>
      changes.give({
        ...{ principal: sam, capability: `memory:of/jean/long-term/${part}/**:search{max:3}` },
        ...{ parent: above.id, granted_by: 'agent:mid', origin: 'delegation', asks: 0 },
      }),
    );
  }

  const counts = [];
  for (let round = 0; round < 3; round += 1) counts.push((await hitsOf(world)).length);

  expect(counts).toEqual([2, 1, 0]);
});

async function hitsOf(world: MemoryWorld): Promise<readonly string[]> {
  const { hits } = await world.memory.search(callerFor(sam), { query: 'harvest apples', of: jean });
  return hits.flatMap(({ memory: { key }, alike }) => [key, ...alike.map((each) => each.key)]);
}

test('what is told late replaces nothing that holds until a time to come', async () => {
  await using world = await memoryWorld();
  const now = world.clock.now();
  const green = { validFrom: now - 100 * dayMs, validTo: now + 100 * dayMs };
  await world.store('door', 'green', green);
  await world.store('door', 'blue', { validFrom: now - 300 * dayMs });
  const colour = async (asOf?: number) =>
    (await world.memory.retrieve(callerFor(jean), place('door'), { asOf }))?.value;

  expect([await colour(), await colour(now - 50 * dayMs)]).toEqual(['green', 'green']);
  expect(await colour(now - 200 * dayMs)).toBe('blue');
});

test('a share that has expired is none of those that count', async () => {
  await using world = await memoryWorld();
  const expires = world.clock.now() + 2000;
  await world.memory.share({ place: place('house'), to: 'sam', expires }, jean);
  expect(await world.memory.shares(jean)).toHaveLength(1);

  await world.clock.advance(2000);

  expect(await world.memory.shares(jean)).toEqual([]);
});

test('a share of a space ends when whoever gave it may not share there any more', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:shared/team/**:read,write,share');
  const plan = { owner: 'shared', scope: 'shared', key: 'team/plan' } as const;
  await world.store('', 'the launch is in May', { place: plan, author: 'agent:ann' });
  await world.memory.share({ place: { ...plan, key: 'team' }, to: 'sam' }, 'agent:ann');
  expect(await world.found('launch', sam)).toEqual(['team/plan']);

  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

  expect(await world.found('launch', sam)).toEqual([]);
  expect(await world.memory.retrieve(callerFor(sam), plan)).toBe(undefined);
});

test('a share that was handed on ends when whoever gave it first may not share any more', async () => {
  await using world = await memoryWorld();
  const right = await world.give('agent:ann', 'memory:**:read,write,share');
  const anns = place('house', 'agent:ann');
  await world.store('', 'the roof is red', { place: anns, author: 'agent:ann' });
  const share = await world.memory.share({ place: anns, to: 'sam' }, 'agent:ann');
  const third = 'agent:third';
  await world.grants.change((_tx, changes) =>
    changes.give({
      ...{ principal: third, capability: share.capability, parent: share.id, granted_by: sam },
      ...{ origin: 'delegation', asks: 0 },
    }),
  );
  expect(await world.memory.retrieve(callerFor(third), anns)).toBeDefined();

  await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

  expect(await world.memory.retrieve(callerFor(third), anns)).toBe(undefined);
  expect(await world.found('roof', third)).toEqual([]);
});

test('of two versions that are so at once the newest is found', async () => {
  await using world = await memoryWorld();
  await world.store('gate', 'the gate is blue');
  await world.store('gate', 'the gate is purple', { validTo: world.clock.now() + dayMs });

  const found = async () =>
    (await world.memory.search(callerFor(jean), { query: 'gate' })).hits.map(
      ({ memory }) => memory.value,
    );

  expect(await found()).toEqual(['the gate is purple']);
  await world.clock.advance(2 * dayMs);
  expect(await found()).toEqual(['the gate is blue']);
});

test('the same for a longer time is another version', async () => {
  await using world = await memoryWorld();
  const now = world.clock.now();
  await world.store('w', 'blue', { validFrom: now - 10 * dayMs });

  expect(await world.store('w', 'blue', { validFrom: now - 5 * dayMs })).toBe(1);
  expect(await world.store('w', 'blue', { validFrom: now - 50 * dayMs })).toBe(2);
  const asOf = now - 20 * dayMs;
  const then = await world.memory.retrieve(callerFor(jean), place('w'), { asOf });
  expect(then).toMatchObject({ value: 'blue' });
});

test('what was exported is all there already when it is imported again', async () => {
  await using world = await memoryWorld();
  for (const value of ['blue', 'green']) {
    await world.store('door', value, { tags: ['b', 'a'] });
    await world.clock.advance(1000);
  }
  const lines: string[] = [];
  for await (const line of world.memory.exportLines({ owner: jean })) lines.push(line);

  expect(await world.memory.importLines(jean, lines)).toEqual({ imported: 0, known: 2 });
});

test('what was forgotten comes back by an import', async () => {
  await using world = await memoryWorld();
  await world.store('door', 'blue');
  const lines = await Array.fromAsync(world.memory.exportLines({ owner: jean }));
  await world.memory.forget(place('door'), { below: false, actor: jean });

  expect(await world.memory.importLines(jean, lines)).toEqual({ imported: 1, known: 0 });

  const found = await world.memory.retrieve(callerFor(jean), place('door'));
  expect(found).toMatchObject({ value: 'blue', version: 2 });
});

test('what has expired is not exported, whether or not it is gone yet', async () => {
  await using world = await memoryWorld();
  await world.store('code', 'swordfish', { ttlMs: dayMs });
  await world.clock.advance(dayMs);
  const exported = () => Array.fromAsync(world.memory.exportLines({ owner: jean }));

  expect(await exported()).toEqual([]);
  await world.memory.keepHouse();
  expect(await exported()).toEqual([]);
});

test.each([
  ['in their order', (lines: readonly string[]) => lines],
  ['the newest first', (lines: readonly string[]) => lines.toReversed()],
])(
  'importLines() of many versions of one key takes no longer for each: %s',
  async (_how, order) => {
    await using world = await memoryWorld();
    const importing = async (key: string, count: number) => {
      const before = process.cpuUsage();
      await world.memory.importLines(jean, order(versionsOf(key, count)));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / count;
    };
    await importing('warm', 1000);

    const [few, many] = [await importing('few', 1000), await importing('many', 8000)];

    expect(many).toBeLessThan(few * 3);
  },
);

/** Without an end, so that each ends the one before. */
function versionsOf(key: string, count: number): readonly string[] {
  const at = (minute: number) => new Date(Date.UTC(2020, 0) + minute * 60_000).toISOString();
  return Array.from({ length: count }, (_, minute) => {
    const times = { created_at: at(minute), valid_from: at(minute) };
    return JSON.stringify({
      scope: 'long-term',
      key,
      version: minute + 1,
      value: `v ${minute}`,
      ...times,
    });
  });
}

test('every read of what is another’s is on record, and none of one’s own', async () => {
  await using world = await memoryWorld();
  await world.store('house', 'the roof is red');
  await world.memory.share({ place: place('house'), to: 'sam' }, jean);
  await world.memory.retrieve(callerFor(jean), place('house'));
  await world.found('roof');
  const reads = () =>
    readEvents(
      world.ledger.committed,
      { kind: 'memory.read' },
      { limit: 10, order: 'oldest-first' },
    );
  expect(await reads()).toEqual([]);

  await world.memory.retrieve(callerFor(sam), place('house'));
  await world.found('roof', sam);

  expect(await reads()).toMatchObject([
    { actor: sam, subject: jean },
    { actor: sam, subject: jean },
  ]);
  for (const { data } of await reads()) {
    expect(JSON.parse(data ?? '')).toMatchObject({
      resources: ['memory:of/jean/long-term/house:read'],
    });
    expect(data).not.toContain('red');
  }
});

test('in a shared space those who may write and read it do', async () => {
  await using world = await memoryWorld();
  await world.give(sam, 'memory:shared/team/**:read,search');
  const team = { owner: 'shared', scope: 'shared', key: 'team/plan' } as const;
  const secret = { ...team, key: 'board/plan' };
  await world.store('', 'the launch is in May', { place: team });
  await world.store('', 'the launch is late', { place: secret });

  expect(await world.found('launch', sam)).toEqual(['team/plan']);
  // A star that was meant for one's own reaches no space: it has to be named.
  expect(await world.found('launch', jean)).toEqual([]);
});

test('whoever holds every capability for memories sees nothing of others by it', async () => {
  await using world = await memoryWorld();
  await world.give(sam, 'memory:*:*');
  await world.store('house', 'the roof is red');

  expect(await world.found('roof', sam)).toEqual([]);
  const { hits } = await world.memory.search(callerFor(sam), { query: 'roof', of: jean });
  expect(hits).toEqual([]);
});

test('exportLines() and importLines() bring everything into another home, once', async () => {
  await using world = await memoryWorld();
  await using other = await memoryWorld();
  await world.store('a/b', { x: 'é\u0000' }, { tags: ['t'], isPinned: true });
  await Promise.all([world.clock.advance(1000), other.clock.advance(2000)]);
  await world.store('a/b', 'second', { thread: 'talk' });
  await world.store('gone', 'forgotten');
  await world.memory.forget(place('gone'), { below: false, actor: jean });
  const lines: string[] = [];
  for await (const line of world.memory.exportLines({ owner: jean })) lines.push(line);

  const first = await other.memory.importLines(jean, lines);
  const again = await other.memory.importLines(jean, lines);

  expect([first, again]).toEqual([
    { imported: 2, known: 0 },
    { imported: 0, known: 2 },
  ]);
  const told = (memory: { createdAt: number; value: unknown; version: number; tags: unknown }) => [
    ...[memory.createdAt, memory.value, memory.version, memory.tags],
  ];
  const history = await world.memory.history(callerFor(jean), place('a/b'));
  const copied = await other.memory.history(callerFor(jean), place('a/b'));
  expect(copied.map(told)).toEqual(history.map(told));
});

test.each([
  'no JSON',
  '{}',
  '{"scope":"long-term","key":"a//b","version":1,"value":1,"created_at":"2026-01-01T00:00:00Z","valid_from":"2026-01-01T00:00:00Z"}',
  '[]',
])('an import with the line %j changes nothing and says which line', async (line) => {
  await using world = await memoryWorld();
  const good =
    '{"scope":"long-term","key":"a","version":1,"value":1,"created_at":"2026-01-01T00:00:00Z","valid_from":"2026-01-01T00:00:00Z"}';

  const attempt = world.memory.importLines(jean, [good, line]);

  await expect(attempt).rejects.toMatchObject({
    code: 'memory.bad-import',
    details: { line: 2 },
  });
  expect(await world.memory.retrieve(callerFor(jean), place('a'))).toBe(undefined);
});

describe('what a model is told', () => {
  test('is what is pinned first, then what fits, within its tokens', async () => {
    await using world = await memoryWorld();
    await world.store('style', 'Always answer in French.', { isPinned: true });
    await world.store('roof', 'The roof of the house is red.');
    await world.store('money', 'The bank closes at noon.');
    const caller = callerFor(jean, 'f'.repeat(32));

    const items = await world.memory.pack(caller, {
      goal: 'What colour is the roof?',
      tokens: 500,
    });
    const few = await world.memory.pack(caller, { goal: 'What colour is the roof?', tokens: 110 });

    expect(items.map(({ key, why }) => [key, why])).toEqual([
      ['style', 'pinned'],
      ['roof', 'fits'],
    ]);
    expect(few.map(({ key }) => key)).toEqual(['style']);
  });

  test('is all that it is noted to have seen, however much is pinned', async () => {
    await using world = await memoryWorld();
    for (let note = 0; note < 50; note++) {
      await world.store(`notes/${note}`, `Note ${note}.`, { isPinned: true });
    }
    const operation = 'f'.repeat(32);

    const items = await world.memory.pack(callerFor(jean, operation), {
      ...{ goal: 'Paint the roof', tokens: 160 },
    });

    const seen = await world.ledger.committed.all<{ memory: number }>(
      'select memory from memory_uses where user = $1 order by memory',
      [`operation:${operation}`],
    );
    expect(items.length).toBe(3);
    expect(new Set(seen.map(({ memory }) => memory))).toEqual(new Set(items.map(({ id }) => id)));
  });

  test('is no more than its tokens, however long the keys are', async () => {
    await using world = await memoryWorld();
    for (let note = 0; note < 60; note++) {
      const key = `${'"'.repeat(190)}${note}`;
      await world.store(key, `${note} <memory> ${'<message>'.repeat(note * 9)}`, {
        isPinned: true,
      });
    }

    const items = await world.memory.pack(callerFor(jean), { goal: 'Paint', tokens: 1500 });

    expect(items.length).toBeGreaterThan(1);
    expect(estimateMessage({ role: 'user', text: rememberedText(items) })).toBeLessThanOrEqual(
      1500,
    );
  });

  test('is nothing for who remembers nothing, and nothing without tokens', async () => {
    await using world = await memoryWorld();
    await world.store('style', 'Always answer in French.', { isPinned: true });

    expect(await world.memory.pack(callerFor(sam), { goal: 'style', tokens: 500 })).toEqual([]);
    expect(await world.memory.pack(callerFor(jean), { goal: 'style', tokens: 0 })).toEqual([]);
  });

  test('is not crowded out by what runs came to', async () => {
    await using world = await memoryWorld();
    await world.store('deploy', 'To deploy the website use the key in drawer seven.');
    for (let run = 0; run < 60; run++) {
      await world.store(
        `outcomes/${run}`,
        { goal: 'Deploy the website', run },
        { tags: ['outcome'] },
      );
    }

    const items = await world.memory.pack(callerFor(jean), {
      goal: 'Deploy the website',
      tokens: 500,
    });

    expect(items.map(({ key }) => key)).toEqual(['deploy']);
  });

  test('is cut where one would crowd out the rest', async () => {
    await using world = await memoryWorld();
    await world.store('long', 'roof '.repeat(10_000));
    await world.store('short', 'The roof is red.');

    const items = await world.memory.pack(callerFor(jean), { goal: 'the roof', tokens: 400 });

    expect(items.map(({ key }) => key).sort()).toEqual(['long', 'short']);
    const characters = items.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters).toBeLessThan(400 * 3);
  });
});

test.each([
  ['', 'memory.bad-key'],
  ['a\0b', 'memory.bad-key'],
  ['a//b', 'memory.bad-key'],
  ['../b', 'memory.bad-key'],
  ['a\u202eb', 'memory.bad-key'],
  ['\ud800', 'memory.bad-key'],
  ['x'.repeat(201), 'memory.bad-key'],
])('the key %j is refused', async (key, code) => {
  await using world = await memoryWorld();

  for (const attempt of [
    () => world.store(key, 'x'),
    () => world.memory.retrieve(callerFor(jean), place(key)),
    () => world.memory.forget(place(key), { below: false, actor: jean }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code });
  }
});

test.each([
  ['too long', 'x'.repeat(1024 * 1024 + 1), 'memory.too-large'],
  ['too long in bytes', 'é'.repeat(512 * 1024 + 1), 'memory.too-large'],
  ['half a character', '\ud800', 'memory.bad-value'],
  ['with a NUL', 'a\0b', 'memory.bad-value'],
  ['no JSON', undefined, 'memory.bad-value'],
  ['a number that is none', 10n, 'memory.bad-value'],
])('a value that is %s is refused', async (_what, value, code) => {
  await using world = await memoryWorld();

  await expect(world.store('plan', value)).rejects.toMatchObject({ code });
});

test('a megabyte is kept whole, and found', async () => {
  await using world = await memoryWorld();
  const value = `${'filler '.repeat(140_000)} swordfish`;

  await world.store('long', value);

  expect(await world.memory.retrieve(callerFor(jean), place('long'))).toMatchObject({ value });
  expect(await world.found('swordfish')).toEqual(['long']);
});
