import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { keyPath, loadKey, loadOrCreateKey } from './key-file.ts';
import { newKeyPair, toHex } from './key-pair.ts';

const deps = () => ({ disk: realDisk, random: seededRandom('keys') });
const key = newKeyPair(seededRandom('a good key'));
const goodFile = {
  version: 1,
  principal: 'agent:jean',
  address: key.address,
  secret_key: toHex(key.secretKey),
};

test('loadOrCreateKey() makes a file of one line, for the owner only, and finds it again', async () => {
  await using keys = temporaryFolder();

  const made = await loadOrCreateKey(deps(), keys.path, 'agent:jean');
  const found = await loadOrCreateKey(
    { disk: realDisk, random: seededRandom('other') },
    keys.path,
    'agent:jean',
  );

  expect(found).toEqual(made);
  const path = keys.at('agent-jean.key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe(
    `{"version":1,"principal":"agent:jean","address":"${made.address}","secret_key":"${toHex(made.secretKey)}"}\n`,
  );
});

test('two that make the key of one principal at once get the same key', async () => {
  await using keys = temporaryFolder();

  const [one, other] = await Promise.all(
    ['one', 'other'].map((seed) =>
      loadOrCreateKey({ disk: realDisk, random: seededRandom(seed) }, keys.path, 'owner'),
    ),
  );

  expect(one).toEqual(other);
  expect(await loadKey(realDisk, keys.path, 'owner')).toEqual(one);
  expect(await realDisk.list(keys.path)).toEqual(['owner.key']);
});

test('loadKey() finds nothing where nothing is', async () => {
  await using keys = temporaryFolder();

  expect(await loadKey(realDisk, keys.path, 'owner')).toBeUndefined();
});

test('a key that was handed out is there after every power cut', async () => {
  for (let seed = 0; seed < 20; seed++) {
    let outcome = 'crashed';
    for (let call = 1; outcome === 'crashed'; call++) {
      const disk = new SimulatedDisk({ seed });
      await disk.makeFolder('/keys');
      await disk.syncFolder('/');
      disk.crashAtCall(disk.calls + call);
      const first = { disk, random: seededRandom('first') };
      outcome = await loadOrCreateKey(first, '/keys', 'owner').then(
        () => 'made',
        (thrown: unknown) => {
          if (thrown instanceof SimulatedCrash) return 'crashed';
          throw thrown;
        },
      );
      if (outcome === 'made') disk.crash();
      disk.restart();

      // The next start adopts what it finds, or makes another.
      const before = await loadKey(disk, '/keys', 'owner');
      const adopted = await loadOrCreateKey(
        { disk, random: seededRandom('second') },
        '/keys',
        'owner',
      );
      disk.crash();
      disk.restart();

      if (outcome === 'made') expect(before).toBeDefined();
      if (before !== undefined) expect(adopted).toEqual(before);
      expect(await loadKey(disk, '/keys', 'owner')).toEqual(adopted);
    }
  }
});

test('a key whose name was made but not synced is synced by who finds it', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const disk = new SimulatedDisk({ seed });
    await disk.makeFolder('/keys');
    await disk.syncFolder('/');
    // stat, create, append, sync, link, remove, and then the folder's sync.
    disk.failCall(disk.calls + 7, 'EIO');
    const deps = { disk, random: seededRandom('first') };
    await expect(loadOrCreateKey(deps, '/keys', 'owner')).rejects.toMatchObject({
      code: 'disk.failed',
    });

    const adopted = await loadOrCreateKey(deps, '/keys', 'owner');
    disk.crash();
    disk.restart();

    expect(await loadKey(disk, '/keys', 'owner')).toEqual(adopted);
  }
});

describe('a key file is refused, named and left alone when it', () => {
  const other = newKeyPair(seededRandom('another key'));

  test.each([
    ['is empty', ''],
    ['is cut off', JSON.stringify(goodFile).slice(0, 60)],
    ['is no object', '[]'],
    ['is of a later version', JSON.stringify({ ...goodFile, version: 2 })],
    ['says more than it should', JSON.stringify({ ...goodFile, more: 1 })],
    ['says less than it should', JSON.stringify({ ...goodFile, secret_key: undefined })],
    ['belongs to somebody else', JSON.stringify({ ...goodFile, principal: 'agent:Jean' })],
    ['has another address', JSON.stringify({ ...goodFile, address: other.address })],
    [
      'has its address in small letters',
      JSON.stringify({ ...goodFile, address: key.address.toLowerCase() }),
    ],
    ['has no secret', JSON.stringify({ ...goodFile, secret_key: '0x' })],
    [
      'has a secret out of range',
      JSON.stringify({ ...goodFile, secret_key: `0x${'f'.repeat(64)}` }),
    ],
    ['is larger than any key', `${JSON.stringify(goodFile)}${' '.repeat(5000)}`],
  ])('%s', async (_what, text) => {
    await using keys = temporaryFolder();
    const path = keyPath(keys.path, 'agent:jean');
    writeFileSync(path, text, { mode: 0o600 });

    const attempt = loadOrCreateKey(deps(), keys.path, 'agent:jean');

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringContaining(path),
    });
    await expect(attempt).rejects.not.toThrow(goodFile.secret_key);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test.each([0o640, 0o604, 0o660, 0o644, 0o610])('has the mode %o', async (mode) => {
    await using keys = temporaryFolder();
    const path = keyPath(keys.path, 'agent:jean');
    writeFileSync(path, JSON.stringify(goodFile));
    chmodSync(path, mode);

    const attempt = loadOrCreateKey(deps(), keys.path, 'agent:jean');

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringContaining('open to others'),
    });
  });

  test.each(['symlink', 'folder'])('is a %s', async (kind) => {
    await using keys = temporaryFolder();
    const path = keyPath(keys.path, 'agent:jean');
    writeFileSync(keys.at('elsewhere'), JSON.stringify(goodFile), { mode: 0o600 });
    if (kind === 'symlink') symlinkSync(keys.at('elsewhere'), path);
    else mkdirSync(path);

    const attempt = loadOrCreateKey(deps(), keys.path, 'agent:jean');

    await expect(attempt).rejects.toMatchObject({ code: 'identity.broken-key' });
  });

  test('cannot be read', async () => {
    const disk = new SimulatedDisk({ seed: 1 });
    await loadOrCreateKey({ disk, random: seededRandom(1) }, '/', 'owner');
    disk.failCall(disk.calls + 2, 'EACCES');

    const attempt = loadKey(disk, '/', 'owner');

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringContaining('owner.key'),
    });
  });
});
