import { describe, expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import type { Disk, DiskView } from '../ports.ts';
import {
  createFileDurably,
  type DurableFileDeps,
  readWholeFile,
  writeFileDurably,
} from './durable-file.ts';

const path = '/home/config.json';
const oldText = 'the old content';
const newText = 'the new content, which is longer';
const seeds = Array.from({ length: 40 }, (_, index) => index);

type Protocol = (deps: DurableFileDeps, path: string, bytes: Uint8Array) => Promise<void>;
type Outcome = 'resolved' | 'crashed';

async function write(disk: Disk, at: string, text: string): Promise<void> {
  await using writer = await disk.create(at);
  await writer.append(Buffer.from(text));
  await writer.sync();
}

async function diskWithFolder(options: { seed: number; capacityBytes?: number }) {
  const disk = new SimulatedDisk(options);
  await disk.makeFolder('/home');
  await disk.syncFolder('/');
  return disk;
}

async function diskWithOldFile(options: { seed: number; capacityBytes?: number }) {
  const disk = await diskWithFolder(options);
  await write(disk, path, oldText);
  await disk.syncFolder('/home');
  return disk;
}

async function textAt(disk: DiskView, at: string): Promise<string | undefined> {
  if ((await disk.stat(at)) === undefined) return undefined;
  return Buffer.from(await readWholeFile(disk, at, 1024)).toString();
}

/** Runs the protocol until the power goes in its nth call, or right after it resolved. */
async function runUntilPowerLoss(
  protocol: Protocol,
  disk: SimulatedDisk,
  call: number,
): Promise<Outcome> {
  disk.crashAtCall(disk.calls + call);
  const deps = { disk, random: seededRandom('pending names') };
  const outcome = await protocol(deps, path, Buffer.from(newText)).then(
    (): Outcome => 'resolved',
    (thrown: unknown): Outcome => {
      if (thrown instanceof SimulatedCrash) return 'crashed';
      throw thrown;
    },
  );
  if (outcome === 'resolved') disk.crash();
  disk.restart();
  return outcome;
}

/** What goes against R1 or R2, over every call of the protocol and many power cuts. */
async function violations(
  protocol: Protocol,
  makeDisk: (options: { seed: number }) => Promise<SimulatedDisk>,
  before: string | undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const seed of seeds) {
    let outcome: Outcome = 'crashed';
    for (let call = 1; outcome === 'crashed'; call++) {
      const disk = await makeDisk({ seed });
      outcome = await runUntilPowerLoss(protocol, disk, call);
      const after = await textAt(disk, path);
      const allowed = outcome === 'resolved' ? [newText] : [before, newText];
      if (!allowed.includes(after)) found.push(`${outcome} in call ${call}, found ${after}`);
    }
  }
  return found;
}

const withoutFileSync: Protocol = async ({ disk }, target, bytes) => {
  {
    await using writer = await disk.create(`${target}.pending`);
    await writer.append(bytes);
  }
  await disk.rename(`${target}.pending`, target);
  await disk.syncFolder('/home');
};

const withoutFolderSync: Protocol = async ({ disk }, target) => {
  await write(disk, `${target}.pending`, newText);
  await disk.rename(`${target}.pending`, target);
};

const withoutRename: Protocol = async ({ disk }, target) => {
  await disk.remove(target);
  await write(disk, target, newText);
  await disk.syncFolder('/home');
};

describe('writeFileDurably()', () => {
  test('leaves the file wholly old or wholly new, and new once it resolved, whenever the power goes', async () => {
    expect(await violations(writeFileDurably, diskWithOldFile, oldText)).toEqual([]);
  });

  test('does the same where no file stood before', async () => {
    expect(await violations(writeFileDurably, diskWithFolder, undefined)).toEqual([]);
  });

  test.each([
    { withoutWhat: "the file's sync", protocol: withoutFileSync },
    { withoutWhat: "the folder's sync", protocol: withoutFolderSync },
    { withoutWhat: 'the rename', protocol: withoutRename },
  ])('would be found to lose data without $withoutWhat', async ({ protocol }) => {
    expect(await violations(protocol, diskWithOldFile, oldText)).not.toEqual([]);
  });

  // create, append, sync and rename; the fifth call is the folder's sync.
  test.each([1, 2, 3, 4])(
    'keeps the old file and no other when call %i finds the disk full',
    async (call) => {
      const disk = await diskWithOldFile({ seed: 1 });
      disk.failCall(disk.calls + call, 'ENOSPC');

      const attempt = writeFileDurably(
        { disk, random: seededRandom(1) },
        path,
        Buffer.from(newText),
      );

      await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
      expect(await textAt(disk, path)).toBe(oldText);
      expect(await disk.list('/home')).toEqual(['config.json']);
    },
  );

  test("says so when only the folder's sync failed, and leaves the new content", async () => {
    const disk = await diskWithOldFile({ seed: 1 });
    disk.failCall(disk.calls + 5, 'EIO');

    const attempt = writeFileDurably({ disk, random: seededRandom(1) }, path, Buffer.from(newText));

    await expect(attempt).rejects.toMatchObject({ code: 'disk.failed' });
    expect(await textAt(disk, path)).toBe(newText);
  });

  test('keeps the old file and no other wherever in the bytes the disk becomes full', async () => {
    for (let room = 0; room < newText.length; room++) {
      const disk = await diskWithOldFile({ seed: 1, capacityBytes: oldText.length + room });

      const attempt = writeFileDurably(
        { disk, random: seededRandom(1) },
        path,
        Buffer.from(newText),
      );

      await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
      expect(await textAt(disk, path)).toBe(oldText);
      expect(await disk.list('/home')).toEqual(['config.json']);
    }
  });

  test('tells the first failure when the pending file cannot be removed either', async () => {
    const disk = await diskWithOldFile({ seed: 1 });
    disk.failCall(disk.calls + 2, 'ENOSPC');
    disk.failCall(disk.calls + 3, 'EIO');

    const attempt = writeFileDurably({ disk, random: seededRandom(1) }, path, Buffer.from(newText));

    await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
  });

  test('does not remove a pending file of somebody else', async () => {
    const disk = await diskWithFolder({ seed: 1 });
    const random = { bytes: (size: number) => new Uint8Array(size).fill(0xab) };
    const pending = '/home/.config.json.abababababababab.pending';
    await write(disk, pending, 'not ours');

    const attempt = writeFileDurably({ disk, random }, path, Buffer.from(newText));

    await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
    expect(await textAt(disk, pending)).toBe('not ours');
  });

  test.each([
    { what: 'ASCII', name: 'n'.repeat(255) },
    { what: 'two-byte', name: `n${'é'.repeat(127)}` },
    { what: 'four-byte', name: `nnn${'🜁'.repeat(63)}` },
  ])('writes under a name of 255 bytes of $what characters', async ({ name }) => {
    const disk = await diskWithFolder({ seed: 1 });

    await writeFileDurably(
      { disk, random: seededRandom(1) },
      `/home/${name}`,
      Buffer.from(newText),
    );

    expect(await disk.list('/home')).toEqual([name]);
  });

  test('writes into the root folder and into the current one', async () => {
    const disk = new SimulatedDisk({ seed: 1 });
    const deps = { disk, random: seededRandom(1) };

    await writeFileDurably(deps, '/in-root', Buffer.from(newText));
    await writeFileDurably(deps, 'in-current', Buffer.from(newText));

    disk.crash();
    disk.restart();
    expect(await disk.list('/')).toEqual(['in-current', 'in-root']);
  });
});

describe('createFileDurably()', () => {
  test('leaves nothing or the whole file, and the file once it resolved, whenever the power goes', async () => {
    expect(await violations(createFileDurably, diskWithFolder, undefined)).toEqual([]);
  });

  test('leaves no pending file, even after a power cut', async () => {
    for (const seed of seeds) {
      const disk = await diskWithFolder({ seed });
      await createFileDurably({ disk, random: seededRandom(1) }, path, Buffer.from(newText));

      disk.crash();
      disk.restart();

      expect(await disk.list('/home')).toEqual(['config.json']);
    }
  });

  test('refuses a name that is taken and leaves what stands there', async () => {
    const disk = await diskWithOldFile({ seed: 1 });

    const attempt = createFileDurably(
      { disk, random: seededRandom(1) },
      path,
      Buffer.from(newText),
    );

    await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
    expect(await textAt(disk, path)).toBe(oldText);
    expect(await disk.list('/home')).toEqual(['config.json']);
  });

  // create, append, sync and link; the remove and the folder's sync come after the name.
  test.each([1, 2, 3, 4])(
    'leaves nothing at all when call %i finds the disk full',
    async (call) => {
      const disk = await diskWithFolder({ seed: 1 });
      disk.failCall(disk.calls + call, 'ENOSPC');

      const attempt = createFileDurably(
        { disk, random: seededRandom(1) },
        path,
        Buffer.from(newText),
      );

      await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
      expect(await disk.list('/home')).toEqual([]);
    },
  );
});

describe('readWholeFile()', () => {
  /** A file that says one size and has another; it may answer only the first read. */
  function viewOf(file: {
    saysBytes: number;
    bytes: Uint8Array;
    answers?: 'first read';
  }): DiskView {
    return {
      list: async () => [],
      stat: async () => undefined,
      readLink: async () => '',
      read: async () => ({
        sizeBytes: async () => file.saysBytes,
        identity: async () => {
          throw new Error('nobody asks');
        },
        readAt: async (offset, length) =>
          offset > 0 && file.answers === 'first read'
            ? new Uint8Array()
            : file.bytes.slice(offset, offset + length),
        [Symbol.asyncDispose]: async () => {},
      }),
    };
  }

  test.each([0, 1, 4095, 4096, 4097, 100_000])(
    'reads a file of %i bytes up to its limit',
    async (size) => {
      const bytes = seededRandom(size).bytes(size);
      const view = viewOf({ saysBytes: size, bytes });

      expect(await readWholeFile(view, 'x', size)).toEqual(bytes);
      expect(await readWholeFile(view, 'x', size + 1)).toEqual(bytes);
    },
  );

  test('refuses a file of one byte more than the limit, in words', async () => {
    const view = viewOf({ saysBytes: 11, bytes: new Uint8Array(11) });

    const attempt = readWholeFile(view, '/home/big\n', 10);

    await expect(attempt).rejects.toMatchObject({
      code: 'disk.too-large',
      message: String.raw`"/home/big\n" is larger than the 10 bytes that it may have`,
    });
  });

  test('reads a file that grew after it told its size to its end', async () => {
    const bytes = seededRandom(1).bytes(50_000);

    expect(await readWholeFile(viewOf({ saysBytes: 10, bytes }), 'x', 50_000)).toEqual(bytes);
  });

  test('refuses a file that grew beyond the limit after it told its size', async () => {
    const view = viewOf({ saysBytes: 10, bytes: new Uint8Array(50_001) });

    await expect(readWholeFile(view, 'x', 50_000)).rejects.toMatchObject({
      code: 'disk.too-large',
    });
  });

  test('gives what is left of a file that shrank after it told its size', async () => {
    const view = viewOf({ saysBytes: 10_000, bytes: Buffer.from('left') });

    expect(Buffer.from(await readWholeFile(view, 'x', 20_000)).toString()).toBe('left');
  });

  test('reads a file that says it is empty and answers one read only, as in /proc/sys', async () => {
    const view = viewOf({ saysBytes: 0, bytes: Buffer.from('524288\n'), answers: 'first read' });

    expect(Buffer.from(await readWholeFile(view, 'x', 64)).toString()).toBe('524288\n');
  });
});
