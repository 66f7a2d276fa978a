import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { openBulkDisk } from '../../src/engines/disk/bulk-disk.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import {
  type BulkDisk,
  bulkOver,
  type Moved,
  type TakenFile,
  type TakenOrFailed,
} from '../../src/kernel/disk/bulk-disk.ts';
import { toReport } from '../../src/kernel/errors.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import { SimulatedDisk } from '../sim/disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untilTrue } from '../support/until.ts';

/** A disk, the same for many files at once, and an empty folder on it. */
interface Place extends AsyncDisposable {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  at(...names: string[]): string;
  plantSymlink(path: string): void;
}

interface Form {
  readonly form: string;
  open(): Promise<Place>;
}

const realForms: readonly Form[] = [
  { form: 'real', open: openReal },
  { form: 'threaded', open: openThreaded },
];
const forms: readonly Form[] = [{ form: 'simulated', open: openSimulated }, ...realForms];

async function openSimulated(): Promise<Place> {
  const disk = new SimulatedDisk({ seed: 1 });
  return {
    ...{ disk, bulk: bulkOver(disk) },
    at: (...names) => `/${names.join('/')}`,
    plantSymlink: (path) => disk.plantSymlink(path),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function openReal(): Promise<Place> {
  return {
    ...temporaryFolder(),
    ...{ disk: realDisk, bulk: bulkOver(realDisk) },
    // To a file that is there and could be read, so that only the symlink is refused.
    plantSymlink: (path) => symlinkSync(process.execPath, path),
  };
}

async function openThreaded(): Promise<Place> {
  const place = await openReal();
  // Thrown, so that the run fails: without its thread it would be the real one again.
  const onTrouble = (failure: unknown) => {
    throw failure;
  };
  const bulk = openBulkDisk({ clock: realClock, onTrouble, manyFiles: 1 });
  // The first call starts the thread, which takes work a moment later.
  await bulk.takeFiles([place.at('nothing')], plenty);
  await untilTrue(() => bulk.isRunning);
  return {
    ...{ ...place, bulk },
    async [Symbol.asyncDispose]() {
      await bulk[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const plenty = { eachBytes: 1_000_000, allBytes: 10_000_000 };

async function write(disk: Disk, path: string, text: string): Promise<void> {
  await using writer = await disk.create(path);
  await writer.append(Buffer.from(text));
}

async function textAt(disk: Disk, path: string): Promise<string> {
  await using reader = await disk.read(path);
  return Buffer.from(await reader.readAt(0, 1000)).toString();
}

async function identityAt(disk: Disk, path: string): Promise<TakenFile['identity']> {
  await using reader = await disk.read(path);
  return reader.identity();
}

/** What each answer says in a word: the text that was taken, or the code of the failure. */
function words(answers: readonly TakenOrFailed[]): string[] {
  return answers.map((taken) =>
    taken.failure === undefined ? Buffer.from(taken.bytes).toString() : taken.failure.code,
  );
}

/** The same of files that were moved. */
function outcomes(answers: readonly Moved[]): string[] {
  return answers.map(({ failure }) => failure?.code ?? 'moved');
}

describe.each(forms)('the $form bulk disk: takeFiles()', ({ open }) => {
  test('gives whole files in the order of the paths, each as it stands', async () => {
    await using place = await open();
    for (const name of ['a', 'b', 'c']) await write(place.disk, place.at(name), `text of ${name}`);
    const paths = ['c', 'a', 'b'].map((name) => place.at(name));

    const taken = await place.bulk.takeFiles(paths, plenty);

    expect(words(taken)).toEqual(['text of c', 'text of a', 'text of b']);
    for (const [index, path] of paths.entries()) {
      const identity = await identityAt(place.disk, path);
      expect(taken[index]).toMatchObject({ identity, changed: false });
    }
  });

  test('gives every byte of a file as it is', async () => {
    await using place = await open();
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    await using writer = await place.disk.create(place.at('file'));
    await writer.append(bytes);

    const [taken] = await place.bulk.takeFiles([place.at('file')], plenty);

    if (taken?.failure !== undefined) throw taken.failure;
    expect(taken?.bytes).toBeInstanceOf(Uint8Array);
    expect(Buffer.compare(taken?.bytes ?? Buffer.of(), bytes)).toBe(0);
  });

  test('gives a file without bytes, and one with two names', async () => {
    await using place = await open();
    await write(place.disk, place.at('empty'), '');
    await write(place.disk, place.at('one'), 'text');
    await place.disk.link(place.at('one'), place.at('other'));

    const taken = await place.bulk.takeFiles([place.at('empty'), place.at('other')], plenty);

    expect(words(taken)).toEqual(['', 'text']);
    expect(taken[0]).toMatchObject({ identity: { sizeBytes: 0, links: 1 }, changed: false });
    expect(taken[1]).toMatchObject({ identity: { sizeBytes: 4, links: 2 }, changed: false });
  });

  test.each([
    { what: 'a missing file', name: 'missing', code: 'disk.missing' },
    { what: 'a folder', name: 'folder', code: 'disk.not-a-file' },
    { what: 'a symlink', name: 'symlink', code: 'disk.not-a-file' },
    { what: 'a name below a file', name: 'a/b', code: 'disk.not-a-folder' },
    { what: 'a name that no disk can have', name: 'n'.repeat(256), code: 'disk.bad-name' },
  ])('tells why $what is not taken, and takes the files beside it', async ({ name, code }) => {
    await using place = await open();
    await write(place.disk, place.at('a'), 'first');
    await write(place.disk, place.at('z'), 'last');
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));
    const paths = ['a', name, 'z'].map((each) => place.at(each));

    const taken = await place.bulk.takeFiles(paths, plenty);

    expect(words(taken)).toEqual(['first', code, 'last']);
    expect(taken[1]?.failure?.message).toContain(`"${place.at(name)}"`);
  });

  test('reads nothing of a file that is larger than each may be, and tells its identity', async () => {
    await using place = await open();
    for (const name of ['a', 'b', 'c']) await write(place.disk, place.at(name), '12345');
    await write(place.disk, place.at('larger'), '123456');
    const paths = ['a', 'larger', 'b', 'c'].map((name) => place.at(name));

    const taken = await place.bulk.takeFiles(paths, { eachBytes: 5, allBytes: 15 });

    expect(words(taken)).toEqual(['12345', '', '12345', '12345']);
    const identity = await identityAt(place.disk, place.at('larger'));
    expect(identity.sizeBytes).toBe(6);
    expect(taken[1]).toMatchObject({ identity, changed: false });
  });

  test('stops after the file with which it is as much as all may be', async () => {
    await using place = await open();
    for (const name of ['a', 'b', 'c', 'd']) await write(place.disk, place.at(name), '12345');
    const paths = ['a', 'missing', 'b', 'c', 'd'].map((name) => place.at(name));

    const exact = await place.bulk.takeFiles(paths, { eachBytes: 100, allBytes: 10 });
    const more = await place.bulk.takeFiles(paths, { eachBytes: 100, allBytes: 11 });

    expect(words(exact)).toEqual(['12345', 'disk.missing', '12345']);
    expect(words(more)).toEqual(['12345', 'disk.missing', '12345', '12345']);
  });

  test('gives one answer however little all may be', async () => {
    await using place = await open();
    for (const name of ['a', 'b']) await write(place.disk, place.at(name), '12345');
    const paths = ['a', 'b'].map((name) => place.at(name));

    const one = await place.bulk.takeFiles(paths, { eachBytes: 100, allBytes: 1 });
    const none = await place.bulk.takeFiles(paths, { eachBytes: 100, allBytes: 0 });

    expect(words(one)).toEqual(['12345']);
    expect(words(none)).toEqual(['12345']);
  });
});

describe('a file that was read is told to have changed', () => {
  test.each([
    { how: 'was written to', meddle: (path: string) => appendFileSync(path, ' and more') },
    { how: 'was replaced', meddle: (path: string) => renameSync(`${path}.new`, path) },
    { how: 'was removed', meddle: (path: string) => rmSync(path) },
    { how: 'got a second name', meddle: (path: string) => linkSync(path, `${path}.too`) },
  ])('when it $how meanwhile', async ({ meddle }) => {
    await using place = await openReal();
    await write(place.disk, place.at('a'), 'text');
    await write(place.disk, place.at('a.new'), 'next');
    const identity = await identityAt(place.disk, place.at('a'));
    const bulk = bulkOver(meddledWith(meddle));

    const taken = await bulk.takeFiles([place.at('a')], plenty);

    expect(words(taken)).toEqual(['text']);
    expect(taken[0]).toMatchObject({ identity, changed: true });
  });
});

/** The real disk, on which somebody is at each file as soon as it was read. */
function meddledWith(meddle: (path: string) => void): Disk {
  return {
    ...realDisk,
    async read(path) {
      const reader = await realDisk.read(path);
      return {
        ...reader,
        async readAt(offset, length) {
          const bytes = await reader.readAt(offset, length);
          meddle(path);
          return bytes;
        },
      };
    },
  };
}

describe.each(forms)('the $form bulk disk: writeFiles()', ({ open }) => {
  test('makes files of mode 600 with their text', async () => {
    await using place = await open();

    await place.bulk.writeFiles([
      { path: place.at('a'), text: 'one' },
      { path: place.at('b'), text: 'zwölf 🜁' },
      { path: place.at('c'), text: '' },
    ]);

    expect(await place.disk.list(place.at())).toEqual(['a', 'b', 'c']);
    for (const [name, text] of Object.entries({ a: 'one', b: 'zwölf 🜁', c: '' })) {
      const entry = await place.disk.stat(place.at(name));
      expect(entry).toMatchObject({ kind: 'file', mode: 0o600 });
      expect(await textAt(place.disk, place.at(name))).toBe(text);
    }
  });

  test.each([
    { which: 'first', names: ['taken', 'b', 'c'] },
    { which: 'second', names: ['a', 'taken', 'c'] },
    { which: 'last', names: ['a', 'b', 'taken'] },
  ])('makes none when the $which name is taken, and leaves what stood there', async ({ names }) => {
    await using place = await open();
    await write(place.disk, place.at('taken'), 'stays');
    const before = await place.disk.stat(place.at('taken'));

    const attempt = place.bulk.writeFiles(
      names.map((name) => ({ path: place.at(name), text: 'new' })),
    );

    const message = expect.stringContaining(`"${place.at('taken')}"`);
    await expect(attempt).rejects.toMatchObject({ code: 'disk.exists', message });
    expect(await place.disk.list(place.at())).toEqual(['taken']);
    expect(await textAt(place.disk, place.at('taken'))).toBe('stays');
    expect(await place.disk.stat(place.at('taken'))).toEqual(before);
  });

  test('makes none when a folder or a symlink stands under one of the names', async () => {
    await using place = await open();
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));

    for (const name of ['folder', 'symlink']) {
      const attempt = place.bulk.writeFiles(
        ['a', name].map((each) => ({ path: place.at(each), text: 'new' })),
      );
      await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
    }

    expect(await place.disk.list(place.at())).toEqual(['folder', 'symlink']);
    expect(await place.disk.stat(place.at('symlink'))).toMatchObject({ kind: 'symlink' });
  });

  test('makes none when a folder is missing, or a name is given twice', async () => {
    await using place = await open();
    const files = (...names: string[]) => names.map((name) => ({ path: place.at(name), text: '' }));

    const missing = place.bulk.writeFiles(files('a', 'missing/b', 'c'));
    await expect(missing).rejects.toMatchObject({ code: 'disk.missing' });
    const twice = place.bulk.writeFiles(files('a', 'b', 'a'));
    await expect(twice).rejects.toMatchObject({ code: 'disk.exists' });

    expect(await place.disk.list(place.at())).toEqual([]);
  });
});

test('the simulated bulk disk: writeFiles() makes none when the disk fills up on the way', async () => {
  const disk = new SimulatedDisk({ seed: 1, capacityBytes: 12 });
  const files = ['/a', '/b', '/c', '/d'].map((path) => ({ path, text: '12345' }));

  const attempt = bulkOver(disk).writeFiles(files);

  await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
  expect(await disk.list('/')).toEqual([]);
});

describe.each(forms)('the $form bulk disk: moveFiles()', ({ open }) => {
  test('moves files between folders and answers in the order of the moves', async () => {
    await using place = await open();
    for (const name of ['from', 'to']) await place.disk.makeFolder(place.at(name));
    const names = ['c', 'a', 'b'];
    for (const name of names) await write(place.disk, place.at('from', name), `text of ${name}`);

    const moved = await place.bulk.moveFiles(
      names.map((name) => ({ from: place.at('from', name), to: place.at('to', `new ${name}`) })),
    );

    expect(outcomes(moved)).toEqual(['moved', 'moved', 'moved']);
    expect(await place.disk.list(place.at('from'))).toEqual([]);
    expect(await place.disk.list(place.at('to'))).toEqual(['new a', 'new b', 'new c']);
    expect(await textAt(place.disk, place.at('to', 'new a'))).toBe('text of a');
  });

  test('moves the others when some cannot be moved', async () => {
    await using place = await open();
    for (const name of ['a', 'b', 'c', 'd', 'file']) await write(place.disk, place.at(name), name);
    const moves = [
      { from: 'a', to: 'new a' },
      { from: 'missing', to: 'new missing' },
      { from: 'b', to: 'new b' },
      { from: 'c', to: 'file/below' },
      { from: 'd', to: 'new d' },
    ].map(({ from, to }) => ({ from: place.at(from), to: place.at(to) }));

    const moved = await place.bulk.moveFiles(moves);

    expect(outcomes(moved)).toEqual([
      'moved',
      'disk.missing',
      'moved',
      'disk.not-a-folder',
      'moved',
    ]);
    expect(moved[1]?.failure?.message).toContain(`"${place.at('missing')}"`);
    expect(moved[3]?.failure?.message).toContain(`"${place.at('file/below')}"`);
    expect(await place.disk.list(place.at())).toEqual(['c', 'file', 'new a', 'new b', 'new d']);
  });

  test('does not move what a later move brought to a name that was missing', async () => {
    await using place = await open();
    await write(place.disk, place.at('a'), 'text');

    const moved = await place.bulk.moveFiles([
      { from: place.at('missing'), to: place.at('elsewhere') },
      { from: place.at('a'), to: place.at('missing') },
    ]);

    expect(outcomes(moved)).toEqual(['disk.missing', 'moved']);
    expect(await place.disk.list(place.at())).toEqual(['missing']);
  });

  test('in turn, moves none behind one that cannot be, whose failure is the last answer', async () => {
    await using place = await open();
    for (const name of ['a', 'b', 'c']) await write(place.disk, place.at(name), name);
    const moves = ['a', 'missing', 'b', 'missing too', 'c'].map((name) => ({
      from: place.at(name),
      to: place.at(`new ${name}`),
    }));

    const moved = await place.bulk.moveFiles(moves, { inTurn: true });

    expect(outcomes(moved)).toEqual(['moved', 'disk.missing']);
    expect(moved[1]?.failure?.message).toContain(`"${place.at('missing')}"`);
    expect(await place.disk.list(place.at())).toEqual(['b', 'c', 'new a']);
  });

  test('in turn, moves all of them when nothing is in the way', async () => {
    await using place = await open();
    await write(place.disk, place.at('a'), 'text');
    const moves = ['a', 'b', 'c'].map((name, index) => ({
      from: place.at(name),
      to: place.at(String.fromCharCode('b'.charCodeAt(0) + index)),
    }));

    const moved = await place.bulk.moveFiles(moves, { inTurn: true });

    expect(outcomes(moved)).toEqual(['moved', 'moved', 'moved']);
    expect(await place.disk.list(place.at())).toEqual(['d']);
  });

  test('tells what stands under the new names when it is asked to look', async () => {
    await using place = await open();
    await write(place.disk, place.at('file'), '12345');
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));
    const before = await Promise.all(
      ['file', 'folder', 'symlink'].map((name) => place.disk.stat(place.at(name))),
    );
    const moves = ['file', 'folder', 'missing', 'symlink'].map((name) => ({
      from: place.at(name),
      to: place.at(`new ${name}`),
    }));

    const moved = await place.bulk.moveFiles(moves, { look: true });

    expect(outcomes(moved)).toEqual(['moved', 'moved', 'disk.missing', 'moved']);
    const entries = moved.flatMap((each) => (each.failure === undefined ? [each.entry] : []));
    expect(entries).toMatchObject([
      { kind: 'file', sizeBytes: 5, mode: 0o600 },
      { kind: 'folder' },
      { kind: 'symlink' },
    ]);
    expect(entries.map((entry) => entry?.inode)).toEqual(before.map((entry) => entry?.inode));
  });

  test.each([{ options: undefined }, { options: {} }, { options: { inTurn: true } }])(
    'tells no entry with the options $options',
    async ({ options }) => {
      await using place = await open();
      await write(place.disk, place.at('a'), 'text');

      const [moved] = await place.bulk.moveFiles(
        [{ from: place.at('a'), to: place.at('b') }],
        options,
      );

      expect(moved).toEqual({});
    },
  );

  test('leaves a file that was taken before the one that it was', async () => {
    await using place = await open();
    const names = ['a', 'b', 'c'];
    await place.bulk.writeFiles(
      names.map((name) => ({ path: place.at(name), text: `text of ${name}` })),
    );
    const taken = await place.bulk.takeFiles(
      names.map((name) => place.at(name)),
      plenty,
    );

    const moved = await place.bulk.moveFiles(
      names.map((name) => ({ from: place.at(name), to: place.at(`new ${name}`) })),
      { look: true, inTurn: true },
    );

    for (const [index, each] of taken.entries()) {
      if (each.failure !== undefined) throw each.failure;
      const { inode, modifiedNs, sizeBytes } = each.identity;
      expect(moved[index]).toMatchObject({ entry: { inode, modifiedNs, sizeBytes } });
    }
  });
});

describe.each(forms)('the $form bulk disk', ({ open }) => {
  test('has nothing to do without files', async () => {
    await using place = await open();

    await place.bulk.writeFiles([]);

    expect(await place.bulk.takeFiles([], plenty)).toEqual([]);
    expect(await place.bulk.moveFiles([])).toEqual([]);
    expect(await place.bulk.moveFiles([], { inTurn: true, look: true })).toEqual([]);
    expect(await place.disk.list(place.at())).toEqual([]);
  });

  test('fails in the words of the disk itself', async () => {
    await using place = await open();
    const { disk, bulk, at } = place;
    await write(disk, at('file'), 'text');
    await disk.makeFolder(at('folder'));
    const own = await Promise.allSettled([
      disk.read(at('folder')),
      disk.rename(at('missing'), at('x')),
      disk.create(at('file')),
    ]);

    const [taken] = await bulk.takeFiles([at('folder')], plenty);
    const [moved] = await bulk.moveFiles([{ from: at('missing'), to: at('x') }]);
    const written = await bulk.writeFiles([{ path: at('file'), text: '' }]).catch(toReport);

    const reports = own.map((each) => each.status === 'rejected' && toReport(each.reason));
    expect([toReport(taken?.failure), toReport(moved?.failure), written]).toEqual(reports);
  });

  test('keeps names with blanks, newlines, quotes and letters of all scripts as they are', async () => {
    await using place = await open();
    const names = [' a b ', 'two\nlines', '-rf', '"\'$(x)`\\', 'Grüße', '名前', '🜁', 'e\u0301'];
    await place.disk.makeFolder(place.at('there'));

    await place.bulk.writeFiles(names.map((name) => ({ path: place.at(name), text: name })));
    const moved = await place.bulk.moveFiles(
      names.map((name) => ({ from: place.at(name), to: place.at('there', name) })),
    );
    const taken = await place.bulk.takeFiles(
      names.map((name) => place.at('there', name)),
      plenty,
    );

    expect(outcomes(moved)).toEqual(names.map(() => 'moved'));
    expect(words(taken)).toEqual(names);
    expect(await place.disk.list(place.at('there'))).toEqual(names.toSorted());
  });

  test('works below a held folder and names it in failures as a person knows it', async () => {
    await using place = await open();
    await place.disk.makeFolder(place.at('folder'));
    await using held = await place.disk.holdFolder(place.at('folder'));
    const below = (name: string) => `${held.path}/${name}`;
    const named = (name: string) => expect.stringContaining(`"${place.at('folder', name)}"`);

    await place.bulk.writeFiles(['a', 'c'].map((name) => ({ path: below(name), text: 'text' })));
    const written = place.bulk.writeFiles([
      { path: below('b'), text: '' },
      { path: below('a'), text: '' },
    ]);
    await expect(written).rejects.toMatchObject({ code: 'disk.exists', message: named('a') });
    const taken = await place.bulk.takeFiles([below('a'), below('missing')], plenty);
    const moved = await place.bulk.moveFiles([
      { from: below('missing'), to: below('x') },
      { from: below('c'), to: below('nowhere/x') },
      { from: below('a'), to: below('moved') },
    ]);

    expect(words(taken)).toEqual(['text', 'disk.missing']);
    expect(taken[1]).toMatchObject({ failure: { message: named('missing') } });
    expect(outcomes(moved)).toEqual(['disk.missing', 'disk.missing', 'moved']);
    expect(moved[0]).toMatchObject({ failure: { message: named('missing') } });
    expect(moved[1]).toMatchObject({ failure: { message: named('nowhere/x') } });
    expect(await place.disk.list(place.at('folder'))).toEqual(['c', 'moved']);
  });
});

describe.each(realForms)('the $form bulk disk', ({ open }) => {
  test('refuses a FIFO at once instead of waiting for a writer', async () => {
    await using place = await open();
    await write(place.disk, place.at('a'), 'first');
    await write(place.disk, place.at('z'), 'last');
    execFileSync('mkfifo', [place.at('fifo')]);
    const paths = ['a', 'fifo', 'z'].map((name) => place.at(name));

    const taken = await place.bulk.takeFiles(paths, plenty);

    expect(words(taken)).toEqual(['first', 'disk.not-a-file', 'last']);
  });
});
