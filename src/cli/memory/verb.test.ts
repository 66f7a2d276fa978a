import { describe, expect, test } from 'vitest';
import type { WireMemory, WireMemoryHit } from '../../gateway/contract/contract.ts';
import { listText, versionsText } from './list.ts';
import { foundText, nothingText } from './search.ts';

const memory: WireMemory = {
  ...{ scope: 'long-term', key: 'house/door', of: 'owner', version: 2, value: 'It is green.' },
  ...{ tags: [], author: 'owner', source: 'tool-call:1', pinned: false, cut: false },
  ...{ created_at: '2030-01-31T12:00:00.000Z', valid_from: '2030-01-31T12:00:00.000Z' },
};

const hit: WireMemoryHit = {
  ...{ ...memory, score: 0.934, score_parts: { words: 0.9, recency: 1 } },
  ...{ snippet: 'It is green.', alike: 0, alike_keys: [] },
};

describe('what was found', () => {
  test('is told by score, place, key, day and what fits', () => {
    const text = foundText([hit, { ...hit, of: 'jean', score: 0.5 }], {
      self: 'owner',
      explains: false,
    });

    expect(text.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['0.93', 'long-term', 'house/door', '2030-01-31', 'It is green.'],
      ['0.50', 'long-term of jean', 'house/door', '2030-01-31', 'It is green.'],
    ]);
  });

  test('names whose it is where it is not of who asks', () => {
    const text = foundText(
      [hit, { ...hit, of: 'jean' }, { ...hit, of: 'shared', scope: 'shared' }],
      {
        ...{ self: 'jean', explains: false },
      },
    );

    expect(text.split('\n').map((line) => line.split(/ {2,}/)[1])).toEqual([
      ...['long-term of owner', 'long-term', 'shared'],
    ]);
  });

  test('says what a score is made of, and of its meaning where there is an embedder', () => {
    const dense = { ...hit, score_parts: { words: 0.9, dense: 0.4, recency: 1 } };

    const lines = foundText([hit, dense], { self: 'owner', explains: true }).split('\n');

    expect(lines[1]?.trim()).toBe('words 0.90, recency 1.00');
    expect(lines[3]?.trim()).toBe('words 0.90, meaning 0.40, recency 1.00');
  });

  test.each([
    [['a'], 'It is green. (and 1 more like it: a)'],
    [['a', 'b', 'c', 'd'], 'It is green. (and 4 more like it: a, b, c, …)'],
  ])('says how many more are like it, and where the first are: %j', (keys, words) => {
    const alike_keys = keys.map((key) => ({ key, scope: 'working', of: 'owner' }) as const);
    const alike = keys.length;

    expect(
      foundText([{ ...hit, alike, alike_keys }], { self: 'owner', explains: false }),
    ).toContain(words);
  });

  test('says that there may be more where not all were counted', () => {
    const alike_keys = [{ key: 'a', scope: 'working', of: 'owner' } as const];

    expect(
      foundText([{ ...hit, alike: 1, alike_keys, alike_more: true }], {
        ...{ self: 'owner', explains: false },
      }),
    ).toContain('It is green. (and at least 1 more like it: a, …)');
  });

  test('spells out what would move the cursor', () => {
    const hostile = { ...hit, of: '\u202eevil', key: 'a\u001b[2Jb', snippet: 'c\r\nd\u202e' };

    const text = foundText([hostile], { self: 'owner', explains: true });

    expect(text).toContain('a\\u001b[2Jb');
    expect(text.split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/[\u001b\u202e\r]/);
  });
});

describe('that nothing was found', () => {
  test('says what was searched', () => {
    expect(nothingText({ query: 'green\u001b door' })).toBe(
      'Nothing was found for "green\\u001b door" in all scopes.',
    );
  });

  test('says by what it was narrowed', () => {
    const text = nothingText({
      ...{ query: 'door', scope: 'working', of: 'jean', prefix: 'house', tags: ['a', 'b'] },
      ...{ after: '2030-01-01T00:00:00.000Z', before: '2030-02-01T00:00:00.000Z' },
    });

    expect(text).toBe(
      'Nothing was found for "door" in working of jean, below "house", with "a" and "b", not before 2030-01-01, before 2030-02-01.',
    );
  });
});

describe('a list', () => {
  const place = { scope: 'long-term', prefix: undefined, self: 'owner' } as const;

  test('has a line for each key, with how it begins', () => {
    const long = { ...memory, value: 'x'.repeat(200), pinned: true, cut: true };

    const lines = listText([{ ...memory, cut: false }, long], place).split('\n');

    expect(lines[0]).toBe('house/door  v2  2030-01-31T12:00Z  It is green.');
    expect(lines[1]).toMatch(/ \(pinned\) x{100} \[…\]$/);
  });

  test('without anything in it says where it looked', () => {
    const nothing = (where: object) => listText([], { ...place, scope: undefined, ...where });

    expect(nothing({ scope: 'working', of: 'jean' })).toBe(
      'Nothing is remembered in working of jean.',
    );
    expect(nothing({ of: 'jean', prefix: 'a' })).toBe('Nothing of jean is remembered below "a".');
    expect(nothing({})).toBe('Nothing of owner is remembered.');
  });

  test('of all scopes says in which each lies', () => {
    const line = listText([{ ...memory, cut: false }], { ...place, scope: undefined });

    expect(line).toBe('long-term  house/door  v2  2030-01-31T12:00Z  It is green.');
  });

  test('cuts no character in two', () => {
    const value = `${'x'.repeat(99)}😀`;

    expect(listText([{ ...memory, value, cut: false }], place).isWellFormed()).toBe(true);
  });
});

const now = Date.UTC(2030, 5, 1);

test('a history says when each version was so, by whom, and what was forgotten', () => {
  const text = versionsText(
    [
      { ...memory, value: { doors: 2 } },
      { ...memory, version: 1, valid_to: memory.valid_from, author: 'agent:jean' },
      { ...memory, version: 0, value: null, forgotten_at: '2030-02-01T08:30:15.000Z' },
    ],
    now,
  );

  expect(text.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['v2', '2030-01-31T12:00Z', 'owner', '{"doors":2}'],
    ['v1', '2030-01-31T12:00Z to 2030-01-31T12:00Z', 'agent:jean', 'It is green.'],
    ['v0', '2030-01-31T12:00Z', 'owner', '(forgotten 2030-02-01T08:30Z)'],
  ]);
});

test('a history says of what has expired that it has, and of what says nothing that', () => {
  const nothing = { ...memory, value: null };
  const text = versionsText(
    [
      { ...nothing, version: 3 },
      { ...nothing, version: 2, expires_at: '2030-07-01T08:30:15.000Z' },
      { ...nothing, version: 1, pinned: true, expires_at: '2030-02-01T08:30:15.000Z' },
    ],
    now,
  );

  expect(text.split('\n').map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    ...['null', 'null', '(expired 2030-02-01T08:30Z)'],
  ]);
});
