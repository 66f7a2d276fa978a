import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../../../tests/support/keep-compiled.ts';
import { type SearchWorld, searchWorld } from '../../../../tests/support/search-world.ts';
import { sharedSearch } from '../../../../tests/support/shared-threads.ts';
import { isFull } from '../../../../tests/support/tier.ts';
import { bytesOf } from '../../disk/owners.ts';

keepCompiled();
const newWorld = sharedSearch({ byIndex: true });

const byIndex = async (world: SearchWorld, wanted: Parameters<SearchWorld['search']>[0]) => {
  const { hits, by } = await world.search({ filters: { kind: 'file' }, ...wanted });
  expect(by).toBe('index');
  return hits.map(({ file }) => file.path.slice(world.base.path.length + 1));
};

function fill(world: SearchWorld): void {
  world.write('Documents/Invoices/invoice-ahmed.txt', 'Invoice 7\nFrom: Ahmed\n');
  world.write('Documents/Invoices/invoice-bob.pdf', '%PDF');
  world.write('notes.md', 'an invoice came\n');
  world.write('other.md', 'nothing\n');
}

test('an index answers as the walk does', async () => {
  await using world = newWorld();
  fill(world);
  for (const query of ['the invoice from Ahmed', 'invoices', 'notes', 'nothing', 'inv', 'zzz']) {
    for (const where of ['name', 'content', 'both'] as const) {
      await world.searching.dropIndex(world.base.path);
      const walked = await world.search({ query, where });
      await world.index();
      const indexed = await world.search({ query, where });

      const known = { ...walked, by: 'index', mayMissEdits: false };
      expect(indexed, `${query} in ${where}`).toEqual(known);
    }
  }
});

test('index() tells what it holds, and so does indexes()', async () => {
  await using world = newWorld();
  fill(world);

  const state = await world.index();

  expect(state).toMatchObject({ path: world.base.path, files: 4, folders: 3, bytes: 50 });
  expect(await world.searching.indexes()).toEqual([state]);
});

test('made anew it holds everything once', async () => {
  await using world = newWorld();
  fill(world);

  await world.index();
  const again = await world.index();

  expect(again.files).toBe(4);
  expect(await byIndex(world, { query: 'bob' })).toEqual(['Documents/Invoices/invoice-bob.pdf']);
});

test('dropIndex() says whether there was one, and then the walk answers', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();

  expect(await world.searching.dropIndex('/somewhere')).toBe(false);
  expect(await world.searching.dropIndex(world.base.path)).toBe(true);
  expect(await world.searching.dropIndex(world.base.path)).toBe(false);
  expect((await world.search({ query: 'bob' })).by).toBe('walk');
});

test('the file of the index is for its owner alone', async () => {
  await using world = searchWorld();
  fill(world);

  await world.index();

  expect(statSync(world.outside('index', 'search.db')).mode & 0o777).toBe(0o600);
  expect(statSync(world.outside('index')).mode & 0o777).toBe(0o700);
});

describe('what changed since is found:', () => {
  test('new, removed and renamed files and folders', async () => {
    await using world = newWorld();
    fill(world);
    world.write('gone/ahmed-gone.txt', 'x');
    await world.index();
    world.write('new/deep/ahmed-new.txt', 'x');
    rmSync(world.at('gone'), { recursive: true });
    renameSync(world.at('Documents/Invoices'), world.at('Documents/Bills'));
    renameSync(world.at('notes.md'), world.at('ahmed-notes.md'));

    expect([...(await byIndex(world, { query: 'ahmed', where: 'name' }))].sort()).toEqual([
      'Documents/Bills/invoice-ahmed.txt',
      'ahmed-notes.md',
      'new/deep/ahmed-new.txt',
    ]);
    expect((await world.searching.indexes())[0]).toMatchObject({ files: 5, folders: 5 });
  });

  test('a file that another took the place of', async () => {
    await using world = newWorld();
    fill(world);
    await world.index();
    world.write('pending', 'a letter of Beate\n');
    renameSync(world.at('pending'), world.at('other.md'));

    expect(await byIndex(world, { query: 'Beate' })).toEqual(['other.md']);
  });

  test.each([
    ['by its size', 'a letter of Beate\n'],
    ['by its time', 'an Beatee came \n'],
  ])('a text that was edited in place, %s', async (_how, text) => {
    await using world = newWorld();
    fill(world);
    await world.index();
    writeFileSync(world.at('notes.md'), text);
    utimesSync(world.at('notes.md'), 2000, 2000);

    expect(await byIndex(world, { query: 'Beate', where: 'content' })).toEqual(['notes.md']);
    expect(await byIndex(world, { query: 'invoice', where: 'content' })).toEqual([
      'Documents/Invoices/invoice-ahmed.txt',
    ]);
  });
});

test('a row whose file is gone, in a folder that says it did not change, is not returned', async () => {
  await using world = newWorld();
  fill(world);
  utimesSync(world.base.path, 1000, 1000);
  await world.index();
  rmSync(world.at('notes.md'));
  utimesSync(world.base.path, 1000, 1000);

  const { hits, total, by } = await world.search({ query: 'notes', where: 'name' });

  expect([hits, total, by]).toEqual([[], 0, 'index']);
});

test('a folder that was swapped for a symlink shows nothing of where it leads', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();
  mkdirSync(world.outside('secret', 'Invoices'), { recursive: true });
  writeFileSync(world.outside('secret', 'Invoices', 'invoice-ahmed.txt'), 'Ahmed\n');
  renameSync(world.at('Documents'), world.outside('away'));
  symlinkSync(world.outside('secret'), world.at('Documents'));

  expect(await byIndex(world, { query: 'Ahmed' })).toEqual([]);
});

test('secrets are in no index, neither by name nor by text', async () => {
  await using world = searchWorld();
  for (const name of ['.env', '.ssh/canary.txt', 'id_rsa-canary', 'certs/canary.pem', 'app.txt']) {
    world.write(name, 'hunter-canary\n');
  }
  await world.index();

  expect(await byIndex(world, { query: 'canary' })).toEqual(['app.txt']);
  // Who asks for hidden names gets them too, by a walk.
  const hidden = await world.search({ query: 'canary', hidden: true });
  expect([hidden.by, hidden.total]).toEqual(['walk', 5]);
  for (const name of readdirSync(world.outside('index'))) {
    const bytes = readFileSync(world.outside('index', name)).toString('latin1');
    expect(bytes).not.toContain('id_rsa');
    expect(bytes).not.toContain('.ssh');
  }
});

test('a folder of secrets is not indexed', async () => {
  await using world = newWorld();
  mkdirSync(world.at('.ssh'));
  const base = { held: world.at('.ssh'), path: world.at('.ssh') };
  const { reach } = world.request({});
  const { signal } = new AbortController();

  const attempt = world.searching.index({ base, reach, passOver: [] }, signal);

  await expect(attempt).rejects.toMatchObject({ code: 'files.secret' });
});

test('only what is in reach comes out of an index', async () => {
  await using world = newWorld();
  for (const name of ['in/ahmed.txt', 'out/ahmed.txt']) world.write(name, 'Ahmed\n');
  await world.index();
  const segments = world
    .at('in')
    .split('/')
    .slice(1)
    .map((name) => ({ name }));
  const chains = [[{ kind: 'path', segments, subtree: true } as const]];
  const reach = { kind: 'granted', aosHome: world.outside('aos'), chains } as const;

  const found = await world.search({ query: 'Ahmed', reach, filters: { kind: 'file' } });

  expect(found).toMatchObject({ by: 'index', total: 1 });
  expect(found.hits.map(({ file }) => file.path)).toEqual([world.at('in/ahmed.txt')]);
});

test('a folder below the one that is indexed is answered by the index too', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();
  const base = { held: world.at('Documents'), path: world.at('Documents') };

  const found = await world.search({ query: 'invoice', base, filters: { kind: 'file' } });

  expect(found).toMatchObject({ by: 'index', total: 2 });
});

test('names that are no UTF-8 are found, and lead to the very file', async () => {
  await using world = newWorld();
  const name = 'ahmed \udce9\n.txt';
  mkdirSync(bytesOf(world.at('d\udcff')));
  writeFileSync(bytesOf(world.at(`d\udcff/${name}`)), 'x');
  await world.index();

  expect(await byIndex(world, { query: 'ahmed' })).toEqual([`d\udcff/${name}`]);
});

test('a word with a letter wrong is found where nothing has it as it is', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();

  expect(await byIndex(world, { query: 'inovice', where: 'name' })).toHaveLength(2);
});

test('a query language has no meaning', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();

  for (const query of [
    '" OR * ahmed',
    'name:ahmed',
    'NEAR(ahmed bob)',
    "ahmed'; drop table file",
  ]) {
    expect((await byIndex(world, { query }))[0]).toMatch(/ahmed|bob/);
  }
});

test.each([
  ['overwritten', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
  ['cut', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 4096))],
  ['of another version', (path: string) => appendAt(path, 60, Buffer.of(0, 0, 0, 9))],
])('a file that is %s is dropped, and made anew when it is wanted', async (_what, damage) => {
  await using world = searchWorld({ idleMs: 1 });
  fill(world);
  await world.index();
  damage(world.outside('index', 'search.db'));

  const found = await world.search({ query: 'Ahmed' });
  await world.index();

  expect(found.hits[0]?.file.path).toBe(world.at('Documents/Invoices/invoice-ahmed.txt'));
  expect((await world.search({ query: 'Ahmed' })).by).toBe('index');
});

function appendAt(path: string, place: number, bytes: Buffer): void {
  const whole = readFileSync(path);
  bytes.copy(whole, place);
  writeFileSync(path, whole);
  appendFileSync(path, '');
}

test('a build that is cancelled leaves the index as it was', async () => {
  await using world = searchWorld();
  fill(world);
  await world.index();
  world.write('more/new.txt', 'new');
  const cancel = new AbortController();
  const { base, reach } = world.request({});
  // While another writes to the index, the build waits: it is cancelled before its first folder.
  using another = new DatabaseSync(world.outside('index', 'search.db'));
  another.exec('begin immediate');

  const build = world.searching.index({ base, reach, passOver: [] }, cancel.signal);
  cancel.abort(new Error('no more'));
  another.exec('rollback');

  await expect(build).rejects.toThrow('no more');
  expect((await world.searching.indexes())[0]?.files).toBe(4);
});

test('while one is built a walk answers', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();

  const build = world.index();
  const meanwhile = await world.search({ query: 'bob' });

  expect([meanwhile.by, meanwhile.total]).toEqual(['walk', 1]);
  expect((await build).files).toBe(4);
});

test('what lies elsewhere, however much, takes no place of what is asked for', async () => {
  await using world = newWorld();
  world.write('in/ahmed.txt', 'Ahmed\n');
  // More than are looked at in one go.
  const elsewhere = isFull ? 50_100 : 5100;
  // Names of one file: a new file takes many times as long.
  world.write('out/ahmed.txt', '');
  for (let index = 1; index < elsewhere; index++) {
    linkSync(world.at('out/ahmed.txt'), world.at(`out/ahmed ${index}.txt`));
  }
  await world.index();
  const base = { held: world.at('in'), path: world.at('in') };

  const inFolder = await world.search({ query: 'Ahmed', base, where: 'name' });
  const byName = await world.search({
    query: 'Ahmed',
    filters: { kind: 'file', glob: ['in', '*'] },
  });
  const all = await world.search({ query: 'Ahmed', where: 'name' });

  expect(inFolder).toMatchObject({ by: 'index', total: 1, truncated: false });
  expect(byName).toMatchObject({ by: 'index', total: 1, truncated: false });
  expect(all).toMatchObject({ by: 'index', total: 5000, truncated: true });
  const text = await world.search({ query: 'Ahmed', where: 'content' });
  expect([inFolder.mayMissEdits, all.mayMissEdits, text.mayMissEdits]).toEqual([
    false,
    false,
    isFull,
  ]);
});

test('very many texts are not compared with the disk each time, and the answer says so', async () => {
  await using world = searchWorld();
  fill(world);
  // A folder that changed a moment ago would be read again, without what is put into the index.
  for (const name of ['', 'Documents', 'Documents/Invoices'])
    utimesSync(world.at(name), 1000, 1000);
  await world.index();
  const few = await world.search({ query: 'Ahmed', where: 'content' });
  using another = new DatabaseSync(world.outside('index', 'search.db'));
  another.exec(`
    insert into file (dir, name, size, mtime)
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 50100)
    select (select max(id) from dir), 'text ' || n || '.txt', 0, 0 from number`);

  const many = await world.search({ query: 'Ahmed', where: 'content' });

  expect([few.mayMissEdits, many.mayMissEdits]).toEqual([false, true]);
  expect([many.by, many.total]).toEqual(['index', 1]);
});

test('ten questions at once are answered, while files come and go', async () => {
  await using world = newWorld();
  fill(world);
  await world.index();

  const found = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      world.write(`n${index}/beate.txt`, 'x');
      return byIndex(world, { query: index % 2 === 0 ? 'Ahmed' : 'bob' });
    }),
  );

  expect(found.map(([first]) => first?.includes('invoice'))).not.toContain(false);
});
