import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import { SimulatedDisk, simulatedOwnerUid } from '../sim/disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A disk and an empty folder on it. */
interface Place extends AsyncDisposable {
  readonly disk: Disk;
  readonly ownerUid: number | undefined;
  at(...names: string[]): string;
  /** To something that is there and could be read, unless said otherwise. */
  plantSymlink(path: string, target?: string): void;
  plantMode(path: string, mode: number): void;
}

const forms: readonly { readonly form: string; open(): Place }[] = [
  { form: 'real', open: openReal },
  { form: 'simulated', open: openSimulated },
];

function openReal(): Place {
  const folder = temporaryFolder();
  return {
    ...folder,
    disk: realDisk,
    ownerUid: process.getuid?.(),
    plantSymlink: (path, target = process.execPath) => symlinkSync(target, path),
    plantMode: (path, mode) => chmodSync(path, mode),
  };
}

function openSimulated(): Place {
  const disk = new SimulatedDisk({ seed: 1 });
  return {
    disk,
    ownerUid: simulatedOwnerUid,
    at: (...names) => `/${names.join('/')}`,
    plantSymlink: (path, target) => disk.plantSymlink(path, target),
    plantMode: (path, mode) => disk.plantMode(path, mode),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function write(disk: Disk, path: string, text: string): Promise<void> {
  await using writer = await disk.create(path);
  await writer.append(Buffer.from(text));
  await writer.sync();
}

async function textAt(disk: Disk, path: string): Promise<string> {
  await using reader = await disk.read(path);
  return Buffer.from(await reader.readAt(0, 1000)).toString();
}

/** The umask belongs to the whole process, so it is put back at once. */
async function withUmask(mask: string, work: () => Promise<void>): Promise<void> {
  const before = process.umask(mask);
  try {
    await work();
  } finally {
    process.umask(before);
  }
}

describe.each(forms)('the $form disk: files', ({ open }) => {
  test('gives back what was appended, in order', async () => {
    await using place = open();
    await using writer = await place.disk.create(place.at('a'));

    await writer.append(Buffer.from('one '));
    await writer.append(Buffer.from(''));
    await writer.append(Buffer.from('two'));
    await writer.sync();

    expect(await textAt(place.disk, place.at('a'))).toBe('one two');
  });

  test('takes and gives megabytes at once', async () => {
    await using place = open();
    const bytes = Buffer.alloc(2 ** 21 + 7, 'abcdefg');
    {
      await using writer = await place.disk.create(place.at('big'));
      await writer.append(bytes);
    }

    await using reader = await place.disk.read(place.at('big'));

    expect(bytes.equals(await reader.readAt(0, bytes.length + 1))).toBe(true);
  });

  test('reads at an offset, and fewer bytes at the end', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), '0123456789');

    await using reader = await place.disk.read(place.at('a'));

    expect(await reader.sizeBytes()).toBe(10);
    expect(Buffer.from(await reader.readAt(3, 4)).toString()).toBe('3456');
    expect(Buffer.from(await reader.readAt(8, 4)).toString()).toBe('89');
    expect(await reader.readAt(10, 4)).toHaveLength(0);
    expect(await reader.readAt(99, 4)).toHaveLength(0);
  });

  test('reads into a buffer of the caller, and says how much of it is filled', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), '0123456789');
    await using reader = await place.disk.read(place.at('a'));
    const buffer = new Uint8Array(6);

    const found = await reader.readAt(6, 6, buffer);

    expect(Buffer.from(found).toString()).toBe('6789');
    expect(found.buffer).toBe(buffer.buffer);
  });

  test('goes on with a file, behind the bytes that are to be kept', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), '0123456789');

    {
      await using writer = await place.disk.create(place.at('a'), { keepBytes: 4 });
      await writer.append(Buffer.from('new'));
      await writer.sync();
    }

    await using reader = await place.disk.read(place.at('a'));
    expect(Buffer.from(await reader.readAt(0, 99)).toString()).toBe('0123new');
  });

  test('goes on with no file that is missing or shorter, and leaves it as it is', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), '0123');

    await expect(place.disk.create(place.at('b'), { keepBytes: 0 })).rejects.toMatchObject({
      code: 'disk.missing',
    });
    await expect(place.disk.create(place.at('a'), { keepBytes: 5 })).rejects.toThrow();

    await using reader = await place.disk.read(place.at('a'));
    expect(await reader.sizeBytes()).toBe(4);
    expect(await place.disk.stat(place.at('b'))).toBeUndefined();
  });

  test('shows a reader what is added after it opened the file', async () => {
    await using place = open();
    await using writer = await place.disk.create(place.at('a'));
    await using reader = await place.disk.read(place.at('a'));

    await writer.append(Buffer.from('late'));

    expect(await reader.sizeBytes()).toBe(4);
    expect(Buffer.from(await reader.readAt(0, 9)).toString()).toBe('late');
  });

  test('lets a reader finish a file that was replaced or removed meanwhile', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), 'old');
    await write(place.disk, place.at('b'), 'new');
    await using reader = await place.disk.read(place.at('a'));

    await place.disk.rename(place.at('b'), place.at('a'));
    await place.disk.remove(place.at('a'));

    expect(Buffer.from(await reader.readAt(0, 9)).toString()).toBe('old');
  });

  test('refuses to use a file that was closed; closing it twice is no harm', async () => {
    await using place = open();
    const writer = await place.disk.create(place.at('a'));
    const reader = await place.disk.read(place.at('a'));
    for (const file of [writer, reader, writer, reader]) await file[Symbol.asyncDispose]();

    const failed = { code: 'disk.failed' };
    await expect(writer.append(Buffer.from('x'))).rejects.toMatchObject(failed);
    await expect(writer.sync()).rejects.toMatchObject(failed);
    await expect(reader.readAt(0, 1)).rejects.toMatchObject(failed);
    await expect(reader.sizeBytes()).rejects.toMatchObject(failed);
    await expect(reader.identity()).rejects.toMatchObject(failed);
  });

  test('has one identity as long as nothing changes, and another after that', async () => {
    await using place = open();
    await using writer = await place.disk.create(place.at('a'));
    await writer.append(Buffer.from('one'));
    await using reader = await place.disk.read(place.at('a'));

    const first = await reader.identity();
    const second = await reader.identity();
    await writer.append(Buffer.from('two'));
    const third = await reader.identity();

    expect(first).toMatchObject({ sizeBytes: 3, links: 1, inode: expect.stringMatching(/^\d+$/) });
    expect(first.modifiedNs).toMatch(/^\d+$/);
    expect(Math.floor(Number(first.modifiedNs) / 1e6)).toBe(first.modifiedAt);
    expect(second).toEqual(first);
    expect(third).toMatchObject({ sizeBytes: 6, inode: first.inode });
    expect(third).not.toEqual(first);
  });

  test('counts the names of a file in its identity, and tells two files apart', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), 'text');
    await write(place.disk, place.at('other'), 'text');
    await place.disk.link(place.at('a'), place.at('b'));
    await using reader = await place.disk.read(place.at('a'));
    await using other = await place.disk.read(place.at('other'));

    expect(await reader.identity()).toMatchObject({ links: 2 });
    expect((await other.identity()).inode).not.toBe((await reader.identity()).inode);
    await place.disk.remove(place.at('a'));
    await place.disk.rename(place.at('other'), place.at('b'));

    expect(await reader.identity()).toMatchObject({ links: 0 });
  });

  test('reads no folder, no symlink and nothing that is missing', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));

    const read = (name: string) => place.disk.read(place.at(name));

    await expect(read('folder')).rejects.toMatchObject({ code: 'disk.not-a-file' });
    await expect(read('symlink')).rejects.toMatchObject({ code: 'disk.not-a-file' });
    await expect(read('missing')).rejects.toMatchObject({ code: 'disk.missing' });
  });

  test('creates no file under a name that a file, a folder or a symlink has', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), 'stays');
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));

    for (const name of ['file', 'folder', 'symlink']) {
      const attempt = place.disk.create(place.at(name));
      await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
    }
    expect(await textAt(place.disk, place.at('file'))).toBe('stays');
  });
});

describe.each(forms)('the $form disk: folders', ({ open }) => {
  test('lists the names in a folder, sorted as JavaScript sorts', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('f'));
    const sorted = ['10', '9', 'Z', 'a', 'b', 'é', '🜁', '\uffee'];
    for (const name of sorted.toReversed()) await write(place.disk, place.at('f', name), '');

    expect(await place.disk.list(place.at('f'))).toEqual(sorted);
  });

  test('lists and syncs only folders', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '');

    const { disk, at } = place;
    const notAFolder = { code: 'disk.not-a-folder' };
    const missing = { code: 'disk.missing' };
    await expect(disk.list(at('file'))).rejects.toMatchObject(notAFolder);
    await expect(disk.syncFolder(at('file'))).rejects.toMatchObject(notAFolder);
    await expect(disk.list(at('missing'))).rejects.toMatchObject(missing);
    await expect(disk.syncFolder(at('missing'))).rejects.toMatchObject(missing);
    await disk.syncFolder(at());
  });

  test('makes no folder under a taken name', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('folder'));
    await write(place.disk, place.at('file'), '');

    for (const name of ['folder', 'file']) {
      const attempt = place.disk.makeFolder(place.at(name));
      await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
    }
  });

  test('makes nothing below a folder that is missing, or below a file', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '');

    const { disk, at } = place;
    const attempts = (parent: string) => [
      () => disk.create(at(parent, 'x')),
      () => disk.makeFolder(at(parent, 'x')),
      () => disk.rename(at('file'), at(parent, 'x')),
      () => disk.link(at('file'), at(parent, 'x')),
    ];
    for (const attempt of attempts('missing')) {
      await expect(attempt()).rejects.toMatchObject({ code: 'disk.missing' });
    }
    for (const attempt of attempts('file')) {
      await expect(attempt()).rejects.toMatchObject({ code: 'disk.not-a-folder' });
    }
  });

  test('removes files, empty folders and symlinks themselves', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '');
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));

    for (const name of ['file', 'folder', 'symlink']) await place.disk.remove(place.at(name));

    expect(await place.disk.list(place.at())).toEqual([]);
  });

  test('removes no folder that has something in it, and nothing that is missing', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('folder'));
    await write(place.disk, place.at('folder', 'file'), '');

    const remove = (name: string) => place.disk.remove(place.at(name));

    await expect(remove('folder')).rejects.toMatchObject({ code: 'disk.not-empty' });
    await expect(remove('missing')).rejects.toMatchObject({ code: 'disk.missing' });
    expect(await place.disk.list(place.at('folder'))).toEqual(['file']);
  });
});

describe.each(forms)('the $form disk: moving and linking', ({ open }) => {
  test('renames a file over another and over a symlink, which it does not follow', async () => {
    await using place = open();
    await write(place.disk, place.at('new'), 'new');
    await write(place.disk, place.at('old'), 'old');
    place.plantSymlink(place.at('symlink'));

    await place.disk.rename(place.at('new'), place.at('old'));
    await place.disk.rename(place.at('old'), place.at('symlink'));

    expect(await place.disk.list(place.at())).toEqual(['symlink']);
    expect(await textAt(place.disk, place.at('symlink'))).toBe('new');
  });

  test('renames between folders, and a folder with all that is in it', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('a'));
    await place.disk.makeFolder(place.at('empty'));
    await write(place.disk, place.at('x'), 'text');

    await place.disk.rename(place.at('x'), place.at('a', 'x'));
    await place.disk.rename(place.at('a'), place.at('empty'));

    expect(await place.disk.list(place.at())).toEqual(['empty']);
    expect(await textAt(place.disk, place.at('empty', 'x'))).toBe('text');
  });

  test('refuses a rename that makes no sense and names the path that is wrong', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '');
    await place.disk.makeFolder(place.at('folder'));
    await place.disk.makeFolder(place.at('full'));
    await write(place.disk, place.at('full', 'x'), '');

    const refusals = [
      { from: 'missing', to: 'file', code: 'disk.missing', wrong: 'missing' },
      { from: 'file', to: 'folder', code: 'disk.not-a-file', wrong: 'folder' },
      { from: 'folder', to: 'file', code: 'disk.not-a-folder', wrong: 'file' },
      { from: 'folder', to: 'full', code: 'disk.not-empty', wrong: 'full' },
      { from: 'folder', to: 'folder/in', code: 'disk.bad-name', wrong: 'folder/in' },
    ];
    for (const { from, to, code, wrong } of refusals) {
      const attempt = place.disk.rename(place.at(from), place.at(to));
      const message = expect.stringContaining(`"${place.at(wrong)}"`);
      await expect(attempt).rejects.toMatchObject({ code, message });
    }
  });

  test('links a second name to the same file, which outlives the first', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), 'text');

    await place.disk.link(place.at('a'), place.at('b'));
    // By POSIX, a rename between two names of one file does nothing.
    await place.disk.rename(place.at('a'), place.at('b'));
    expect(await place.disk.list(place.at())).toEqual(['a', 'b']);
    await place.disk.remove(place.at('a'));

    expect(await textAt(place.disk, place.at('b'))).toBe('text');
  });

  test('links nothing to a taken name, nothing that is missing and no folder', async () => {
    await using place = open();
    await write(place.disk, place.at('a'), 'a');
    await write(place.disk, place.at('b'), 'stays');
    await place.disk.makeFolder(place.at('folder'));

    const link = (from: string, to: string) => place.disk.link(place.at(from), place.at(to));

    await expect(link('a', 'b')).rejects.toMatchObject({ code: 'disk.exists' });
    await expect(link('a', 'folder')).rejects.toMatchObject({ code: 'disk.exists' });
    await expect(link('missing', 'c')).rejects.toMatchObject({ code: 'disk.missing' });
    await expect(link('folder', 'c')).rejects.toMatchObject({ code: 'disk.denied' });
    expect(await textAt(place.disk, place.at('b'))).toBe('stays');
  });
});

describe.each(forms)('the $form disk: stat', ({ open }) => {
  // 277 takes even the owner's right to write from what is made under it.
  test.each([{ umask: '000' }, { umask: '077' }, { umask: '277' }])(
    'shows files of mode 600 and folders of mode 700 under umask $umask',
    async ({ umask }) => {
      await using place = open();

      await withUmask(umask, async () => {
        await write(place.disk, place.at('file'), '');
        await place.disk.makeFolder(place.at('folder'));
      });

      expect(await place.disk.stat(place.at('file'))).toMatchObject({ mode: 0o600 });
      expect(await place.disk.stat(place.at('folder'))).toMatchObject({ mode: 0o700 });
    },
  );

  test('tells the kind, the size, the owner and the time of change', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '12345');
    await place.disk.makeFolder(place.at('folder'));
    place.plantSymlink(place.at('symlink'));

    const file = await place.disk.stat(place.at('file'));

    expect(file).toMatchObject({ kind: 'file', sizeBytes: 5, ownerUid: place.ownerUid });
    expect(Number.isInteger(file?.modifiedAt)).toBe(true);
    expect(await place.disk.stat(place.at('folder'))).toMatchObject({ kind: 'folder' });
    expect(await place.disk.stat(place.at('symlink'))).toMatchObject({ kind: 'symlink' });
  });

  test('is undefined where nothing stands, and an error below something that is no folder', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), '');

    expect(await place.disk.stat(place.at('missing'))).toBeUndefined();
    expect(await place.disk.stat(place.at('missing', 'x'))).toBeUndefined();
    const below = place.disk.stat(place.at('file', 'x'));
    await expect(below).rejects.toMatchObject({ code: 'disk.not-a-folder' });
  });
});

describe.each(forms)('the $form disk: readLink and devices', ({ open }) => {
  test('readLink() tells what is written in a symlink, whether or not it leads anywhere', async () => {
    await using place = open();
    for (const [index, target] of ['../a/./b//c/', '/x', 'two\nlines', 'é'].entries()) {
      place.plantSymlink(place.at(`link ${index}`), target);

      expect(await place.disk.readLink(place.at(`link ${index}`))).toBe(target);
    }
  });

  test('readLink() refuses what is no symlink, and what is missing', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), 'text');

    const { disk, at } = place;
    const noLink = { code: 'disk.bad-name' };
    await expect(disk.readLink(at('file'))).rejects.toMatchObject(noLink);
    await expect(disk.readLink(at())).rejects.toMatchObject(noLink);
    await expect(disk.readLink(at('missing'))).rejects.toMatchObject({ code: 'disk.missing' });
    const below = disk.readLink(at('file', 'x'));
    await expect(below).rejects.toMatchObject({ code: 'disk.not-a-folder' });
  });

  test('a file, its folder and a held folder are on the same disk', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), 'text');
    await using held = await place.disk.holdFolder(place.at());
    await using reader = await place.disk.read(place.at('file'));

    const { device } = await reader.identity();

    expect(device).toMatch(/^\d+$/);
    expect(held.device).toBe(device);
    expect(await place.disk.stat(place.at())).toMatchObject({ device });
    expect(await place.disk.stat(place.at('file'))).toMatchObject({ device });
  });

  test('create() gives a file the mode that was asked for, whatever the umask', async () => {
    await using place = open();

    await withUmask('077', async () => {
      await using _ = await place.disk.create(place.at('file'), { mode: 0o754 });
    });

    expect(await place.disk.stat(place.at('file'))).toMatchObject({ mode: 0o754 });
  });
});

test.skipIf(process.platform !== 'linux')('the real disk tells two disks apart', async () => {
  await using root = await realDisk.holdFolder('/');
  await using proc = await realDisk.holdFolder('/proc');

  expect(proc.device).not.toBe(root.device);
});

test('the simulated disk tells a disk apart that is mounted on it', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  for (const path of ['/mnt', '/mnt/sub', '/mnt2']) await disk.makeFolder(path);

  disk.plantMount('/mnt');

  const deviceAt = async (path: string) => (await disk.stat(path))?.device;
  expect(await deviceAt('/mnt/sub')).toBe(await deviceAt('/mnt'));
  expect(await deviceAt('/mnt')).not.toBe(await deviceAt('/'));
  expect(await deviceAt('/mnt2')).toBe(await deviceAt('/'));
});

describe.each(forms)('the $form disk: makePrivate and holdFolder', ({ open }) => {
  test('makePrivate() closes files and folders to others', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), 'text');
    await place.disk.makeFolder(place.at('folder'));
    place.plantMode(place.at('file'), 0o644);
    place.plantMode(place.at('folder'), 0o755);

    await place.disk.makePrivate(place.at('file'));
    await place.disk.makePrivate(place.at('folder'));

    expect(await place.disk.stat(place.at('file'))).toMatchObject({ mode: 0o600 });
    expect(await place.disk.stat(place.at('folder'))).toMatchObject({ mode: 0o700 });
  });

  test('makePrivate() refuses a symlink and what is missing', async () => {
    await using place = open();
    place.plantSymlink(place.at('symlink'));

    const link = place.disk.makePrivate(place.at('symlink'));
    const missing = place.disk.makePrivate(place.at('missing'));

    await expect(link).rejects.toMatchObject({ code: 'disk.not-a-file' });
    await expect(missing).rejects.toMatchObject({ code: 'disk.missing' });
  });

  test('holdFolder() gives a path into the folder', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('folder'));
    await write(place.disk, place.at('a'), 'text');

    await using held = await place.disk.holdFolder(place.at('folder'));
    await place.disk.rename(place.at('a'), `${held.path}/b`);

    expect(await place.disk.list(held.path)).toEqual(['b']);
    expect(await textAt(place.disk, `${held.path}/b`)).toBe('text');
    expect(await textAt(place.disk, place.at('folder', 'b'))).toBe('text');
  });

  test('holdFolder() refuses a file, a symlink and what is missing', async () => {
    await using place = open();
    await write(place.disk, place.at('file'), 'text');
    place.plantSymlink(place.at('symlink'));

    const hold = (name: string) => place.disk.holdFolder(place.at(name));

    await expect(hold('file')).rejects.toMatchObject({ code: 'disk.not-a-folder' });
    await expect(hold('symlink')).rejects.toMatchObject({ code: 'disk.not-a-folder' });
    await expect(hold('missing')).rejects.toMatchObject({ code: 'disk.missing' });
  });
});

test.skipIf(process.platform !== 'linux')(
  'the real disk holds the folder itself, whatever takes its name',
  async () => {
    await using place = openReal();
    await using elsewhere = temporaryFolder();
    await place.disk.makeFolder(place.at('folder'));
    await write(place.disk, place.at('folder', 'a'), 'ours');
    await write(place.disk, elsewhere.at('a'), 'theirs');
    await using held = await place.disk.holdFolder(place.at('folder'));

    renameSync(place.at('folder'), place.at('moved'));
    symlinkSync(elsewhere.path, place.at('folder'));

    expect(await textAt(place.disk, `${held.path}/a`)).toBe('ours');
  },
);

test('the real disk names what is missing in a held folder by its path, also when held in steps', async () => {
  await using place = openReal();
  await place.disk.makeFolder(place.at('folder'));
  const outer = await place.disk.holdFolder(place.at());
  await using inner = await place.disk.holdFolder(`${outer.path}/folder`);
  await outer[Symbol.asyncDispose]();
  await using root = await place.disk.holdFolder('/');

  const below = place.disk.read(`${inner.path}/missing`);
  const atRoot = place.disk.read(`${root.path}/missing here`);

  const named = expect.stringContaining(`"${place.at('folder', 'missing')}"`);
  await expect(below).rejects.toMatchObject({ message: named });
  await expect(atRoot).rejects.toMatchObject({
    message: expect.stringContaining('"/missing here"'),
  });
});

describe.each(forms)('the $form disk: hostile names', ({ open }) => {
  test.each([
    { what: 'a newline', name: 'two\nlines' },
    { what: 'an option', name: '-rf' },
    { what: 'an escape sequence', name: '\u001b[2Jcleared' },
    { what: 'quotes, blanks and a backslash', name: ' "\'$(x)`\\ ' },
    { what: '255 bytes', name: `n${'é'.repeat(127)}` },
  ])('keeps a name with $what as it is', async ({ name }) => {
    await using place = open();

    await write(place.disk, place.at('pending'), 'text');
    await place.disk.rename(place.at('pending'), place.at(name));

    expect(await place.disk.list(place.at())).toEqual([name]);
    expect(await textAt(place.disk, place.at(name))).toBe('text');
    await place.disk.remove(place.at(name));
    expect(await place.disk.stat(place.at(name))).toBeUndefined();
  });

  test.each([
    { what: 'a NUL byte', name: 'a\0b' },
    { what: '256 bytes', name: 'n'.repeat(256) },
  ])('refuses a name with $what everywhere', async ({ name }) => {
    await using place = open();
    await write(place.disk, place.at('file'), '');

    const { disk, at } = place;
    const attempts = [
      disk.read(at(name)),
      disk.list(at(name)),
      disk.stat(at(name)),
      disk.readLink(at(name)),
      disk.create(at(name)),
      disk.rename(at(name), at('x')),
      disk.rename(at('file'), at(name)),
      disk.link(at(name), at('x')),
      disk.link(at('file'), at(name)),
      disk.remove(at(name)),
      disk.makeFolder(at(name)),
      disk.syncFolder(at(name)),
      disk.makePrivate(at(name)),
      disk.holdFolder(at(name)),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      expect(attempt).toMatchObject({ status: 'rejected', reason: { code: 'disk.bad-name' } });
    }
  });

  test('finds nothing at an empty path', async () => {
    await using place = open();

    await expect(place.disk.syncFolder('')).rejects.toMatchObject({ code: 'disk.missing' });
    expect(await place.disk.stat('')).toBeUndefined();
  });

  test('quotes a name in an error so that it cannot forge output', async () => {
    await using place = open();
    const name = 'a\nb\u001b[31m\u009b\u202e"c';

    const attempt = place.disk.read(place.at(name));

    const quoted = String.raw`a\nb\u001b[31m\u009b\u202e\"c"`;
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining(quoted) });
  });
});

test('the real disk refuses a FIFO at once instead of waiting for a writer', async () => {
  await using place = openReal();
  execFileSync('mkfifo', [place.at('fifo')]);

  const attempt = place.disk.read(place.at('fifo'));

  await expect(attempt).rejects.toMatchObject({ code: 'disk.not-a-file' });
  expect(await place.disk.stat(place.at('fifo'))).toMatchObject({ kind: 'other' });
});

test('the real disk refuses a device', async () => {
  await expect(realDisk.read('/dev/null')).rejects.toMatchObject({ code: 'disk.not-a-file' });
});

test('the real disk leaves no descriptor open, whether it refused or was closed', async () => {
  await using place = openReal();
  await write(place.disk, place.at('file'), 'text');
  const openBefore = readdirSync('/dev/fd').length;

  for (let round = 0; round < 50; round++) {
    await expect(place.disk.read(place.at())).rejects.toThrow();
    await textAt(place.disk, place.at('file'));
    await write(place.disk, place.at(`file ${round}`), 'text');
    await place.disk.syncFolder(place.at());
    await place.disk.makeFolder(place.at(`folder ${round}`));
    await place.disk.makePrivate(place.at(`folder ${round}`));
    await (await place.disk.holdFolder(place.at()))[Symbol.asyncDispose]();
  }

  // The test runner may open a few of its own meanwhile, but not one a round.
  expect(readdirSync('/dev/fd').length - openBefore).toBeLessThan(25);
});
