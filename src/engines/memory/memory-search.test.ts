import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs, jean, memoryOf, memoryShelf, today } from '../../../tests/support/memory-shelf.ts';

test('words are found in whatever form they stand, and without their accents', async () => {
  await using shelf = memoryShelf();
  shelf.remember('She danced in Zürich', 'He bakes bread');

  expect(shelf.texts('dancing')).toEqual(['She danced in Zürich']);
  expect(shelf.texts('zurich')).toEqual(['She danced in Zürich']);
});

test('forms of a word that look otherwise are found too', async () => {
  await using shelf = memoryShelf();
  shelf.remember('I went to the lake', 'The children slept', 'No such thing');

  expect(shelf.texts('when did she go')).toEqual(['I went to the lake']);
  expect(shelf.texts('child sleeping')).toEqual(['The children slept']);
});

test('what has more, and rarer, of the words comes first', async () => {
  await using shelf = memoryShelf();
  shelf.remember('a car here', 'a car there', 'a violin there', 'a violin in a car', 'a boat');

  expect(shelf.texts('violin car')[0]).toBe('a violin in a car');
  expect(shelf.texts('violin car')[1]).toBe('a violin there');
});

test('a phrase is found as it stands, and not apart', async () => {
  await using shelf = memoryShelf();
  shelf.remember('the red car', 'a car that is red', 'red cars');

  expect(shelf.texts('"red car"').toSorted()).toEqual(['red cars', 'the red car']);
});

test('a word with a star is found by its beginning, also where its stem is shorter', async () => {
  await using shelf = memoryShelf();
  shelf.remember('the adoption of a dog', 'a dancer', 'nothing');

  expect(shelf.texts('dan*')).toEqual(['a dancer']);
  expect(shelf.texts('adopti*')).toEqual(['the adoption of a dog']);
  expect(shelf.texts('dan')).toEqual([]);
});

test('scripts without spaces are found by any part', async () => {
  await using shelf = memoryShelf();
  shelf.remember('明日東京に行く', '大阪にいる');

  expect(shelf.texts('"東京"')).toEqual(['明日東京に行く']);
});

test('the words of the key and of tags are found, behind those of the text', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'by the key', key: 'projects/apollo' },
    { text: 'by the tag', tags: ['apollo'] },
    { text: 'apollo itself, named in a text that is a little longer' },
    'nothing of it',
  );

  const found = shelf.texts('apollo');

  expect(found).toHaveLength(3);
  expect(found[0]).toMatch(/^apollo itself/);
});

test('what stands next to it in its thread is found too, behind it', async () => {
  await using shelf = memoryShelf();
  const thread = 'talk';
  shelf.remember(
    { text: 'Jean: Did you ever play the violin?', thread },
    { text: 'Ada: Yes, for ten years', thread },
    { text: 'Ada: Many of them in Paris', thread: 'another' },
    'For ten years',
  );

  expect(shelf.texts('violin')).toEqual([
    'Jean: Did you ever play the violin?',
    'Ada: Yes, for ten years',
  ]);
});

test('where a neighbour comes, changes or goes, what it stood for follows', async () => {
  await using shelf = memoryShelf();
  const thread = 'talk';
  const [first = 0, second = 0] = shelf.remember({ text: 'one', thread }, { text: 'two', thread });
  const found = () => shelf.texts('violin').toSorted();

  const [third = 0] = shelf.remember({ text: 'violin', thread });
  expect(found()).toEqual(['one', 'two', 'violin']);

  shelf.remove(second);
  expect(found()).toEqual(['one', 'violin']);

  shelf.remove(third);
  expect(found()).toEqual([]);
  expect(shelf.texts('one')).toEqual(['one']);
  shelf.remove(first);
  expect(shelf.texts('one')).toEqual([]);
});

test('whoever is named in the query is likelier to have said it', async () => {
  await using shelf = memoryShelf();
  const texts = ['Jean: I like red cars so much', 'Ada: I like red cars so very'];
  shelf.remember(...texts.map((text, index) => ({ text, thread: `talk ${index}` })));

  expect(shelf.texts('what does Ada think of red cars')[0]).toBe(texts[1]);
  expect(shelf.texts('what does Jean think of red cars')[0]).toBe(texts[0]);
});

test('what tells comes before what asks', async () => {
  await using shelf = memoryShelf();
  const texts = ['The violin is in Paris?', 'The violin is in London.'];
  shelf.remember(...texts.map((text, index) => ({ text, thread: `talk ${index}` })));

  expect(shelf.texts('violin')[0]).toBe('The violin is in London.');
});

test('between memories that fit as well the newer comes first, and only there', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'the violin is in the attic', validFrom: today },
    { text: 'the violin is in the cellar', validFrom: today - 9 * dayMs },
    { text: 'the violin is in the violin case', validFrom: today - 900 * dayMs },
  );

  expect(shelf.texts('violin case')).toEqual([
    'the violin is in the violin case',
    'the violin is in the attic',
    'the violin is in the cellar',
  ]);
});

test('what lies in the time that was said comes first, and nothing is left out', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'camping at the lake', validFrom: today },
    { text: 'camping in the mountains', validFrom: today - 100 * dayMs },
  );
  const likelier = { after: today - 110 * dayMs, before: today - 90 * dayMs };

  expect(shelf.texts({ query: 'camping' })[0]).toBe('camping at the lake');
  expect(shelf.texts({ query: 'camping', likelier })).toEqual([
    'camping in the mountains',
    'camping at the lake',
  ]);
});

test('what says nearly the same is told once, by the best, with the ids of the others', async () => {
  await using shelf = memoryShelf();
  const [old, , , newer] = shelf.remember(
    { text: 'Jean likes red cars', validFrom: today - dayMs },
    'a red herring',
    'somebody else drives another car that is red',
    'Jean likes RED cars!',
  );

  const found = shelf.search('red cars jean likes');

  expect(found[0]).toMatchObject({ id: newer, alike: [{ id: old }] });
  expect(found.map(({ id }) => id)).not.toContain(old);
});

test('what says the same elsewhere is told beside it, also where it is of the same owner', async () => {
  await using shelf = memoryShelf();
  const places = [
    { owner: 'agent:ada', scope: 'long-term' },
    { owner: 'agent:jean', scope: 'working' },
    { owner: 'agent:jean', scope: 'long-term' },
  ] as const;
  const ids = shelf.remember(...places.map((place) => ({ ...place, text: 'a violin' })));
  const within = places.map((place) => ({ ...place, chains: 'all' as const }));

  const found = shelf.search({ query: 'violin', within });

  expect(found.map(({ id, alike }) => [id, alike.length]).toSorted()).toEqual(
    ids.map((id) => [id, 0]),
  );
});

test('however many say the same, all are counted, and what says something else is told', async () => {
  await using shelf = memoryShelf();
  shelf.remember('a boat with a violin', ...Array.from({ length: 900 }, () => 'a violin'));

  const { hits, hasMore } = shelf.look({ query: 'violin', limit: 2 });

  expect(hits.map(({ alike }) => alike.length)).toEqual([899, 0]);
  expect([hasMore, ...hits.map(({ hasMoreAlike }) => hasMoreAlike)]).toEqual([false, false, false]);
});

test('where more fit than are looked at, it is said that more may be alike', async () => {
  await using shelf = memoryShelf();
  shelf.remember(...Array.from({ length: 1500 }, () => 'a violin'));

  expect(shelf.search('violin')).toMatchObject([{ hasMoreAlike: true }]);
});

test('the many memories of one owner crowd out none of another', async () => {
  await using shelf = memoryShelf();
  const ada = { owner: 'agent:ada', scope: 'long-term', chains: 'all' } as const;
  const [mine] = shelf.remember('somewhere in the attic there is a violin of old');
  const crowd = Array.from({ length: 1500 }, (_, index) => `violin violin ${index}`);
  shelf.remember(...crowd.map((text) => ({ text, owner: ada.owner })));

  const found = shelf.search({ query: 'violin', within: [jean, ada], limit: 2000 });

  expect(found.map(({ id }) => id)).toContain(mine);
  expect(found).toHaveLength(1001);
});

test('it is said whether there is more', async () => {
  await using shelf = memoryShelf();
  shelf.remember('one violin', 'two violins');

  expect(shelf.look({ query: 'violin', limit: 1 }).hasMore).toBe(true);
  expect(shelf.look({ query: 'violin', limit: 2 }).hasMore).toBe(false);
});

test('only the very same is told once where that is asked for', async () => {
  await using shelf = memoryShelf();
  shelf.remember('a violin', 'A violin!', 'a violin');

  expect(shelf.search({ query: 'violin', once: 'equal' })).toHaveLength(2);
  expect(shelf.search({ query: 'violin' })).toHaveLength(1);
});

test('one hit a thread where threads are asked for, and those without one stand alone', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'the violin once', thread: 'a' },
    { text: 'the violin again, my violin', thread: 'a' },
    { text: 'a violin', thread: 'b' },
    'some violin',
    'other violin',
  );

  const found = shelf.texts({ query: 'violin', by: 'thread' });

  expect(found).toHaveLength(4);
  expect(found.filter((text) => text.startsWith('the violin'))).toHaveLength(1);
});

test('scores and their parts lie between 0 and 1, and the best comes first', async () => {
  await using shelf = memoryShelf();
  shelf.remember('violin', 'violin violin', { text: 'violin', thread: 'a', key: 'violin' }, 'boat');

  const found = shelf.search({ query: 'violin', likelier: { after: 0 } });

  for (const { score, parts } of found) {
    for (const part of [score, parts.words, parts.recency]) {
      expect(part).toBeGreaterThan(0);
      expect(part).toBeLessThanOrEqual(1);
    }
    expect(parts).not.toHaveProperty('dense');
  }
  const scores = found.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
});

test('no more than so many are told', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    ...Array.from({ length: 30 }, (_, index) => `violin number${index} of a kind${index}`),
  );

  expect(shelf.search({ query: 'violin', limit: 7 })).toHaveLength(7);
});

test('a hit shows the stretch of its text that fits', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    `${'Nothing here. '.repeat(100)}A violin at last. ${'Nothing here. '.repeat(100)}`,
  );

  expect(shelf.search('violin')[0]?.snippet).toContain('A violin at last.');
});

test('a word that very many have is found, with what it stands next to', async () => {
  await using shelf = memoryShelf();
  const many = Array.from({ length: 5000 }, (_, index) => `common plain number${index}`);
  many[10] = 'common plain violin';
  many[20] = 'common special number20 plain';
  shelf.remember(...many);

  expect(shelf.texts('common violin')[0]).toBe('common plain violin');
  expect(shelf.texts('common special')[0]).toBe('common special number20 plain');
  expect(shelf.texts('common')[0]).toBe('common plain number4999');
});

test('two words that very many have are found where both are, however old that is', async () => {
  await using shelf = memoryShelf();
  const words = ['apple', 'pear'];
  const many = Array.from({ length: 6000 }, (_, index) => `${words[index % 2]} number${index}`);
  many[7] = 'apple beside pear';
  shelf.remember(...many);

  expect(shelf.texts('apple pear')[0]).toBe('apple beside pear');
});

test.each([
  'violin OR',
  'violin AND (',
  'NEAR(violin boat)',
  'text : violin',
  'violin NOT boat',
  '{text} : violin',
  '^violin',
  'violin + boat',
  '"violin" *',
  'violin\0boat',
  "violin'; drop table memory; --",
  'violin "',
  '-violin',
])('the language of the index means nothing in a query: %j', async (query) => {
  await using shelf = memoryShelf();
  shelf.remember('a violin', 'something else');

  expect(shelf.texts(query)).toEqual(['a violin']);
});

test('whatever is asked, of whatever was remembered, there is an answer or a plain refusal', async () => {
  await using shelf = memoryShelf();
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('violin', 'AND OR NOT', '"', '* *', 'a*', '\ud800', '\u202e', 'NEAR(a b)'),
  );
  const memory = fc.record({
    text: odd,
    key: odd,
    tags: fc.array(odd, { maxLength: 3 }),
    thread: fc.option(odd, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(memory, { maxLength: 5 }), odd, (memories, query) => {
      shelf.remember(...memories);
      try {
        expect(shelf.search(query).length).toBeLessThanOrEqual(10);
      } catch (failure) {
        expect(failure).toMatchObject({ code: 'memory.bad-query' });
      }
    }),
    { numRuns: 60 },
  );
});

test('the longest queries there may be are answered', async () => {
  await using shelf = memoryShelf();
  shelf.remember('a violin');
  const queries = [
    Array.from({ length: 60 }, (_, index) => `violin${index}*`).join(' '),
    `"${'violin '.repeat(140)}"`,
    Array.from({ length: 90 }, (_, index) => `"go ${index}"`).join(' '),
    'go see take make write '.repeat(40),
    'x'.repeat(1000),
  ];

  for (const query of queries) {
    expect(shelf.search(query.slice(0, 1000)).length).toBeLessThanOrEqual(1);
  }
});

test('a memory that came and went at once is not found, nor one that changed twice twice', async () => {
  await using shelf = memoryShelf();
  shelf.remember('the first violin');
  shelf.search('violin');

  shelf.apply([
    { id: 9, memory: memoryOf(9, { text: 'a violin' }) },
    { id: 9, memory: undefined },
    { id: 10, memory: memoryOf(10, { text: 'a violin of old' }) },
    { id: 10, memory: memoryOf(10, { text: 'a violin of late' }) },
  ]);

  expect(shelf.texts('violin').toSorted()).toEqual(['a violin of late', 'the first violin']);
});

test('nothing is found where nothing is', async () => {
  await using shelf = memoryShelf();

  expect(shelf.search('violin')).toEqual([]);
  expect(shelf.search({ query: 'violin', within: [] })).toEqual([]);
  expect(shelf.search({ query: 'violin', within: [{ ...jean, owner: 'agent:x' }] })).toEqual([]);
});
