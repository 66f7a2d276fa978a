import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { memoryIndexWorld } from '../../../tests/support/memory-index-world.ts';
import { indexQuery, memoryOf } from '../../../tests/support/memory-shelf.ts';
import { realClock } from '../clock.ts';
import { openMemoryIndex } from './memory-index.ts';

keepCompiled();

const never = new AbortController().signal;

test('an index that was never told anything knows nothing', async () => {
  await using world = memoryIndexWorld();

  expect(await world.index.position()).toBeUndefined();
  expect(await world.found('violin')).toEqual([]);
  expect(await world.index.counts()).toMatchObject({ memories: 0, vectors: 0 });
});

test('what it was told, and how far that was, is there when it is opened again', async () => {
  await using world = memoryIndexWorld();
  const position = { seq: 7, event: 42, eventHash: 'abc' };
  await world.index.apply([{ id: 3, memory: memoryOf(3, { text: 'a violin' }) }], position);
  await world.index[Symbol.asyncDispose]();

  await using again = openMemoryIndex({ file: world.file, clock: realClock });

  expect(await again.position()).toEqual(position);
  const { hits } = await again.search(indexQuery({ query: 'violin' }), never);
  expect(hits).toMatchObject([{ id: 3 }]);
  expect(await again.counts()).toMatchObject({ memories: 1, bytes: expect.any(Number) });
});

test('the same changes again change nothing', async () => {
  await using world = memoryIndexWorld();
  const changes = [
    { id: 1, memory: memoryOf(1, { text: 'a violin', thread: 'talk' }) },
    { id: 2, memory: memoryOf(2, { text: 'a boat', thread: 'talk' }) },
    { id: 3, memory: undefined },
  ];
  const position = { seq: 1, event: 0, eventHash: '' };
  const search = () => world.index.search(indexQuery({ query: 'violin' }), never);
  await world.index.apply(changes, position);
  const before = await search();

  await world.index.apply(changes, position);
  await world.index.apply(changes, position);

  expect(await search()).toEqual(before);
  expect(await world.index.counts()).toMatchObject({ memories: 2 });
});

test('a memory that changes is found as it is now, in its place and by its owner', async () => {
  await using world = memoryIndexWorld();
  const tell = (told: object) =>
    world.index.apply([{ id: 1, memory: memoryOf(1, { text: 'violin', ...told }) }], {
      ...{ seq: 1, event: 0, eventHash: '' },
    });
  await tell({});
  await tell({ text: 'boat', key: 'other/key', owner: 'agent:ada' });

  expect(await world.found('violin')).toEqual([]);
  expect(await world.found('boat')).toEqual([]);
  const within = [{ owner: 'agent:ada', scope: 'long-term', chains: 'all' }] as const;
  expect(await world.found({ query: 'boat', within })).toEqual([1]);
});

test('nobody else can read its files', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a violin');

  const modes = ['', '-wal', '-shm'].map((end) => statSync(`${world.file}${end}`).mode & 0o777);

  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect(statSync(world.folder.at('index')).mode & 0o777).toBe(0o700);
});

test('whoever asks while it is being told something is answered behind it', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a violin');

  const told = world.remember('another violin, in a boat');
  const found = world.found('violin');

  expect(await found).toHaveLength(2);
  await told;
});

test('its thread ends when it has nothing to do, and the next question starts another', async () => {
  await using world = memoryIndexWorld({ idleMs: 0 });
  await world.remember('a violin');

  for (let round = 0; round < 3; round++) {
    expect(await world.found('violin')).toEqual([1]);
    await realClock.sleep(20);
  }
});

test('a query without a word is refused by its thread too', async () => {
  await using world = memoryIndexWorld();

  await expect(world.found('* * *')).rejects.toMatchObject({ code: 'memory.bad-query' });
});

test('whoever goes away is let go', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a violin');
  const [gone, going] = [new AbortController(), new AbortController()];
  const reason = new Error('enough');
  gone.abort(reason);

  const search = (signal: AbortSignal) =>
    world.index.search(indexQuery({ query: 'violin' }), signal);
  const left = search(going.signal);
  going.abort(reason);

  await expect(search(gone.signal)).rejects.toBe(reason);
  await expect(left).rejects.toBe(reason);
  expect(await world.found('violin')).toEqual([1]);
});

test('what is asked when it is closed is broken off, and nothing comes after it', async () => {
  await using world = memoryIndexWorld();
  const asked = world.found('violin');
  asked.catch(() => {});

  await world.index[Symbol.asyncDispose]();

  await expect(asked).rejects.toMatchObject({ code: 'disk.failed' });
  await expect(world.index.position()).rejects.toMatchObject({ code: 'disk.failed' });
});

test.each([
  [
    'is no database',
    (file: string) => writeFileSync(file, 'this is no database at all'.repeat(99)),
  ],
  ['is cut in the middle', (file: string) => truncateSync(file, 9000)],
  ['is of another version', (file: string) => writeVersion(file, 99)],
  ['has lost a table', (file: string) => dropTable(file)],
])('a file that %s is dropped when it is opened, and filled anew', async (_what, damage) => {
  await using world = memoryIndexWorld();
  await world.remember(...Array.from({ length: 200 }, (_, index) => `violin number${index}`));
  await world.index[Symbol.asyncDispose]();
  damage(world.file);

  await using again = openMemoryIndex({ file: world.file, clock: realClock });

  expect(await again.position()).toBeUndefined();
  const memory = memoryOf(1, { text: 'a violin' });
  await again.apply([{ id: 1, memory }], { seq: 1, event: 0, eventHash: '' });
  expect((await again.search(indexQuery({ query: 'violin' }), never)).hits).toHaveLength(1);
});

test('where its file is taken away nobody is told that there is nothing', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a violin');
  for (const end of ['', '-wal', '-shm']) rmSync(`${world.file}${end}`);

  await expect(world.found('violin')).rejects.toMatchObject({ code: 'disk.failed' });
  await expect(world.remember('a boat')).rejects.toMatchObject({ code: 'disk.failed' });

  expect(await world.index.position()).toBeUndefined();
  expect(await world.found('violin')).toEqual([]);
});

test('where its file is damaged while it is used it is dropped, and whoever asks is told so', async () => {
  await using world = memoryIndexWorld();
  await world.remember(...Array.from({ length: 2000 }, (_, index) => `violin number${index}`));
  // By another hand, under an open file.
  dropTable(world.file);

  await expect(world.found('violin')).rejects.toMatchObject({ code: 'disk.failed' });

  expect(await world.index.position()).toBeUndefined();
  expect(await world.index.counts()).toMatchObject({ memories: 0 });
});

test('cleared, it knows nothing and has nothing in its files', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a violin called stradivarius');

  await world.index.clear();

  expect(await world.index.position()).toBeUndefined();
  expect(await world.found('violin')).toEqual([]);
  expect(world.raw().includes('stradivarius')).toBe(false);
});

test('a text of a megabyte is found by its last word', async () => {
  await using world = memoryIndexWorld();
  const long = `${Array.from({ length: 120_000 }, (_, index) => `w${index}`).join(' ')} stradivarius`;
  const [, id] = await world.remember('something short', long.slice(-1024 * 1024), 'and more');

  expect(await world.found('stradivarius')).toEqual([id]);
  expect(await world.found('w119999')).toEqual([id]);
});

test('a thread of ten thousand is written, changed in its middle, and found in', async () => {
  await using world = memoryIndexWorld();
  const texts = Array.from({ length: 10_000 }, (_, index) => `number${index} of a talk`);
  const ids = await world.remember(...texts.map((text) => ({ text, thread: 'talk' })));

  await world.remove(...ids.slice(5000, 5100));

  expect((await world.found('number5050')).length).toBe(0);
  const around = await world.found({ query: 'number4999', limit: 3 });
  expect(around).toEqual([5000, 5101, 4999]);
});

function writeVersion(file: string, version: number): void {
  alter(file, `pragma user_version = ${version}`);
}

function dropTable(file: string): void {
  alter(file, 'drop table words');
}

function alter(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}
