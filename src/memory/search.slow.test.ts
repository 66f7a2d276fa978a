import { describe, expect, test } from 'vitest';
import {
  callerFor,
  jean,
  type MemoryWorld,
  memoryWorld,
  place,
  sam,
} from '../../tests/support/memory-world.ts';
import type { IndexHit, IndexQuery, MemoryIndex } from '../kernel/memory/index-port.ts';
import { usersOfMemories } from '../ledger/memory-uses.ts';

type Search = (query: IndexQuery) => Promise<readonly IndexHit[]>;

/** The index, but for what it answers. */
function answering(
  index: MemoryIndex,
  search: (real: Search, query: IndexQuery) => ReturnType<Search>,
) {
  return new Proxy(index, {
    get(target, name) {
      if (name === 'search') {
        return (query: IndexQuery, signal: AbortSignal) =>
          search((wanted) => target.search(wanted, signal), query);
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const gone = (count: number): readonly IndexHit[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: 1_000_000 + index, score: 1, parts: { words: 1, recency: 1 }, snippet: '' },
    alike: [],
  }));

test('where too few of what the index proposes are left, it is asked for more', async () => {
  const asked: number[] = [];
  await using world = await memoryWorld({
    watchIndex: (index) =>
      answering(index, async (real, query) => {
        asked.push(query.limit);
        return [...gone(60), ...(await real(query))].slice(0, query.limit);
      }),
  });
  for (let day = 0; day < 3; day++) await world.store(`day/${day}`, `the violin of day ${day}x`);

  const { hits } = await world.memory.search(callerFor(jean), { query: 'violin', limit: 2 });

  expect(hits).toHaveLength(2);
  expect(asked).toEqual([22, 88]);
});

test('a search that finds little asks the index once', async () => {
  const asked: number[] = [];
  await using world = await memoryWorld({
    watchIndex: (index) =>
      answering(index, (real, query) => {
        asked.push(query.limit);
        return real(query);
      }),
  });
  await world.store('day', 'the violin');

  expect(await world.found('violin')).toEqual(['day']);
  expect(asked).toHaveLength(1);
});

/** What sam is told of the kettle: whose, how many are like it, and how well it fits. */
async function kettles(world: MemoryWorld) {
  const { hits } = await world.memory.search(callerFor(sam), { query: 'kettle cellar' });
  return hits.map(({ memory: { owner }, alike, score, snippet }) => ({
    ...{ owner, alike: alike.length, score, snippet },
  }));
}

const kettle = 'the kettle is in the cellar';

/** Sam remembers the same as jean, who has more of it. */
async function kettleWorld(choices: Parameters<typeof memoryWorld>[0] = {}): Promise<MemoryWorld> {
  const world = await memoryWorld(choices);
  await world.give(sam, 'memory:**:read,search');
  await world.store('', kettle, { place: place('mine', sam), author: sam });
  await world.store('', 'a cellar', { place: place('other', sam), author: sam });
  await world.clock.advance(1000);
  for (const key of ['house/a', 'house/b', 'house/c']) await world.store(key, kettle);
  return world;
}

describe('of memories that may not be seen any more nothing is told, neither by a count nor by a score', () => {
  test('because whoever shared them may not share any more', async () => {
    await using world = await memoryWorld();
    const right = await world.give('agent:ann', 'memory:**:read,write,share');
    await world.give(sam, 'memory:**:read,search');
    await world.store('', kettle, { place: place('mine', sam), author: sam });
    const alone = await kettles(world);
    for (const key of ['house/a', 'house/b']) {
      await world.store('', kettle, { place: place(key, 'agent:ann'), author: 'agent:ann' });
    }
    await world.memory.share({ place: place('house', 'agent:ann'), to: 'sam' }, 'agent:ann');
    expect(await kettles(world)).toMatchObject([{ owner: 'agent:ann', alike: 2 }]);

    await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

    expect(await kettles(world)).toEqual(alone);
  });

  test('because the grant for them is used up', async () => {
    await using world = await kettleWorld();
    const alone = await kettles(world);
    await world.give(sam, 'memory:of/jean/long-term/**:search{max:2}');
    for (const _use of [1, 2]) expect((await kettles(world))[0]).toMatchObject({ alike: 3 });

    expect(await kettles(world)).toEqual(alone);
  });
});

test('where the best of those that are alike may not be seen, the next one stands for it', async () => {
  const late: { do?: () => Promise<unknown> } = {};
  await using world = await kettleWorld({
    watchIndex: (index) =>
      answering(index, async (real, query) => {
        const found = await real(query);
        await late.do?.();
        return found;
      }),
  });
  const share = { place: place('house'), to: 'sam' };
  await world.memory.share(share, jean);
  expect((await kettles(world))[0]).toMatchObject({ owner: jean, alike: 3 });

  late.do = () => world.memory.unshare(share, jean);

  expect((await kettles(world))[0]).toMatchObject({ owner: sam, alike: 0, snippet: kettle });
});

test('those that are alike are named, so that they can be fetched, and noted as seen', async () => {
  await using world = await kettleWorld();
  await world.memory.share({ place: place('house/b'), to: 'sam' }, jean);
  const caller = callerFor(sam);

  const { hits } = await world.memory.search(caller, { query: 'kettle cellar' });

  expect(hits[0]).toMatchObject({
    memory: { owner: jean, key: 'house/b' },
    alike: [{ owner: sam, scope: 'long-term', key: 'mine' }],
  });
  const [mine] = hits[0]?.alike ?? [];
  const found = mine && (await world.memory.retrieve(callerFor(sam), mine));
  expect(found).toMatchObject({ value: kettle });
  expect(await usersOfMemories(world.ledger.committed, [1])).toContain(caller.user);
});

test.each([
  ['Anna owes Ben ten euros', 'Ben owes Anna ten euros'],
  ['the meter in the cellar shows 4711 now', 'the meter in the cellar shows 4712 now'],
])('what says something else in nearly the same words is shown: %s', async (one, other) => {
  await using world = await memoryWorld();
  await world.store('one', one);
  await world.store('other', other);

  expect((await world.found(one)).toSorted()).toEqual(['one', 'other']);
});
