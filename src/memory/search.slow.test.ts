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
import type { IndexFound, IndexHit, IndexQuery, MemoryIndex } from '../kernel/memory/index-port.ts';
import { usersOfMemories } from '../ledger/memory/uses.ts';

keepCompiled();

type Search = (query: IndexQuery) => Promise<IndexFound>;

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
    ...{ alike: [], hasMoreAlike: false },
  }));

test('where too few of what the index proposes are left, it is asked for more', async () => {
  const asked: number[] = [];
  await using world = await memoryWorld({
    watchIndex: (index) =>
      answering(index, async (real, query) => {
        asked.push(query.limit);
        const all = [...gone(60), ...(await real(query)).hits];
        return { hits: all.slice(0, query.limit), hasMore: all.length > query.limit };
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

/** What sam is told of the kettle: whose, where, how many are like it, and how well it fits. */
async function kettles(world: MemoryWorld) {
  const { hits } = await world.memory.search(callerFor(sam), { query: 'kettle cellar' });
  return hits.map(({ memory: { owner, key }, alike, score, snippet }) => ({
    ...{ owner, key, alike: alike.length, score, snippet },
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
    expect(await kettles(world)).toMatchObject([
      { owner: 'agent:ann', alike: 1 },
      { owner: sam, alike: 0 },
    ]);

    await world.grants.change((_tx, changes) => changes.revoke(right.id), [right.id]);

    expect(await kettles(world)).toEqual(alone);
  });

  test('because the grant for them is used up', async () => {
    await using world = await kettleWorld();
    const alone = await kettles(world);
    await world.give(sam, 'memory:of/jean/long-term/**:search{max:2}');
    for (const _use of [1, 2]) expect((await kettles(world))[0]).toMatchObject({ alike: 2 });

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
  const keys = ['house/a', 'house/b', 'house/c'];
  for (const key of keys) await world.memory.share({ place: place(key), to: 'sam' }, jean);
  expect((await kettles(world))[0]).toMatchObject({ key: 'house/c', alike: 2 });

  late.do = () => world.memory.unshare({ place: place('house/c'), to: 'sam' }, jean);

  expect((await kettles(world))[0]).toMatchObject({ key: 'house/b', alike: 1, snippet: kettle });
});

test('those that are alike are named, so that they can be fetched, and noted as seen', async () => {
  await using world = await kettleWorld();
  for (const key of ['house/a', 'house/b']) {
    await world.memory.share({ place: place(key), to: 'sam' }, jean);
  }
  const caller = callerFor(sam);

  const { hits } = await world.memory.search(caller, { query: 'kettle cellar' });

  expect(hits[0]).toMatchObject({
    memory: { owner: jean, key: 'house/b' },
    alike: [{ owner: jean, scope: 'long-term', key: 'house/a' }],
  });
  const [other] = hits[0]?.alike ?? [];
  const found = other && (await world.memory.retrieve(callerFor(sam), other));
  expect(found).toMatchObject({ value: kettle });
  expect(await usersOfMemories(world.ledger.committed, [3])).toContain(caller.user);
});

const payment = (words: string) =>
  `The invoice of the roofer from Lyon about the new windows of the old house in the harbour ${words}
   before the bank has sent its written word to Anna, Ben and everybody else in the office`;
const minutes = 'The board met and talked about the budget of the year. '.repeat(400);

test.each([
  ['in another order', 'Anna owes Ben ten euros', 'Ben owes Anna ten euros'],
  ['with another number', 'the meter shows 4711 now', 'the meter shows 4712 now'],
  ['with a not', payment('can be paid'), payment('can not be paid')],
  ['with another name', payment('can be paid by Ada'), payment('can be paid by Eve')],
  ['at another time', payment('was paid'), payment('will be paid')],
  [
    'in Japanese',
    '明日の会議には必ず出席しますので資料を送ってください',
    '明日の会議には必ず欠席しますので資料を送ってください',
  ],
  ['at the end of a long text', `${minutes} It was approved.`, `${minutes} It was rejected.`],
  ['by yes or no', { budget: 'new', approved: true }, { budget: 'new', approved: false }],
])('what says something else in nearly the same words is shown: %s', async (_how, one, other) => {
  await using world = await memoryWorld();
  await world.store('one', one);
  await world.store('other', other);

  const query = 'owes meter invoice 会議 budget';
  expect((await world.found(query)).toSorted()).toEqual(['one', 'other']);
});

const note = (bank: string) => payment(`is paid to the account at the bank in ${bank}`);

/** Sam's note about payments, and jean's about the same, which is shared with sam. */
async function paymentWorld(jeansNote: string): Promise<MemoryWorld> {
  const world = await memoryWorld();
  await world.give(sam, 'memory:**:read,search');
  await world.store('', note('Berlin'), { place: place('payments', sam), author: sam });
  await world.clock.advance(1000);
  await world.store('payments', jeansNote);
  await world.memory.share({ place: place('payments'), to: 'sam' }, jean);
  return world;
}

test.each(['Panama', 'Berlin'])('nobody’s words stand for another’s: %s', async (bank) => {
  await using world = await paymentWorld(note(bank));
  const goal = 'Pay the roofer to his account';

  const { hits } = await world.memory.search(callerFor(sam), { query: goal });
  const told = await world.memory.pack(callerFor(sam), { goal, tokens: 1500 });

  for (const owners of [hits.map(({ memory }) => memory.owner), told.map(({ owner }) => owner)]) {
    expect(owners.toSorted()).toEqual([jean, sam]);
  }
});

test('what is alike is told to a model, but for the very same', async () => {
  await using world = await memoryWorld();
  await world.store('one', 'The roof is red.');
  await world.store('two', 'the ROOF is red');
  await world.store('three', 'the ROOF is red');

  const told = await world.memory.pack(callerFor(jean), { goal: 'the roof', tokens: 1500 });

  expect(told.map(({ text }) => text).toSorted()).toEqual(['The roof is red.', 'the ROOF is red']);
  expect(await world.found('roof')).toHaveLength(1);
});

describe('many that say the same', () => {
  async function crowded(): Promise<MemoryWorld> {
    const world = await memoryWorld();
    await world.give(sam, 'memory:**:read,search');
    const mine = ['Ask Ada about the red violin of the town', 'Ben keeps a violin that is not red'];
    for (const [index, text] of mine.entries()) {
      await world.store('', text, { place: place(`mine/${index}`, sam), author: sam });
    }
    for (let note = 0; note < 400; note++) await world.store(`notes/${note}`, 'red violin');
    await world.memory.share({ place: place('notes'), to: 'sam' }, jean);
    return world;
  }

  test('crowd out nothing else, and their count is said to be the least there is', async () => {
    await using world = await crowded();

    const { hits } = await world.memory.search(callerFor(sam), { query: 'red violin' });

    expect(hits.map(({ memory: { owner } }) => owner)).toEqual([jean, sam, sam]);
    expect(hits[0]).toMatchObject({ hasMoreAlike: true });
    expect(hits[0]?.alike).toHaveLength(100);
    expect(hits[1]).toMatchObject({ hasMoreAlike: false, alike: [] });
  });

  test('are told by one that may be seen, however many before it may not', async () => {
    const late: { do?: () => Promise<unknown> } = {};
    await using world = await memoryWorld({
      watchIndex: (index) =>
        answering(index, async (real, query) => {
          const found = await real(query);
          await late.do?.();
          return found;
        }),
    });
    await world.give(sam, 'memory:**:read,search');
    await world.store('open/one', 'red violin');
    await world.clock.advance(1000);
    for (let note = 0; note < 150; note++) await world.store(`notes/${note}`, 'red violin');
    for (const key of ['open', 'notes']) {
      await world.memory.share({ place: place(key), to: 'sam' }, jean);
    }
    late.do = () => world.memory.unshare({ place: place('notes'), to: 'sam' }, jean);

    expect(await world.found('red violin', sam)).toEqual(['open/one']);
  });
});
