import { describe, expect, test } from 'vitest';
import type { FileWriter } from '../../src/kernel/ports.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../sim/disk.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index);

function cutPower(disk: SimulatedDisk): void {
  disk.crash();
  disk.restart();
}

async function createWith(disk: SimulatedDisk, path: string, text: string): Promise<FileWriter> {
  const writer = await disk.create(path);
  await writer.append(Buffer.from(text));
  return writer;
}

async function textAt(disk: SimulatedDisk, path: string): Promise<string> {
  await using reader = await disk.read(path);
  return Buffer.from(await reader.readAt(0, 1000)).toString();
}

/** Everything that is found, over many seeds, when the power goes after `work`. */
async function foundAfter(
  work: (disk: SimulatedDisk) => Promise<void>,
  look: (disk: SimulatedDisk) => Promise<string>,
): Promise<string[]> {
  const found = new Set<string>();
  for (const seed of seeds) {
    const disk = new SimulatedDisk({ seed });
    await work(disk);
    cutPower(disk);
    found.add(await look(disk));
  }
  return [...found].sort();
}

const names = async (disk: SimulatedDisk): Promise<string> => (await disk.list('/')).join(' ');

describe('a power cut', () => {
  test('keeps synced bytes and any beginning of the others', async () => {
    const found = await foundAfter(
      async (disk) => {
        const writer = await createWith(disk, '/a', 'safe');
        await writer.sync();
        await disk.syncFolder('/');
        await writer.append(Buffer.from('123'));
      },
      (disk) => textAt(disk, '/a'),
    );

    expect(found).toEqual(['safe', 'safe1', 'safe12', 'safe123']);
  });

  test("keeps or loses a new name that its folder's sync has not covered", async () => {
    const create = async (disk: SimulatedDisk): Promise<void> => {
      await (await createWith(disk, '/a', 'x')).sync();
    };
    const createAndSync = async (disk: SimulatedDisk): Promise<void> => {
      await create(disk);
      await disk.syncFolder('/');
    };

    expect(await foundAfter(create, names)).toEqual(['', 'a']);
    expect(await foundAfter(createAndSync, names)).toEqual(['a']);
  });

  test("may bring back a removed name until its folder's sync", async () => {
    const remove = async (disk: SimulatedDisk): Promise<void> => {
      await disk.makeFolder('/a');
      await disk.syncFolder('/');
      await disk.remove('/a');
    };
    const removeAndSync = async (disk: SimulatedDisk): Promise<void> => {
      await remove(disk);
      await disk.syncFolder('/');
    };

    expect(await foundAfter(remove, names)).toEqual(['', 'a']);
    expect(await foundAfter(removeAndSync, names)).toEqual(['']);
  });

  test('leaves exactly one name of a file that was renamed within its folder', async () => {
    const rename = async (disk: SimulatedDisk): Promise<void> => {
      await createWith(disk, '/old', '');
      await disk.syncFolder('/');
      await disk.rename('/old', '/new');
    };

    expect(await foundAfter(rename, names)).toEqual(['new', 'old']);
  });

  test('can leave both names or neither of a file that was moved to another folder', async () => {
    const move = async (disk: SimulatedDisk): Promise<void> => {
      await disk.makeFolder('/f');
      await createWith(disk, '/old', '');
      await disk.syncFolder('/');
      await disk.rename('/old', '/f/new');
    };
    const bothFolders = async (disk: SimulatedDisk): Promise<string> =>
      [...(await disk.list('/')), ...(await disk.list('/f'))].join(' ');

    expect(await foundAfter(move, bothFolders)).toEqual(['f', 'f new', 'f old', 'f old new']);
  });

  test('keeps or loses each name on its own', async () => {
    const createTwo = async (disk: SimulatedDisk): Promise<void> => {
      await disk.makeFolder('/a');
      await disk.makeFolder('/b');
    };

    expect(await foundAfter(createTwo, names)).toEqual(['', 'a', 'a b', 'b']);
  });

  test('takes a folder whose own name was not synced with all that was synced in it', async () => {
    const makeTree = async (disk: SimulatedDisk): Promise<void> => {
      await disk.makeFolder('/f');
      await (await createWith(disk, '/f/a', 'safe')).sync();
      await disk.syncFolder('/f');
    };
    const look = async (disk: SimulatedDisk): Promise<string> =>
      (await disk.stat('/f')) === undefined ? 'no folder' : textAt(disk, '/f/a');

    expect(await foundAfter(makeTree, look)).toEqual(['no folder', 'safe']);
  });

  test('leaves the same for the same seed', async () => {
    const run = async (): Promise<string> => {
      const disk = new SimulatedDisk({ seed: 7 });
      for (const name of 'abcdefgh') await disk.makeFolder(`/${name}`);
      cutPower(disk);
      return names(disk);
    };

    expect(await run()).toBe(await run());
  });

  test('leaves nothing that a second cut could still take', async () => {
    for (const seed of seeds) {
      const disk = new SimulatedDisk({ seed });
      for (const name of 'abcd') await disk.makeFolder(`/${name}`);
      cutPower(disk);
      const first = await names(disk);

      cutPower(disk);

      expect(await names(disk)).toBe(first);
    }
  });

  test('refuses every call until the restart, and open files also after it', async () => {
    const disk = new SimulatedDisk({ seed: 1 });
    await disk.syncFolder('/');
    const writer = await disk.create('/a');

    disk.crash();
    await expect(disk.list('/')).rejects.toBeInstanceOf(SimulatedCrash);
    await expect(writer.sync()).rejects.toBeInstanceOf(SimulatedCrash);
    disk.restart();

    await expect(disk.list('/')).resolves.toBeDefined();
    await expect(writer.append(Buffer.from('x'))).rejects.toBeInstanceOf(SimulatedCrash);
    await expect(writer.sync()).rejects.toBeInstanceOf(SimulatedCrash);
  });

  test.each([
    { call: 'sync', found: ['', 't', 'te', 'tex', 'text'] },
    { call: 'append', found: ['', '+', '++'] },
  ] as const)(
    'planned for a call comes in it, and that $call may have been done or not',
    async (planned) => {
      const found = new Set<string>();
      for (const seed of seeds) {
        const disk = new SimulatedDisk({ seed });
        const writer = await createWith(disk, '/a', planned.call === 'sync' ? 'text' : '');
        await disk.syncFolder('/');

        disk.crashAtCall(disk.calls + 1);
        const attempt = planned.call === 'sync' ? writer.sync() : writer.append(Buffer.from('++'));
        await expect(attempt).rejects.toBeInstanceOf(SimulatedCrash);
        await expect(disk.list('/')).rejects.toBeInstanceOf(SimulatedCrash);
        disk.restart();

        found.add(await textAt(disk, '/a'));
      }
      expect([...found].sort()).toEqual(planned.found);
    },
  );
});

describe('a full disk', () => {
  test('takes what fits, refuses the rest and has room again after a removal', async () => {
    const disk = new SimulatedDisk({ seed: 1, capacityBytes: 6 });
    const first = await createWith(disk, '/a', '1234');
    const second = await disk.create('/b');

    await expect(second.append(Buffer.from('567'))).rejects.toMatchObject({ code: 'disk.full' });
    expect(await textAt(disk, '/b')).toBe('56');
    await expect(first.append(Buffer.from('5'))).rejects.toMatchObject({ code: 'disk.full' });
    await disk.remove('/b');

    await expect(first.append(Buffer.from('56'))).resolves.toBeUndefined();
  });

  test('counts a file with two names once', async () => {
    const disk = new SimulatedDisk({ seed: 1, capacityBytes: 6 });
    const writer = await createWith(disk, '/a', '1234');
    await disk.link('/a', '/b');

    await expect(writer.append(Buffer.from('56'))).resolves.toBeUndefined();
  });
});

describe('a failing call', () => {
  test('has no effect, and the calls around it are not touched', async () => {
    const disk = new SimulatedDisk({ seed: 1 });
    disk.failCall(2, 'EIO');

    await disk.makeFolder('/a');
    await expect(disk.makeFolder('/b')).rejects.toMatchObject({ code: 'disk.failed' });
    await disk.makeFolder('/c');

    expect(await disk.list('/')).toEqual(['a', 'c']);
    expect(disk.calls).toBe(4);
  });

  test.each([
    ['ENOENT', 'disk.missing'],
    ['EEXIST', 'disk.exists'],
    ['EACCES', 'disk.denied'],
    ['EPERM', 'disk.denied'],
    ['ENOSPC', 'disk.full'],
    ['EDQUOT', 'disk.full'],
    ['EROFS', 'disk.read-only'],
    ['ENOTDIR', 'disk.not-a-folder'],
    ['EISDIR', 'disk.not-a-file'],
    ['ELOOP', 'disk.not-a-file'],
    ['ENXIO', 'disk.not-a-file'],
    ['ENOTEMPTY', 'disk.not-empty'],
    ['EMFILE', 'disk.too-many-open'],
    ['ENFILE', 'disk.too-many-open'],
    ['ENAMETOOLONG', 'disk.bad-name'],
    ['EINVAL', 'disk.bad-name'],
    ['EIO', 'disk.failed'],
    ['constructor', 'disk.failed'],
  ])(
    'with %s is a %s that names the path and keeps the code out of the sentence',
    async (osCode, code) => {
      const disk = new SimulatedDisk({ seed: 1 });
      disk.failCall(1, osCode);

      const failure = await disk.list('/a/path').catch((thrown: unknown) => thrown);

      expect(failure).toMatchObject({
        code,
        details: { os_code: osCode },
        fix: expect.any(String),
      });
      expect(failure).toHaveProperty('message', expect.stringContaining('"/a/path"'));
      expect(failure).toHaveProperty('message', expect.not.stringContaining(osCode));
    },
  );
});

test('the simulated disk takes the time of change from its clock', async () => {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  const writer = await disk.create('/a');

  await clock.advance(5000);
  await writer.append(Buffer.from('x'));

  expect(await disk.stat('/a')).toMatchObject({ modifiedAt: clock.now() });
});
