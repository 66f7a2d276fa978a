import {
  chmodSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realVolume } from '../../engines/disk/volume.ts';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import type { DiskEntry, Volume } from '../../kernel/ports.ts';
import { prepareHome, sweepHome } from './home-folder.ts';

const deps = { disk: realDisk, volume: realVolume };
const localVolume: Volume = {
  usage: async () => ({
    usedBytes: 1,
    freeBytes: 99,
    writableBytes: 99,
    writableFiles: 99,
    fileSystem: 'ext4',
  }),
};

const everyFolder = [
  ...['agents', 'archive', 'artifacts', 'attachments', 'blobs', 'index', 'keys', 'logs'],
  ...['plans', 'run', 'tmp', 'transfers', 'trash'],
];

test('prepareHome() makes the home, its parents and its folders, for the owner alone', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('a', 'b', 'c');

  await prepareHome(deps, home);

  expect(readdirSync(home)).toEqual(everyFolder);
  for (const name of ['.', ...everyFolder, 'run/agents', 'run/bodies']) {
    expect(statSync(`${home}/${name}`).mode & 0o777).toBe(0o700);
  }
});

test('prepareHome() may be repeated, and keeps what is there', async () => {
  await using folder = temporaryFolder();
  await prepareHome(deps, folder.path);
  writeFileSync(folder.at('keys', 'owner.key'), 'k', { mode: 0o600 });

  await prepareHome(deps, folder.path);

  expect(readdirSync(folder.at('keys'))).toEqual(['owner.key']);
});

test('two prepareHome() at once are both content', async () => {
  await using folder = temporaryFolder();

  await Promise.all([prepareHome(deps, folder.at('home')), prepareHome(deps, folder.at('home'))]);

  expect(readdirSync(folder.at('home'))).toEqual(everyFolder);
});

test('a home that is a link to a folder is used', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('real'), { mode: 0o700 });
  symlinkSync(folder.at('real'), folder.at('home'));

  await prepareHome(deps, folder.at('home'));

  expect(readdirSync(folder.at('real'))).toEqual(everyFolder);
});

/** Everything belongs to who runs the tests, as on the real disk. */
class OwnDisk extends SimulatedDisk {
  override async stat(path: string): Promise<DiskEntry | undefined> {
    const entry = await super.stat(path);
    return entry === undefined ? undefined : { ...entry, ownerUid: process.getuid?.() ?? 0 };
  }
}

test('a power cut anywhere in prepareHome() is healed by the next one', async () => {
  const whole = new OwnDisk({ seed: 0 });
  await prepareHome({ disk: whole, volume: localVolume }, '/a/home');

  for (let call = 1; call <= whole.calls; call++) {
    const disk = new OwnDisk({ seed: call });
    disk.crashAtCall(call);
    const attempt = prepareHome({ disk, volume: localVolume }, '/a/home');
    await expect(attempt).rejects.toThrow(SimulatedCrash);
    disk.restart();

    await prepareHome({ disk, volume: localVolume }, '/a/home');
    disk.crash();
    disk.restart();

    expect(await disk.list('/a/home')).toEqual(everyFolder);
    expect(await disk.list('/a/home/run')).toEqual(['agents', 'bodies']);
  }
});

test('a network file system is refused before anything is made', async () => {
  await using folder = temporaryFolder();
  const volume: Volume = {
    usage: async () => ({
      usedBytes: 1,
      freeBytes: 99,
      writableBytes: 99,
      writableFiles: 99,
      fileSystem: 'nfs4',
    }),
  };

  const attempt = prepareHome({ disk: realDisk, volume }, folder.at('home'));

  await expect(attempt).rejects.toMatchObject({
    code: 'home.network-disk',
    message: expect.stringContaining('nfs4'),
    fix: expect.stringContaining('AOS_HOME'),
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a path too long for the socket is refused', async () => {
  await using folder = temporaryFolder();

  const attempt = prepareHome(deps, folder.at('x'.repeat(100)));

  await expect(attempt).rejects.toMatchObject({ code: 'home.long-path' });
});

test("a folder that holds somebody else's things is refused and not touched", async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('thesis.tex'), 'x');

  const attempt = prepareHome(deps, folder.path);

  await expect(attempt).rejects.toMatchObject({
    code: 'home.foreign',
    message: expect.stringContaining('thesis.tex'),
  });
  expect(readdirSync(folder.path)).toEqual(['thesis.tex']);
});

test('settings that an editor left open to others are closed, and that is said', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('config.json'), '{}');
  chmodSync(folder.at('config.json'), 0o644);

  const mended = await prepareHome(deps, folder.path);

  expect(mended).toEqual([expect.stringMatching(/config\.json" was open to others \(mode 644\)/)]);
  expect(statSync(folder.at('config.json')).mode & 0o777).toBe(0o600);
  expect(await prepareHome(deps, folder.path)).toEqual([]);
});

test('a ledger that is open to others is not closed but refused: it may have been read', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('ledger.db'), '');
  chmodSync(folder.at('ledger.db'), 0o644);

  await expect(prepareHome(deps, folder.path)).rejects.toMatchObject({
    code: 'home.open-to-others',
  });
});

test.each(['.lock', 'ledger.db'])(
  'a foreign file in a home that is ours by its %s is left alone, open as it is',
  async (own) => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at(own), '', { mode: 0o600 });
    writeFileSync(folder.at('.DS_Store'), 'x');
    chmodSync(folder.at('.DS_Store'), 0o644);

    await prepareHome(deps, folder.path);

    expect(readdirSync(folder.path)).toEqual(['.DS_Store', own, ...everyFolder].sort());
    expect(statSync(folder.at('.DS_Store')).mode & 0o777).toBe(0o644);
  },
);

test('what is open in a home of ours with a foreign file is mended without touching that', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('ledger.db'), '', { mode: 0o644 });
  writeFileSync(folder.at('.DS_Store'), 'x');

  const attempt = prepareHome(deps, folder.path);

  await expect(attempt).rejects.toMatchObject({
    code: 'home.open-to-others',
    fix: `chmod go-rwx ${folder.at('ledger.db')}`,
  });
});

test.each(['.lock-journal', 'ledger.db.before-0002', 'config.json.before-restore-2030'])(
  '%s is of our own and accepted',
  async (name) => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at(name), 'x', { mode: 0o600 });

    await prepareHome(deps, folder.path);

    expect(readdirSync(folder.path)).toContain(name);
  },
);

test.each([
  ['the home itself', '.', 0o755],
  ['a folder in it', 'keys', 0o755],
  ['the home itself, to a group', '.', 0o750],
])('modes that are open to others are refused, not changed: %s', async (_what, name, mode) => {
  await using folder = temporaryFolder();
  await prepareHome(deps, folder.at('home'));
  chmodSync(folder.at('home', name), mode);

  const attempt = prepareHome(deps, folder.at('home'));

  await expect(attempt).rejects.toMatchObject({
    code: 'home.open-to-others',
    fix: expect.stringMatching(/^chmod -R go-rwx \//),
  });
  expect(statSync(folder.at('home', name)).mode & 0o777).toBe(mode);
});

test('a file or a symlink in the place of a folder is refused', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('keys'), 'x', { mode: 0o600 });
  const attempt = prepareHome(deps, folder.path);
  await expect(attempt).rejects.toMatchObject({
    code: 'home.not-a-folder',
    message: expect.stringMatching(/keys" must be a folder, and a file/),
  });

  await using other = temporaryFolder();
  symlinkSync('/tmp', other.at('tmp'));
  const second = prepareHome(deps, other.path);
  await expect(second).rejects.toMatchObject({
    code: 'home.not-a-folder',
    message: expect.stringContaining('a symlink'),
  });
});

test('a home that is a file, or a link that leads nowhere, is refused', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x');
  symlinkSync(folder.at('nowhere'), folder.at('link'));

  for (const name of ['file', 'link']) {
    const attempt = prepareHome(deps, folder.at(name));
    await expect(attempt).rejects.toMatchObject({ code: 'home.not-a-folder' });
  }
});

const litter = '.owner.key.0123456789abcdef.pending';

test('sweepHome() removes old litter of home and keys, and all of tmp without following links', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  await prepareHome(deps, home);
  const twoHoursAgo = (realClock.now() - 7_200_000) / 1000;
  for (const place of [home, `${home}/keys`]) {
    writeFileSync(`${place}/${litter}`, 'x');
    utimesSync(`${place}/${litter}`, twoHoursAgo, twoHoursAgo);
    writeFileSync(`${place}/.fresh${litter}`, 'x');
  }
  mkdirSync(`${home}/tmp/a/b`, { recursive: true });
  writeFileSync(`${home}/tmp/a/b/c`, 'x');
  writeFileSync(folder.at('precious'), 'x');
  symlinkSync(folder.path, `${home}/tmp/link`);

  await sweepHome({ disk: realDisk, clock: realClock }, home);

  expect(readdirSync(`${home}/tmp`)).toEqual([]);
  expect(readdirSync(`${home}/keys`)).toEqual([`.fresh${litter}`]);
  expect(readdirSync(home)).not.toContain(litter);
  expect(readdirSync(home)).toContain(`.fresh${litter}`);
  expect(readdirSync(folder.path)).toContain('precious');
});

test('sweepHome() passes over what cannot be removed', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  for (const path of ['/home', '/home/keys', '/home/tmp', '/home/tmp/a', '/home/tmp/b']) {
    await disk.makeFolder(path);
  }
  // Two lists, one list of tmp, then stat, list and remove of `a`.
  disk.failCall(disk.calls + 6, 'EACCES');

  await sweepHome({ disk, clock: new SimulatedClock() }, '/home');

  expect(await disk.list('/home/tmp')).toEqual(['a']);
});

test('removeTree() says nothing of what is gone already', async () => {
  await using folder = temporaryFolder();

  await expect(removeTree(realDisk, folder.at('gone'))).resolves.toBeUndefined();
});
