import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryLedger } from '../../tests/support/temporary-ledger.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk, Random } from '../kernel/ports.ts';
import { readEvents } from '../ledger/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { findPrincipal, findPrincipalOfHandle } from '../ledger/security/principals.ts';
import { hashOfHandle } from './handles.ts';
import { recoverAddress } from './identity/key-pair.ts';
import { ensureOwner } from './owner.ts';

const clock = new SimulatedClock();

interface Home extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly path: string;
  readonly random: Random;
  key(name: string): string;
}

async function temporaryHome(): Promise<Home> {
  const temporary = await temporaryLedger({ clock });
  mkdirSync(join(temporary.folder, 'keys'), { mode: 0o700 });
  return {
    ledger: temporary.ledger,
    path: temporary.folder,
    random: seededRandom('owner'),
    key: (name) => join(temporary.folder, 'keys', name),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

function start({ ledger, random, path }: Home) {
  return ensureOwner({ ledger, disk: realDisk, random, clock }, path);
}

function principalOf(ledger: Ledger, handle: string): Promise<string | undefined> {
  return findPrincipalOfHandle(ledger.committed, hashOfHandle(handle.trim()), clock.now());
}

async function eventKinds(ledger: Ledger): Promise<string[]> {
  const page = { limit: 100, order: 'oldest-first' } as const;
  return (await readEvents(ledger.committed, {}, page)).map(({ kind }) => kind);
}

/** A ledger whose next transaction fails, as when the disk is full. */
function failingOnce(ledger: Ledger): Ledger {
  let failed = false;
  return {
    committed: ledger.committed,
    transact(work) {
      if (failed) return ledger.transact(work);
      failed = true;
      return Promise.reject(new AosError('ledger.full', { message: 'There is no room' }));
    },
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: async () => {},
  };
}

test('the first start makes a key, a row, a handle and an event', async () => {
  await using home = await temporaryHome();

  const owner = await start(home);

  expect(await findPrincipal(home.ledger.committed, 'owner')).toMatchObject({
    kind: 'human',
    address: owner.address,
    created_at: clock.now(),
  });
  const handle = readFileSync(home.key('owner.handle'), 'utf8');
  expect(handle).toMatch(/^aos_[\w-]{43}\n$/);
  expect(await principalOf(home.ledger, handle)).toBe('owner');
  expect(statSync(home.key('owner.handle')).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.key('.'))).toEqual(['owner.handle', 'owner.key']);
  expect(await eventKinds(home.ledger)).toEqual(['identity.owner-created']);
  expect(recoverAddress('text', owner.sign('text'))).toBe(owner.address);
});

test('the handle stands nowhere in the ledger', async () => {
  await using home = await temporaryHome();
  await start(home);

  await home.ledger.copyTo(join(home.path, 'copy.db'));

  const handle = readFileSync(home.key('owner.handle'), 'utf8').trim();
  expect(readFileSync(join(home.path, 'copy.db')).includes(handle)).toBe(false);
});

test('a later start changes nothing', async () => {
  await using home = await temporaryHome();
  const first = await start(home);
  const handle = readFileSync(home.key('owner.handle'), 'utf8');

  const second = await start(home);

  expect(second.address).toBe(first.address);
  expect(readFileSync(home.key('owner.handle'), 'utf8')).toBe(handle);
  expect(await eventKinds(home.ledger)).toEqual(['identity.owner-created']);
});

describe('a later start is refused', () => {
  test('without the key, and makes no other one', async () => {
    await using home = await temporaryHome();
    const { address } = await start(home);
    rmSync(home.key('owner.key'));

    const attempt = start(home);

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.missing-key',
      message: expect.stringContaining(address),
    });
    expect(readdirSync(home.key('.'))).toEqual(['owner.handle']);
  });

  test('with the key of another home', async () => {
    await using home = await temporaryHome();
    await using other = await temporaryHome();
    const [ours, theirs] = [
      await start(home),
      await start({ ...other, random: seededRandom('other') }),
    ];
    writeFileSync(home.key('owner.key'), readFileSync(other.key('owner.key')));

    const attempt = start(home);

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringMatching(new RegExp(`${theirs.address}.*${ours.address}`)),
    });
  });

  test('with a broken key', async () => {
    await using home = await temporaryHome();
    await start(home);
    writeFileSync(home.key('owner.key'), '{}');

    await expect(start(home)).rejects.toMatchObject({ code: 'identity.broken-key' });
  });
});

describe('a later start makes a new handle, and ends the old one, when the file', () => {
  const harms: readonly [string, string, (path: string) => void][] = [
    ['is missing', 'missing', (path) => rmSync(path)],
    ['is empty', 'malformed', (path) => writeFileSync(path, '')],
    ['is too large', 'malformed', (path) => writeFileSync(path, 'x'.repeat(1000))],
    [
      'holds a handle nobody knows',
      'unknown',
      (path) => writeFileSync(path, `aos_${'a'.repeat(43)}\n`),
    ],
    ['is open to others', 'open-to-others', (path) => chmodSync(path, 0o644)],
    [
      'is a symlink',
      'malformed',
      (path) => {
        rmSync(path);
        symlinkSync('/etc/hostname', path);
      },
    ],
  ];

  test.each(harms)('%s', async (_what, reason, harm) => {
    await using home = await temporaryHome();
    await start(home);
    const before = readFileSync(home.key('owner.handle'), 'utf8');
    harm(home.key('owner.handle'));

    await start(home);

    const after = readFileSync(home.key('owner.handle'), 'utf8');
    expect(await principalOf(home.ledger, before)).toBeUndefined();
    expect(await principalOf(home.ledger, after)).toBe('owner');
    expect(statSync(home.key('owner.handle')).mode & 0o777).toBe(0o600);
    const [renewed] = await readEvents(
      home.ledger.committed,
      { kind: 'identity.handle-renewed' },
      { limit: 1, order: 'newest-first' },
    );
    expect(JSON.parse(renewed?.data ?? '')).toEqual({ reason, revoked: 1 });
  });
});

describe('the next start heals', () => {
  test('a first start whose transaction failed: the key is adopted, the handle replaced', async () => {
    await using home = await temporaryHome();
    const attempt = start({ ...home, ledger: failingOnce(home.ledger) });
    await expect(attempt).rejects.toMatchObject({ code: 'ledger.full' });
    const key = readFileSync(home.key('owner.key'), 'utf8');
    const orphan = readFileSync(home.key('owner.handle'), 'utf8');

    await start(home);

    expect(readFileSync(home.key('owner.key'), 'utf8')).toBe(key);
    expect(await principalOf(home.ledger, orphan)).toBeUndefined();
    expect(await principalOf(home.ledger, readFileSync(home.key('owner.handle'), 'utf8'))).toBe(
      'owner',
    );
    expect(await eventKinds(home.ledger)).toEqual(['identity.owner-created']);
  });

  test('a renewal whose transaction failed', async () => {
    await using home = await temporaryHome();
    await start(home);
    rmSync(home.key('owner.handle'));
    const attempt = start({ ...home, ledger: failingOnce(home.ledger) });
    await expect(attempt).rejects.toMatchObject({ code: 'ledger.full' });

    await start(home);

    expect(await principalOf(home.ledger, readFileSync(home.key('owner.handle'), 'utf8'))).toBe(
      'owner',
    );
    expect(await eventKinds(home.ledger)).toEqual([
      'identity.owner-created',
      'identity.handle-renewed',
    ]);
  });

  /** Runs a start on which the power goes in that call, then one that is left alone. */
  async function startTwice(disk: SimulatedDisk, ledger: Ledger, call: number) {
    const attempt = (seed: string, on: Disk = disk) =>
      ensureOwner({ ledger, disk: on, random: seededRandom(seed), clock }, '/');
    disk.crashAtCall(disk.calls + call);
    const outcome = await attempt(`first ${call}`).then(
      () => 'started',
      (thrown: unknown) => {
        if (thrown instanceof SimulatedCrash) return 'crashed';
        throw thrown;
      },
    );
    if (outcome === 'started') disk.crash();
    disk.restart();
    const owner = await attempt(`second ${call}`);
    disk.crash();
    disk.restart();
    const handle = Buffer.from(await readWholeFile(disk, '/keys/owner.handle', 100)).toString();
    return { outcome, owner, handle };
  }

  async function diskWithKeysFolder(seed: number): Promise<SimulatedDisk> {
    const disk = new SimulatedDisk({ seed });
    await disk.makeFolder('/keys');
    await disk.syncFolder('/');
    return disk;
  }

  test.each([1, 2, 3, 4])(
    'a power cut in any disk call of a first start, seed %i',
    async (seed) => {
      for (let call = 1, outcome = 'crashed'; outcome === 'crashed'; call++) {
        await using home = await temporaryHome();
        const disk = await diskWithKeysFolder(seed);

        const result = await startTwice(disk, home.ledger, call);

        outcome = result.outcome;
        expect(await findPrincipal(home.ledger.committed, 'owner')).toMatchObject({
          address: result.owner.address,
        });
        expect(await principalOf(home.ledger, result.handle)).toBe('owner');
      }
    },
  );

  test.each([1, 2, 3, 4])('a power cut in any disk call of a renewal, seed %i', async (seed) => {
    for (let call = 1, outcome = 'crashed'; outcome === 'crashed'; call++) {
      await using home = await temporaryHome();
      const disk = await diskWithKeysFolder(seed);
      const deps = { ledger: home.ledger, disk, random: seededRandom('zero'), clock };
      const first = await ensureOwner(deps, '/');
      await disk.remove('/keys/owner.handle');
      await disk.syncFolder('/keys');

      const result = await startTwice(disk, home.ledger, call);

      outcome = result.outcome;
      expect(result.owner.address).toBe(first.address);
      expect(await principalOf(home.ledger, result.handle)).toBe('owner');
    }
  });
});
