import { expect, test } from 'vitest';
import {
  dayMs,
  jean,
  type MemoryShelf,
  memoryShelf,
  type ToldMemory,
  today,
} from '../../../tests/support/memory-shelf.ts';
import type { PathTarget, Segment } from '../../kernel/capability/capability.ts';
import type { MemoryReach } from '../../kernel/memory/index-port.ts';

/** `house/*` and `house/**`, as a grant has them. */
function target(path: string): PathTarget {
  const parts = path.split('/').filter((part) => part !== '**');
  const segments = parts.map((name): Segment => (name === '*' ? 'any' : { name }));
  return { kind: 'path', segments, subtree: path.endsWith('**') };
}

const below = (...paths: readonly string[]): MemoryReach => ({
  ...jean,
  chains: paths.map((path) => [target(path)]),
});

test('only the memories of the owner and the scope that may be seen are found', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'violin of jean' },
    { text: 'violin of ada', owner: 'agent:ada' },
    { text: 'violin of this work', scope: 'working' },
    { text: 'violin of all', owner: 'shared', scope: 'shared' },
  );

  expect(shelf.texts('violin')).toEqual(['violin of jean']);
  const within = [jean, { owner: 'shared', scope: 'shared', chains: 'all' }] as const;
  expect(shelf.texts({ query: 'violin', within }).toSorted()).toEqual([
    'violin of all',
    'violin of jean',
  ]);
});

test.each([
  [['house/**'], ['violin h', 'violin hk', 'violin hkt']],
  [['house/*'], ['violin hk']],
  [['house/*/table'], ['violin hkt']],
  [['house'], ['violin h']],
  [
    ['house', 'garden/**'],
    ['violin g', 'violin h'],
  ],
  [['hous/**'], []],
  [['**'], ['violin g', 'violin h', 'violin hk', 'violin hkt', 'violin x']],
])('grants on %j reach those keys and no other', async (paths, texts) => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'violin h', key: 'house' },
    { text: 'violin hk', key: 'house/kitchen' },
    { text: 'violin hkt', key: 'house/kitchen/table' },
    { text: 'violin g', key: 'garden/pond' },
    { text: 'violin x', key: 'housekeeping' },
  );

  const found = shelf.texts({ query: 'violin', within: [below(...paths)] });

  expect(found.toSorted()).toEqual(texts);
});

test('a chain of grants reaches what all of its links do', async () => {
  await using shelf = memoryShelf();
  shelf.remember({ text: 'violin a', key: 'house/a' }, { text: 'violin b', key: 'house/b/c' });
  const chains = [[target('house/**'), target('house/*')]];

  expect(shelf.texts({ query: 'violin', within: [{ ...jean, chains }] })).toEqual(['violin a']);
});

test('a place that is named twice is as far as either goes, and nothing is found twice', async () => {
  await using shelf = memoryShelf();
  shelf.remember({ text: 'violin a', key: 'a/x' }, { text: 'violin b', key: 'b/x' });

  const found = shelf.texts({ query: 'violin', within: [below('a/**'), below('b/**', 'a/**')] });

  expect(found.toSorted()).toEqual(['violin a', 'violin b']);
});

/** What one who may see only `mine/**` is told, with everything that could tell of the rest. */
const toldOf = (shelf: MemoryShelf) =>
  ['violin', 'violin boat', 'rare', '"red boat"', 'boa*'].map((query) =>
    (['memory', 'thread'] as const).map((by) =>
      shelf.search({ query, by, within: [below('mine/**')] }),
    ),
  );

const mine: readonly ToldMemory[] = [
  { text: 'the violin', key: 'mine/1', thread: 'talk' },
  { text: 'the red boat', key: 'mine/2', thread: 'talk' },
  { text: 'a boat and a violin', key: 'mine/3' },
];

test('what may not be seen changes no score, no order and no count of what may', async () => {
  await using alone = memoryShelf();
  await using among = memoryShelf();
  alone.remember(...mine);
  // The same ids, and between, around and in the same thread what is not to be seen.
  among.remember(...mine);
  among.remember(
    ...Array.from({ length: 50 }, (_, index) => ({
      text: `violin rare boat boat ${'long '.repeat(index)}`,
      key: `theirs/${index}`,
      thread: index % 2 === 0 ? 'talk' : undefined,
    })),
    ...Array.from({ length: 50 }, (_, index) => ({
      text: `violin rare red boat number${index}`,
      owner: 'agent:ada',
    })),
  );

  expect(toldOf(among)).toEqual(toldOf(alone));
});

test('what may not be seen stands between no neighbours', async () => {
  await using alone = memoryShelf();
  await using among = memoryShelf();
  const [first, second] = mine;
  const hidden = { text: 'something', key: 'theirs/1', thread: 'talk' };
  if (first === undefined || second === undefined) throw new Error('there are three');
  alone.remember(first, 'elsewhere', second);
  among.remember(first, hidden, second);

  expect(toldOf(among)).toEqual(toldOf(alone));
});

test('a filter limits before anything is counted: what it leaves out takes no place', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'violin wanted', key: 'notes/a', tags: ['red', 'blue'], validFrom: today - 50 * dayMs },
    ...Array.from({ length: 5000 }, (_, index) => ({ text: `violin ${index}`, key: `x/${index}` })),
  );
  const one = (limits: object) => shelf.texts({ query: 'violin', limit: 1, ...limits });

  expect(one({ prefix: 'notes' })).toEqual(['violin wanted']);
  expect(one({ tags: ['blue'] })).toEqual(['violin wanted']);
  expect(one({ before: today - 49 * dayMs })).toEqual(['violin wanted']);
  expect(one({ within: [below('notes/*')] })).toEqual(['violin wanted']);
});

test('below a key is the key itself too, and nothing that only begins so', async () => {
  await using shelf = memoryShelf();
  const keys = ['a/b', 'a/b/c', 'a/bc', 'a/b0', 'a/b-', 'a'];
  shelf.remember(...keys.map((key) => ({ text: `violin ${key}`, key })));

  for (const prefix of ['a/b', 'a/b/']) {
    const found = shelf.texts({ query: 'violin', prefix });
    expect(found.toSorted()).toEqual(['violin a/b', 'violin a/b/c']);
  }
});

test('of tags all have to be there, as they are written', async () => {
  await using shelf = memoryShelf();
  shelf.remember(
    { text: 'violin both', tags: ['red', 'dark blue'] },
    { text: 'violin red', tags: ['red'] },
    { text: 'violin other', tags: ['Red', 'blue'] },
  );

  const found = (tags: readonly string[]) => shelf.texts({ query: 'violin', tags });

  expect(found(['red', 'dark blue'])).toEqual(['violin both']);
  expect(found(['blue'])).toEqual(['violin other']);
  expect(found(['"; drop table memory'])).toEqual([]);
});

test('times are from the first moment on, and up to the last without it', async () => {
  await using shelf = memoryShelf();
  shelf.remember({ text: 'violin', validFrom: today });

  const found = (limits: object) => shelf.texts({ query: 'violin', ...limits }).length;

  expect([found({ after: today }), found({ after: today + 1 })]).toEqual([1, 0]);
  expect([found({ before: today }), found({ before: today + 1 })]).toEqual([0, 1]);
});

test('what is written later is found by a query that was asked before, limited or not', async () => {
  await using shelf = memoryShelf();
  const within = [below('mine/**')];
  shelf.remember({ text: 'violin one', key: 'mine/1' });
  const counts = () => [
    shelf.search('violin').length,
    shelf.search({ query: 'violin', within }).length,
  ];
  expect(counts()).toEqual([1, 1]);

  const [second = 0] = shelf.remember({ text: 'another violin', key: 'mine/2' });
  expect(counts()).toEqual([2, 2]);

  shelf.remove(second);
  expect(counts()).toEqual([1, 1]);
});
