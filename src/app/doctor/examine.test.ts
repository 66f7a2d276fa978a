import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { realEventLoop } from '../../engines/clock.ts';
import type { WatchProbe } from '../../engines/disk/file-watching.ts';
import { realProcesses } from '../../engines/process/processes.ts';
import { openPrograms } from '../../engines/process/programs.ts';
import type { Disk, VolumeUsage } from '../../kernel/ports.ts';
import type { Sandboxes, SandboxState } from '../../kernel/sandbox.ts';
import { judgeFileSystem } from './disk.ts';
import { examine } from './examine.ts';
import type { CheckName } from './finding.ts';

interface Machine {
  readonly holdsBy?: 'control groups' | 'marks';
  readonly home?: string;
  readonly sandbox?: SandboxState;
  readonly usage?: Partial<VolumeUsage>;
  readonly watching?: WatchProbe;
  readonly limits?: { readonly watches: number; readonly instances: number };
  readonly prepare?: (disk: SimulatedDisk, clock: SimulatedClock) => Promise<void>;
}

/** What doctor says of one thing on a machine that is made up. */
async function look(check: CheckName, machine: Machine = {}) {
  const [finding] = await lookAll(check, machine);
  return finding;
}

async function lookAll(check: CheckName, machine: Machine) {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  await disk.makeFolder('/home');
  await writeLimits(disk, machine.limits ?? { watches: 100_000, instances: 1000 });
  await machine.prepare?.(disk, clock);
  const room = { freeBytes: 90, writableBytes: 90 * 2 ** 20, writableFiles: 1000 };
  const usage = { usedBytes: 10, ...room, fileSystem: 'ext4', ...machine.usage };
  return examine(
    {
      clock,
      random: seededRandom('doctor'),
      eventLoop: realEventLoop,
      disk,
      openSandboxes: ({ folder }) => sandboxesIn(disk, folder, machine.sandbox ?? works),
      volume: { usage: async () => usage },
      fileWatching: {
        probe: () => machine.watching ?? { kind: 'works' },
        watch: () => {
          throw new Error('doctor only probes');
        },
      },
      processes: realProcesses,
      programs: { ...openPrograms({ clock }), holdsBy: () => machine.holdsBy ?? 'control groups' },
      signal: new AbortController().signal,
      environment: { AOS_HOME: machine.home ?? '/home' },
      flags: [],
    },
    [check],
  );
}

const works: Extract<SandboxState, { kind: 'works' }> = {
  ...{ kind: 'works', path: '/usr/bin/bwrap', rung: 'control groups' },
  holds: {
    ...{ output: 'exact', time: 'exact', 'file-size': 'each', workspace: 'watched' },
    ...{ memory: 'exact', processes: 'exact', cpu: 'exact' },
  },
};

/** Only their state is asked for, in a folder that is there. */
function sandboxesIn(disk: Disk, folder: string, state: SandboxState): Sandboxes {
  const not = (): never => {
    throw new Error('doctor only asks for the state');
  };
  return {
    async state() {
      await write(disk, `${folder}/pipe`, '');
      return state;
    },
    ...{ examine: not, run: not, checkView: not, prepareBody: not, holdBody: not, discard: not },
    async [Symbol.asyncDispose]() {},
  };
}

async function writeLimits(disk: Disk, limits: { watches: number; instances: number }) {
  for (const folder of ['/proc', '/proc/sys', '/proc/sys/fs', '/proc/sys/fs/inotify']) {
    await disk.makeFolder(folder);
  }
  await write(disk, '/proc/sys/fs/inotify/max_user_watches', `${limits.watches}\n`);
  await write(disk, '/proc/sys/fs/inotify/max_user_instances', `${limits.instances}\n`);
}

async function write(disk: Disk, path: string, text: string) {
  await using writer = await disk.create(path);
  await writer.append(Buffer.from(text));
}

describe('disk', () => {
  test.each([
    [79, 'ok'],
    [80, 'warning'],
    [89, 'warning'],
    [90, 'failed'],
    [100, 'failed'],
  ])('%i %% full is %s', async (usedBytes, state) => {
    const usage = { usedBytes, freeBytes: 100 - usedBytes };

    expect(await look('disk', { usage })).toMatchObject({ state });
  });

  test('a disk of no size, as some virtual ones are, is not a full disk', async () => {
    const usage = { usedBytes: 0, freeBytes: 0, writableBytes: 0 };

    expect(await look('disk', { usage })).toMatchObject({ state: 'ok' });
  });

  const full = { usedBytes: 100, freeBytes: 0, writableBytes: 4096 };

  test.each(['disk', 'home'] as const)('one that is full is called so by %s', async (check) => {
    expect(await look(check, { usage: full })).toMatchObject({
      state: 'failed',
      says: expect.stringMatching(/is full$/),
      fix: expect.stringMatching(/^free 36 MiB or more/),
    });
  });

  test.each(['disk', 'home'] as const)(
    'of one that is full %s advises "aos gc" where there is room to give back',
    async (check) => {
      const prepare = (disk: SimulatedDisk) => write(disk, '/home/.reserve', 'x');

      expect(await look(check, { usage: full, prepare })).toMatchObject({
        says: expect.stringMatching(/is full$/),
        fix: expect.stringMatching(/^aos gc/),
      });
    },
  );

  test.each([
    ['disk', 0, 'has no room for more files'],
    ['disk', 63, 'has room for only 63 more files'],
    ['home', 0, 'has no room for more files'],
    ['home', 1, 'has room for only 1 more file'],
  ] as const)('%s says of one with %i files left that it %s', async (check, left, says) => {
    expect(await look(check, { usage: { writableFiles: left } })).toMatchObject({
      state: 'failed',
      says: expect.stringMatching(`${says}$`),
      fix: expect.stringMatching(/^remove 64 files or more/),
    });
  });

  test('one without a limit of files is not short of them', async () => {
    const usage = { writableFiles: Number.POSITIVE_INFINITY };

    expect(await look('disk', { usage })).toMatchObject({ state: 'ok' });
  });

  // There is no such ledger outside of the simulated disk, so it cannot be opened.
  test.each(['ledger', 'relay'] as const)(
    'on one without room for files %s says that, and not that the ledger cannot be opened',
    async (check) => {
      const home = '/simulated-home';
      const prepare = async (disk: SimulatedDisk) => {
        await disk.makeFolder(home);
        await write(disk, `${home}/ledger.db`, 'x');
      };
      const usage = { writableFiles: 0 };

      const onAnother = await look(check, { home, prepare });
      const finding = await look(check, { home, prepare, usage });

      expect(onAnother?.says).toContain('cannot be opened');
      expect(finding).toMatchObject({
        state: 'failed',
        says: expect.stringContaining('has no room for more files'),
      });
    },
  );
});

describe('filesystem', () => {
  test.each(['nfs', 'nfs4', 'cifs', '9p', 'fuse.sshfs', 'virtiofs', 'ceph', 'lustre'])(
    '%s is remote and refused',
    (name) => {
      expect(judgeFileSystem(name)).toMatchObject({ state: 'failed', fix: expect.any(String) });
    },
  );

  test.each(['ext4', 'xfs', 'btrfs', 'zfs', 'tmpfs', 'overlay', 'apfs'])('%s is local', (name) => {
    expect(judgeFileSystem(name)).toMatchObject({ state: 'ok' });
  });

  test('an unknown one under FUSE is a warning, because it may be remote', () => {
    expect(judgeFileSystem('fuse.something')).toMatchObject({ state: 'warning' });
  });
});

describe('inotify', () => {
  test.each<[string, Machine, string, RegExp]>([
    [
      'watches used up',
      { watching: { kind: 'exhausted', limit: 'watches' } },
      'failed',
      /max_user_watches=/,
    ],
    [
      'instances used up',
      { watching: { kind: 'exhausted', limit: 'instances' } },
      'failed',
      /max_user_instances=/,
    ],
    ['few watches', { limits: { watches: 100, instances: 128 } }, 'warning', /max_user_watches=/],
    [
      'few instances',
      { limits: { watches: 8192, instances: 16 } },
      'warning',
      /max_user_instances=/,
    ],
  ])('%s', async (_what, machine, state, fix) => {
    expect(await look('inotify', machine)).toMatchObject({
      state,
      fix: expect.stringMatching(fix),
    });
  });

  test('enough of both is ok', async () => {
    const limits = { watches: 8192, instances: 128 };

    expect(await look('inotify', { limits })).toMatchObject({ state: 'ok' });
  });
});

describe('clock', () => {
  test('a clock of long ago is wrong', async () => {
    const machine: Machine = {
      prepare: async (_disk, clock) => clock.jump(-70 * 365 * 86_400_000),
    };

    expect(await look('clock', machine)).toMatchObject({ state: 'failed' });
  });

  test('a clock behind what was written in the home has gone back', async () => {
    const machine: Machine = {
      prepare: async (disk, clock) => {
        await write(disk, '/home/ledger.db', 'x');
        clock.jump(-86_400_000);
      },
    };

    expect(await look('clock', machine)).toMatchObject({ state: 'warning' });
  });
});

describe('home', () => {
  test('it can be written, and the trial leaves nothing behind', async () => {
    let disk: SimulatedDisk | undefined;
    const prepare = async (made: SimulatedDisk) => {
      disk = made;
    };

    expect(await look('home', { prepare })).toMatchObject({ state: 'ok' });
    expect(await disk?.list('/home')).toEqual([]);
  });

  test('the trial of a doctor that runs beside this one, or was killed, is not held against it', async () => {
    const prepare = (disk: SimulatedDisk) => disk.makeFolder('/home/.aos-doctor-4242');

    expect(await look('home', { prepare })).toMatchObject({ state: 'ok' });
  });

  test('a file that a crash left on its way is not held against it', async () => {
    const prepare = (disk: SimulatedDisk) =>
      write(disk, '/home/.config.json.0123456789abcdef.pending', 'x');

    expect(await look('home', { prepare })).toMatchObject({ state: 'ok' });
  });

  test("one that holds somebody else's things is refused before anything is tried", async () => {
    // Config's look at the file, this check's look and its list: a fourth call would fail.
    const prepare = async (disk: SimulatedDisk) => {
      await write(disk, '/home/thesis.tex', 'x');
      disk.failCall(disk.calls + 4, 'EIO');
    };

    expect(await look('home', { prepare })).toMatchObject({
      state: 'failed',
      says: expect.stringContaining('thesis.tex'),
    });
  });

  test('what the file agent and a full disk need there is not foreign', async () => {
    const prepare = async (disk: SimulatedDisk) => {
      await write(disk, '/home/ledger.db', '');
      await disk.makeFolder('/home/plans');
      await write(disk, '/home/.reserve', 'x');
    };

    expect(await look('home', { prepare })).toMatchObject({ state: 'ok' });
  });

  test('a foreign file in one that is ours is a warning that names it', async () => {
    const prepare = async (disk: SimulatedDisk) => {
      await write(disk, '/home/ledger.db', '');
      await write(disk, '/home/backup.tar', 'x');
    };

    expect(await look('home', { prepare })).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('"/home/backup.tar"'),
      fix: expect.stringContaining('move it'),
    });
  });

  test('something else in the place of a folder is refused', async () => {
    const prepare = (disk: SimulatedDisk) => write(disk, '/home/agents', 'x');

    expect(await look('home', { prepare })).toMatchObject({
      state: 'failed',
      says: '"/home/agents" must be a folder, and a file stands there',
      fix: expect.stringContaining('Move it away'),
    });
  });

  test('a log that is no file is refused', async () => {
    const prepare = async (disk: SimulatedDisk) => {
      await disk.makeFolder('/home/logs');
      await disk.makeFolder('/home/logs/daemon.log');
    };

    expect(await look('home', { prepare })).toMatchObject({
      state: 'failed',
      says: '"/home/logs/daemon.log" must be a file, and a folder stands there',
    });
  });

  test('one that is not there yet is tried at its nearest parent', async () => {
    expect(await look('home', { home: '/home/a/b/c' })).toMatchObject({
      state: 'ok',
      says: expect.stringContaining('can be made'),
    });
  });

  test('a full disk is told as such', async () => {
    const prepare = async (disk: SimulatedDisk) => disk.failCall(disk.calls + 4, 'ENOSPC');

    expect(await look('home', { prepare })).toMatchObject({
      state: 'failed',
      says: expect.stringContaining('no room left'),
    });
  });

  test('a path too long for a socket is refused', async () => {
    const home = `/home/${'x'.repeat(100)}`;

    expect(await look('home', { home })).toMatchObject({ state: 'failed' });
  });
});

test('broken settings are one finding, and what depends on them is not guessed', async () => {
  const prepare = (disk: SimulatedDisk) => write(disk, '/home/config.json', '{');

  expect(await lookAll('disk', { prepare })).toMatchObject([
    { check: 'config', state: 'failed', fix: expect.any(String) },
    { check: 'disk', state: 'skipped' },
  ]);
});

const troubles: readonly [string, CheckName, Machine][] = [
  ['a full disk', 'disk', { usage: { usedBytes: 95, freeBytes: 5 } }],
  ['a remote file system', 'filesystem', { usage: { fileSystem: 'nfs' } }],
  ['watches that are used up', 'inotify', { watching: { kind: 'exhausted', limit: 'watches' } }],
  ['few watches', 'inotify', { limits: { watches: 100, instances: 128 } }],
  [
    'a clock of long ago',
    'clock',
    { prepare: async (_, clock) => clock.jump(-70 * 365 * 86_400_000) },
  ],
  ['a home of somebody else', 'home', { prepare: (disk) => write(disk, '/home/thesis.tex', 'x') }],
  ['a file for a folder', 'home', { prepare: (disk) => write(disk, '/home/agents', 'x') }],
  ['a home that is too long', 'home', { home: `/home/${'x'.repeat(100)}` }],
  ['a home open to others', 'modes', { prepare: async (disk) => disk.plantMode('/home', 0o755) }],
  [
    'settings that are broken',
    'disk',
    { prepare: (disk) => write(disk, '/home/config.json', '{') },
  ],
  ['programs held by marks', 'programs', { holdsBy: 'marks' }],
  [
    'no sandbox',
    'sandbox',
    {
      sandbox: { kind: 'unavailable', says: 'bubblewrap is not installed', fix: 'install it' },
      prepare: (disk) => disk.makeFolder('/tmp'),
    },
  ],
];

test.each(troubles)('%s is told with what mends it', async (_what, check, machine) => {
  const findings = await lookAll(check, machine);

  const wrong = findings.filter(({ state }) => state === 'failed' || state === 'warning');
  expect(wrong).toEqual([expect.objectContaining({ fix: expect.stringMatching(/\w/) })]);
});

test('a check that breaks is a finding of its own', async () => {
  const prepare = async (disk: SimulatedDisk) => disk.failCall(disk.calls + 3, 'EIO');

  expect(await look('clock', { prepare })).toMatchObject({
    check: 'clock',
    state: 'failed',
    says: expect.stringContaining('The disk failed'),
  });
});

test('programs that are not held together by control groups are a warning', async () => {
  const [good] = await lookAll('programs', {});
  const [weak] = await lookAll('programs', { holdsBy: 'marks' });

  expect(good).toMatchObject({ state: 'ok' });
  expect(weak).toMatchObject({ state: 'warning', fix: expect.stringContaining('Delegate') });
});

describe('the sandbox', () => {
  test('is told with what holds programs to which limits, and leaves no trace', async () => {
    const seen: string[] = [];
    const disks: SimulatedDisk[] = [];

    const finding = await look('sandbox', {
      prepare: async (disk) => {
        await disk.makeFolder('/home/run');
        disk.listen((path) => seen.push(path));
        disks.push(disk);
      },
    });

    expect(finding).toEqual({
      check: 'sandbox',
      state: 'ok',
      says: 'programs are isolated by /usr/bin/bwrap and held by control groups: output, time, memory, processes, cpu exactly; file size for each process; workspace a moment later',
    });
    expect(seen.filter((path) => path.endsWith('/pipe'))[0]).toMatch(/^\/home\/run\//);
    expect(await disks[0]?.list('/home/run')).toEqual([]);
  });

  test('that holds not all limits is a warning', async () => {
    const holds = { ...works.holds, memory: 'watched', cpu: 'not' } as const;

    const finding = await look('sandbox', {
      sandbox: { ...works, rung: 'rlimits', holds },
      prepare: (disk) => disk.makeFolder('/tmp'),
    });

    expect(finding).toMatchObject({
      state: 'warning',
      says: expect.stringMatching(
        /held by rlimits: .*workspace, memory a moment later; cpu not at all$/,
      ),
      fix: expect.stringContaining('Delegate=yes'),
    });
  });

  test('that does not stand is a failure with its fix', async () => {
    const finding = await look('sandbox', {
      sandbox: { kind: 'unavailable', says: 'bubblewrap is not installed', fix: 'install it' },
      prepare: (disk) => disk.makeFolder('/tmp'),
    });

    expect(finding).toEqual({
      check: 'sandbox',
      state: 'failed',
      says: 'programs of agents are refused: bubblewrap is not installed',
      fix: 'install it',
    });
  });
});
