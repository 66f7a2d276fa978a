import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { type LookingPlace, never } from '../../../tests/support/looking-place.ts';
import { sharedLooking } from '../../../tests/support/shared-threads.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import type { FileReach } from '../../kernel/files/look.ts';

keepCompiled();
const newPlace = sharedLooking();

function granted(...paths: string[]): FileReach {
  const chains = paths.map((path) => {
    const { target } = parseCapability(`file:${path}:read`);
    if (target.kind !== 'path') throw new Error(`${path} is no path`);
    return [target];
  });
  return { kind: 'granted', aosHome: '/nowhere/.aos', chains };
}

describe('list()', () => {
  test('finds everything in a tree, and of one folder only what is in it', async () => {
    await using place = newPlace();
    place.write('a.txt');
    place.write('one/b.txt');
    place.write('one/two/c.txt');

    expect(await place.names()).toEqual(['a.txt', 'one', 'one/b.txt', 'one/two', 'one/two/c.txt']);
    expect(await place.names({ recursive: false })).toEqual(['a.txt', 'one']);
    expect(await place.names({ kind: 'folder' })).toEqual(['one', 'one/two']);
  });

  test('tells of a file what the system says of it', async () => {
    await using place = newPlace();
    const path = place.write('a.txt', 'hello');
    utimesSync(path, 1_700_000_000, 1_700_000_000.5);
    chmodSync(path, 0o640);
    linkSync(path, place.folder.at('b.txt'));

    const { files, total, totalBytes, truncated } = await place.list({ name: 'a.txt' });

    expect({ total, totalBytes, truncated }).toEqual({ total: 1, totalBytes: 5, truncated: false });
    expect(files).toMatchObject([
      { path, kind: 'file', sizeBytes: 5, modifiedAt: 1_700_000_000_500, mode: 0o640, links: 2 },
    ]);
    expect(files[0]?.modifiedNs).toBe('1700000000500000000');
  });

  test.each([
    ['name', 'asc', ['B.txt', 'a.txt', 'c.txt']],
    ['name', 'desc', ['c.txt', 'B.txt', 'a.txt']],
    ['size', 'asc', ['a.txt', 'B.txt', 'c.txt']],
    ['size', 'desc', ['c.txt', 'B.txt', 'a.txt']],
    ['modified', 'asc', ['c.txt', 'a.txt', 'B.txt']],
    ['modified', 'desc', ['B.txt', 'a.txt', 'c.txt']],
  ] as const)('sorts by %s, %s', async (by, order, expected) => {
    await using place = newPlace();
    for (const [index, name] of ['a.txt', 'B.txt', 'c.txt'].entries()) {
      utimesSync(place.write(name, 'x'.repeat(index)), 0, 1000 + ((index + 1) % 3));
    }

    const { files } = await place.list({ sort: { by, order } });

    const names = files.map(({ path }) => path.slice(place.folder.path.length + 1));
    expect(names).toEqual(by === 'name' ? byLetters(order) : expected);
  });

  test('returns no more than the limit, and counts the rest', async () => {
    await using place = newPlace();
    for (let index = 0; index < 300; index++)
      place.write(`${index % 7}/${index}`, 'x'.repeat(index));

    const largest = await place.list({
      kind: 'file',
      sort: { by: 'size', order: 'desc' },
      limit: 3,
    });
    const named = await place.list({ kind: 'file', limit: 3 });
    const none = await place.list({ kind: 'file', limit: 0 });

    expect(largest.files.map(({ sizeBytes }) => sizeBytes)).toEqual([299, 298, 297]);
    expect(largest).toMatchObject({ total: 300, totalBytes: 44_850, truncated: true });
    expect(named).toMatchObject({ total: 300, totalBytes: undefined, truncated: true });
    expect(named.files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))).toEqual([
      '0',
      '1',
      '10',
    ]);
    expect(none).toMatchObject({ total: 300, files: [], truncated: true });
  });

  test('leaves out hidden names, unless they are asked for', async () => {
    await using place = newPlace();
    place.write('.hidden/a');
    place.write('.env');
    place.write('b');

    expect(await place.names({ hidden: false })).toEqual(['b']);
    expect(await place.names({ hidden: false, glob: ['.e*'] })).toEqual(['.env']);
    expect(await place.names({ hidden: false, name: '.env' })).toEqual(['.env']);
    expect(await place.names({ hidden: false, glob: ['.hidden', '*'] })).toEqual(['.hidden/a']);
    expect(await place.names()).toEqual(['.env', '.hidden', '.hidden/a', 'b']);
  });

  test('goes by a pattern of the path, and into no folder that cannot fit', async () => {
    await using place = newPlace();
    for (const path of ['a/x.pdf', 'a/b/y.PDF', 'c/z.pdf', 'w.pdf', 'a/n.txt']) place.write(path);

    const pattern = (...glob: string[]) => place.names({ glob, recursive: false });

    expect(await pattern('*.pdf')).toEqual(['w.pdf']);
    expect(await pattern('a', '*.pdf')).toEqual(['a/x.pdf']);
    expect(await pattern('**', '*.pdf')).toEqual(['a/b/y.PDF', 'a/x.pdf', 'c/z.pdf', 'w.pdf']);
    expect(await pattern('{a,c}', '*.pdf')).toEqual(['a/x.pdf', 'c/z.pdf']);
    expect(await place.names({ glob: ['a', '*.pdf'] })).toEqual(['a/b/y.PDF', 'a/x.pdf']);
  });

  test('passes over what is excluded, with all that is in it', async () => {
    await using place = newPlace();
    for (const path of ['node_modules/a', 'b/node_modules/c', 'd.tmp', 'e', 'f/g/h'])
      place.write(path);

    const exclude = ['node_modules', '*.tmp', 'f/g'];

    expect(await place.names({ exclude })).toEqual(['b', 'e', 'f']);
    expect(
      await place.names({ exclude: [place.folder.at('b'), 'f', 'd*', 'node_modules'] }),
    ).toEqual(['e']);
    expect(await place.names({ passOver: [place.folder.at('node_modules')], name: '?' })).toEqual([
      'b',
      'b/node_modules/c',
      'e',
      'f',
      'f/g',
      'f/g/h',
    ]);
  });

  test('goes by sizes and dates: after includes the moment, before does not', async () => {
    await using place = newPlace();
    for (const [name, size, second] of [
      ['a', 1, 10],
      ['b', 2, 20],
      ['c', 3, 30],
    ] as const) {
      utimesSync(place.write(name, 'x'.repeat(size)), 0, second);
    }
    mkdirSync(place.folder.at('folder'));

    expect(await place.names({ sizeGt: 1, sizeLt: 3 })).toEqual(['b']);
    expect(await place.names({ modifiedAfter: 20_000, modifiedBefore: 30_000 })).toEqual(['b']);
    expect(await place.names({ modifiedBefore: 20_000 })).toEqual(['a']);
    expect(await place.names({ createdBefore: 40_000 })).toEqual([]);
  });

  test('takes dates before 1970 and in the future as they are', async () => {
    await using place = newPlace();
    utimesSync(place.write('old'), new Date(-86_400_000), new Date(-86_400_000));
    utimesSync(place.write('new'), 0, 4_102_444_800);

    expect(await place.names({ modifiedBefore: 0 })).toEqual(['old']);
    expect(await place.names({ modifiedAfter: 4_102_444_800_000 })).toEqual(['new']);
  });
});

function byLetters(order: 'asc' | 'desc'): string[] {
  const names = ['a.txt', 'B.txt', 'c.txt'];
  return order === 'asc' ? names : names.reverse();
}

describe('a walk', () => {
  test('tells of symlinks and follows none, also not in a circle', async () => {
    await using place = newPlace();
    await using outside = newPlace();
    outside.write('secret');
    place.write('in/a');
    symlinkSync(outside.folder.path, place.folder.at('out'));
    symlinkSync('.', place.folder.at('loop'));
    symlinkSync('nowhere', place.folder.at('dangling'));

    const { files, total } = await place.list();

    expect(total).toBe(5);
    expect(files.filter(({ kind }) => kind === 'symlink')).toHaveLength(3);
    expect(files.some(({ path }) => path.includes('secret'))).toBe(false);
  });

  test('lists special files and opens none', async () => {
    await using place = newPlace();
    execFileSync('mkfifo', [place.folder.at('pipe')]);

    const { files } = await place.list();
    const typed = await place.list({ types: ['txt'] });
    const nature = await place.looking.nature(place.request().base, 'pipe', never);

    expect(files).toMatchObject([{ kind: 'other' }]);
    expect(typed.total).toBe(0);
    expect(nature).toMatchObject({ type: 'inode/other', typeWords: 'special file' });
  });

  test('keeps every name as it is, whatever is in it', async () => {
    await using place = newPlace();
    const names = [
      'a\nb',
      '\u001b[31m',
      '\u202etxt',
      '-rf',
      ' x ',
      'dot.',
      'Cafe\u0301',
      'Caf\u00e9 2',
    ];
    for (const name of names) place.write(name);
    const latin = Buffer.concat([Buffer.from(`${place.folder.path}/caf`), Buffer.of(0xe9)]);
    writeFileSync(latin, '12');

    const { files } = await place.list({ sizeGt: 1 });

    expect(await place.names()).toEqual([...names, 'caf\udce9'].sort());
    expect(files).toMatchObject([{ path: `${place.folder.path}/caf\udce9`, sizeBytes: 2 }]);
  });

  test('goes into folders whose names are no UTF-8', async () => {
    await using place = newPlace();
    const latin = Buffer.concat([Buffer.from(`${place.folder.path}/caf`), Buffer.of(0xe9)]);
    mkdirSync(latin);
    writeFileSync(Buffer.concat([latin, Buffer.from('/a')]), '');

    expect(await place.names()).toEqual(['caf\udce9', 'caf\udce9/a']);
    rmSync(latin, { recursive: true });
  });

  test('finds a name however its accents are stored', async () => {
    await using place = newPlace();
    place.write('Cafe\u0301.txt');

    expect(await place.names({ name: 'Caf\u00e9*' })).toEqual(['Cafe\u0301.txt']);
  });

  test('shows only what is in reach, and counts what is not without naming it', async () => {
    await using place = newPlace();
    for (const path of ['a/b/c', 'a/x', '.ssh/id_rsa', 'd/.env', 'd/e']) place.write(path);
    const { path } = place.folder;

    const all = await place.list({ reach: granted(`${path}/**`) });
    const some = await place.list({ reach: granted(`${path}/a/b/**`) });
    const none = await place.list({ reach: granted('/nowhere/**') });

    const names = all.files.map((file) => file.path.slice(path.length + 1)).sort();
    expect(names).toEqual(['a', 'a/b', 'a/b/c', 'a/x', 'd', 'd/e']);
    expect(all.deniedTotal).toBe(2);
    expect(some.files.map((file) => file.path.slice(path.length + 1)).sort()).toEqual([
      'a/b',
      'a/b/c',
    ]);
    expect(some.deniedTotal).toBe(3);
    expect(none).toMatchObject({ files: [], total: 0, deniedTotal: 3 });
  });

  test('says the same number of denied names whatever pattern is asked for', async () => {
    await using place = newPlace();
    place.write('.ssh/id_rsa');
    place.write('key.pem');
    const reach = granted(`${place.folder.path}/**`);

    const counts = ['*', 'key*', 'other*'].map(
      async (name) => (await place.list({ reach, name })).deniedTotal,
    );

    expect(await Promise.all(counts)).toEqual([2, 2, 2]);
  });

  test('of an owner who changes things passes over secrets that they did not name', async () => {
    await using place = newPlace();
    for (const path of ['.ssh/id_rsa', 'a/.env', 'aos/ledger', 'b']) place.write(path);
    const reach = { kind: 'all', aosHome: place.folder.at('aos'), passOverSecrets: true } as const;

    expect(await place.names({ reach })).toEqual(['a', 'b']);
    expect(await place.list({ reach })).toMatchObject({ deniedTotal: 3 });
  });
});

describe('types', () => {
  const png = Buffer.from(
    '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489',
    'hex',
  );

  async function typedPlace(): Promise<LookingPlace> {
    const place = newPlace();
    place.write('picture.txt', png);
    place.write('picture.png', png);
    place.write('letter.pdf', 'only text\n');
    place.write('real', '%PDF-1.7\n');
    place.write('empty.pdf', '');
    place.write('table.csv', 'a,b\n');
    place.write('data.bin', Buffer.of(0, 1, 2, 3));
    place.write('folder.png/x', '');
    return place;
  }

  test.each([
    [['image/*'], ['picture.png', 'picture.txt']],
    [['application/pdf'], ['real']],
    [['text/csv'], ['table.csv']],
    [['application/x-empty'], ['empty.pdf', 'folder.png/x']],
    [
      ['application/pdf', 'image/png'],
      ['picture.png', 'picture.txt', 'real'],
    ],
    [['text/plain'], ['letter.pdf']],
    [['document/*'], ['empty.pdf', 'real']],
  ])('%j are found by content', async (types, expected) => {
    await using place = await typedPlace();

    expect(await place.names({ types })).toEqual(expected);
    expect((await place.list({ types })).typesBy).toBe('content');
  });

  test.each([
    [['pdf'], ['empty.pdf', 'letter.pdf']],
    [['txt'], ['picture.txt']],
    [['csv'], ['table.csv']],
  ])('%j are endings of names', async (types, expected) => {
    await using place = await typedPlace();

    expect(await place.names({ types })).toEqual(expected);
    expect((await place.list({ types })).typesBy).toBe('name');
  });

  test.each([
    ['picture.txt', { type: 'image/png', typeWords: 'PNG image', isNameWrong: true }],
    ['picture.png', { type: 'image/png', typeWords: 'PNG image', isNameWrong: false }],
    ['letter.pdf', { type: 'text/plain', typeWords: 'text', isNameWrong: true }],
    ['empty.pdf', { type: 'application/x-empty', isNameWrong: false }],
    ['table.csv', { type: 'text/csv', typeWords: 'CSV table', isNameWrong: false }],
    ['data.bin', { type: 'application/octet-stream', isNameWrong: false }],
    ['folder.png', { type: 'inode/directory', isNameWrong: false }],
  ])('nature() of %s', async (name, expected) => {
    await using place = await typedPlace();

    const nature = await place.looking.nature(place.request().base, name, never);

    expect(nature).toMatchObject(expected);
  });

  test('nature() of a name that is not there is refused in words', async () => {
    await using place = newPlace();

    const nature = place.looking.nature(place.request().base, 'nothing', never);

    await expect(nature).rejects.toMatchObject({ code: 'disk.missing' });
  });
});

describe('usage()', () => {
  test('counts each file once, and sparse ones by both measures', async () => {
    await using place = newPlace();
    place.write('one/a.pdf', 'x'.repeat(1000));
    place.write('one/b.pdf', 'x'.repeat(500));
    place.write('two/.hidden.txt', 'x'.repeat(200));
    mkdirSync(place.folder.at('three'));
    linkSync(place.folder.at('one/a.pdf'), place.folder.at('two/same.pdf'));
    place.write('sparse.bin');
    truncateSync(place.folder.at('sparse.bin'), 10_000_000);

    const usage = await place.looking.usage(place.request({ hidden: false }), never);

    expect(usage).toMatchObject({ files: 4, folders: 3, apparentBytes: 10_001_700 });
    expect(usage.allocatedBytes).toBeLessThan(1_000_000);
    const sizes = Object.fromEntries(usage.folderSizes.map(({ path, bytes }) => [path, bytes]));
    const [one = 0, two = 0] = [place.folder.at('one'), place.folder.at('two')].map(
      (path) => sizes[path],
    );
    expect(one + two).toBe(1700);
    expect(usage.typeSizes).toContainEqual({ type: 'PDF document', files: 2, bytes: 1500 });
  });

  test('counts no more than the filters leave, and nothing that is not in reach', async () => {
    await using place = newPlace();
    place.write('a.mp4', 'x'.repeat(100));
    place.write('b.txt', 'x');
    place.write('.ssh/id_rsa', 'xxx');

    const named = await place.looking.usage(place.request({ name: '*.mp4' }), never);
    const reach = granted(`${place.folder.path}/**`);
    const reached = await place.looking.usage(place.request({ reach, kind: 'file' }), never);

    expect(named).toMatchObject({ files: 1, apparentBytes: 100 });
    expect(reached).toMatchObject({ files: 2, apparentBytes: 101, deniedTotal: 1 });
  });
});

describe('duplicates()', () => {
  test('finds files with the same bytes, most wasteful first', async () => {
    await using place = newPlace();
    const large = 'x'.repeat(100_000);
    for (const path of ['a/large', 'b/large', 'c']) place.write(path, large);
    for (const path of ['small 1', 'small 2']) place.write(path, 'same');
    place.write('other', `${large.slice(1)}y`);
    place.write('middle', `${'x'.repeat(50_000)}y${'x'.repeat(49_999)}`);

    const found = await place.looking.duplicates(place.request(), never);

    expect(found).toMatchObject({ totalGroups: 2, wastedBytes: 200_004, truncated: false });
    const names = found.groups.map(({ files }) =>
      files.map(({ path }) => path.slice(place.folder.path.length + 1)).sort(),
    );
    expect(names).toEqual([
      ['a/large', 'b/large', 'c'],
      ['small 1', 'small 2'],
    ]);
    expect(found.groups[1]?.sha256).toBe(
      '0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5',
    );
  });

  test('takes neither names of one file nor empty files for duplicates', async () => {
    await using place = newPlace();
    place.write('a', 'same');
    linkSync(place.folder.at('a'), place.folder.at('b'));
    place.write('empty 1');
    place.write('empty 2');

    const found = await place.looking.duplicates(place.request(), never);

    expect(found).toMatchObject({ groups: [], totalGroups: 0, wastedBytes: 0 });
  });

  test('returns no more groups than the limit, and counts the rest', async () => {
    await using place = newPlace();
    for (const text of ['a', 'bb', 'ccc'])
      for (const copy of [1, 2]) place.write(`${text} ${copy}`, text);

    const found = await place.looking.duplicates(place.request({ limit: 1 }), never);

    expect(found).toMatchObject({ totalGroups: 3, wastedBytes: 6, truncated: true });
    expect(found.groups).toMatchObject([{ sizeBytes: 3 }]);
  });
});

describe('a look', () => {
  test('with a pattern that is too complex is refused before anybody walks', async () => {
    await using place = newPlace();

    const attempt = place.list({ glob: ['{a,b}'.repeat(30)] });

    await expect(attempt).rejects.toMatchObject({ code: 'files.too-complex' });
  });

  test('that is aborted ends with the reason, before and while it runs', async () => {
    await using place = newPlace();
    for (let index = 0; index < 200; index++) place.write(`${index % 9}/${index}`, 'x');
    const reason = new Error('enough');
    const stop = new AbortController();

    const looks = [
      place.looking.list(place.request(), AbortSignal.abort(reason)),
      place.looking.list(place.request(), stop.signal),
      place.looking.usage(place.request(), stop.signal),
      place.looking.duplicates(place.request(), stop.signal),
      // More than there are threads.
      place.looking.list(place.request(), stop.signal),
    ];
    const ended = Promise.allSettled(looks);
    stop.abort(reason);

    expect(await ended).toEqual(looks.map(() => ({ status: 'rejected', reason })));
    expect((await place.list()).total).toBe(209);
  });

  test('is one of many at a time, each with its own answer', async () => {
    await using place = newPlace();
    for (let index = 0; index < 20; index++) place.write(`${index}/a`);

    const counts = Array.from({ length: 20 }, async (_, index) =>
      place.names({ glob: [`${index}`, '*'], recursive: false }),
    );

    expect(await Promise.all(counts)).toEqual(Array.from({ length: 20 }, (_, n) => [`${n}/a`]));
  });

  test('of a folder that is no longer there is refused in words', async () => {
    await using place = newPlace();
    const base = { held: place.folder.at('gone'), path: place.folder.at('gone') };

    await expect(place.list({ base })).rejects.toMatchObject({ code: 'disk.missing' });
  });
});
