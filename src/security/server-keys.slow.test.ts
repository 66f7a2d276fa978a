import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import { openServerKeys, type ServerKeys } from './server-keys.ts';

// Not in threes, so that its last character in base64 has bits that belong to no byte.
const plain = Buffer.from('{"operation_id":"01970","artifacts":[]}');
const label = 'operation 0197';
const seal = (keys: ServerKeys) => keys.seal('metadata', label, plain);
const opened = (keys: ServerKeys, sealed: string) =>
  Buffer.from(keys.open('metadata', label, sealed)).toString();

function temporaryServer() {
  const home = temporaryFolder();
  mkdirSync(home.at('keys'), { mode: 0o700 });
  let now = 1_900_000_000_000;
  return {
    path: home.at('keys/server.key'),
    folder: home.at('keys'),
    open: (seed = 'server') =>
      openServerKeys(
        { disk: realDisk, random: seededRandom(seed), clock: { now: () => now++ } },
        home.path,
      ),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test('the first opening makes a file of one line, for the owner only, which is found again', async () => {
  await using server = temporaryServer();
  const keys = await server.open();

  const sealed = seal(keys);
  const again = await server.open('other');

  expect(sealed).toMatch(new RegExp(`^aos1\\.${keys.current}\\.[\\w-]{16}\\.[\\w-]+$`));
  expect(opened(again, sealed)).toBe(plain.toString());
  expect(keys.keyOf(sealed)).toBe(keys.current);
  expect(again).toMatchObject({
    current: keys.current,
    madeAt: 1_900_000_000_000,
    hasOld: false,
  });
  expect(statSync(server.path).mode & 0o777).toBe(0o600);
  expect(readFileSync(server.path, 'utf8')).toMatch(
    new RegExp(
      `^{"version":1,"keys":\\[{"id":"${keys.current}","made_at":1900000000000,"secret_key":"0x[0-9a-f]{64}"}\\]}\n$`,
    ),
  );
});

test('two that open a new home at once have the same key', async () => {
  await using server = temporaryServer();

  const [one, two] = await Promise.all([server.open('one'), server.open('two')]);

  expect(opened(two, seal(one))).toBe(plain.toString());
  expect(await realDisk.list(server.folder)).toEqual(['server.key']);
});

test('nothing at all, and a lot, can be sealed', async () => {
  await using server = temporaryServer();
  const keys = await server.open();

  for (const bytes of [new Uint8Array(), new Uint8Array(1_000_000).fill(7)]) {
    const sealed = keys.seal('artifact-key', '', bytes);
    expect(keys.open('artifact-key', '', sealed)).toEqual(bytes);
  }
});

test('addKey() seals with a new key from then on, and the old one still opens', async () => {
  await using server = temporaryServer();
  const keys = await server.open();
  const before = { current: keys.current, madeAt: keys.madeAt, sealed: seal(keys) };

  const added = await keys.addKey();

  expect(keys).toMatchObject({ current: added, hasOld: true });
  expect(added).not.toBe(before.current);
  expect(keys.madeAt).toBeGreaterThan(before.madeAt);
  expect(keys.keyOf(seal(keys))).toBe(added);
  for (const each of [keys, await server.open()]) {
    expect(each.current).toBe(added);
    expect(each.keyOf(before.sealed)).toBe(before.current);
    expect(opened(each, before.sealed)).toBe(plain.toString());
  }
});

test('dropOld() leaves the current key and no trace of the others', async () => {
  await using server = temporaryServer();
  const keys = await server.open();
  const old = seal(keys);
  const secrets = secretsIn(readFileSync(server.path, 'utf8'));
  await keys.addKey();
  const current = seal(keys);
  // As a crash leaves it.
  writeFileSync(`${server.folder}/.server.key.0123456789abcdef.pending`, secrets[0] ?? '');

  await keys.dropOld();

  for (const each of [keys, await server.open()]) {
    expect(each.hasOld).toBe(false);
    expect(opened(each, current)).toBe(plain.toString());
    expect(() => opened(each, old)).toThrow(expect.objectContaining({ code: 'blob.wrong-key' }));
  }
  expect(await realDisk.list(server.folder)).toEqual(['server.key']);
  expect(secrets).toHaveLength(1);
  expect(readFileSync(server.path, 'utf8')).not.toContain(secrets[0]);
  await keys.dropOld();
  expect(opened(keys, current)).toBe(plain.toString());
});

test('two rotations at once lose no key that has sealed something', async () => {
  await using server = temporaryServer();
  const keys = await server.open();
  const sealed = [seal(keys)];

  const added = await Promise.all([keys.addKey(), keys.addKey(), keys.addKey()]);
  sealed.push(seal(keys));
  const later = keys.addKey();
  sealed.push(seal(keys));
  added.push(await later);
  sealed.push(seal(keys));

  expect(new Set(added).size).toBe(4);
  for (const each of [keys, await server.open()]) {
    expect(each.current).toBe(added.at(-1));
    for (const word of sealed) expect(opened(each, word)).toBe(plain.toString());
  }
});

test('what each of several rotations seals as soon as it has its key opens later', async () => {
  await using server = temporaryServer();
  const keys = await server.open();

  const rotations = Array.from({ length: 5 }, async () => {
    await keys.addKey();
    return seal(keys);
  });
  const words = await Promise.all(rotations);

  for (const each of [keys, await server.open()]) {
    for (const word of words) expect(opened(each, word)).toBe(plain.toString());
  }
});

test('dropOld() of one rotation keeps the key that another has brought meanwhile', async () => {
  await using server = temporaryServer();
  const keys = await server.open();
  const first = seal(keys);
  const one = await keys.addKey();
  const byOne = seal(keys);
  const two = await keys.addKey();
  const byTwo = seal(keys);

  await keys.dropOld(one);

  for (const each of [keys, await server.open()]) {
    expect(each).toMatchObject({ current: two, hasOld: true });
    expect(opened(each, byOne)).toBe(plain.toString());
    expect(opened(each, byTwo)).toBe(plain.toString());
    expect(() => opened(each, first)).toThrow();
  }
  await keys.dropOld(two);
  expect(keys.hasOld).toBe(false);
  await keys.dropOld(one);
  expect(opened(keys, byTwo)).toBe(plain.toString());
});

describe('what was sealed does not open', () => {
  test('for another purpose or another label', async () => {
    await using server = temporaryServer();
    const keys = await server.open();
    const sealed = seal(keys);
    const wrong = expect.objectContaining({ code: 'blob.wrong-key', fix: expect.any(String) });

    expect(() => keys.open('artifact-key', label, sealed)).toThrow(wrong);
    expect(() => keys.open('metadata', `${label} `, sealed)).toThrow(wrong);
    expect(() => keys.open('metadata', '', sealed)).toThrow(wrong);
  });

  test('with the key of another home', async () => {
    await using server = temporaryServer();
    await using other = temporaryServer();
    const sealed = seal(await server.open());
    const keys = await other.open('other');

    expect(() => opened(keys, sealed)).toThrow(expect.objectContaining({ code: 'blob.wrong-key' }));
    const renamed = sealed.replace(/^aos1\.[^.]+/, `aos1.${keys.current}`);
    expect(() => opened(keys, renamed)).toThrow(
      expect.objectContaining({ code: 'blob.wrong-key' }),
    );
  });

  test('when any character of it was changed', async () => {
    await using server = temporaryServer();
    const keys = await server.open();
    const sealed = seal(keys);

    for (let index = 0; index < sealed.length; index++) {
      const turned = sealed[index] === 'A' ? 'B' : 'A';
      const changed = `${sealed.slice(0, index)}${turned}${sealed.slice(index + 1)}`;
      expect(() => opened(keys, changed)).toThrow(
        expect.objectContaining({ code: 'blob.wrong-key' }),
      );
    }
  });

  test('when its last character is one of those that stand for the same bytes', async () => {
    await using server = temporaryServer();
    const keys = await server.open();
    const sealed = seal(keys);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

    const good = [...alphabet].filter((letter) => {
      try {
        return opened(keys, `${sealed.slice(0, -1)}${letter}`) === plain.toString();
      } catch {
        return false;
      }
    });

    expect(good).toEqual([sealed.at(-1)]);
  });

  test.each(['', 'aos1', 'aos1...', 'aos1.00000000.AAAAAAAAAAAAAAAA.', 'aosj1.a.b.c', '{}'])(
    'when it is %j',
    async (text) => {
      await using server = temporaryServer();
      const keys = await server.open();
      const wrong = expect.objectContaining({ code: 'blob.wrong-key' });

      expect(() => opened(keys, text)).toThrow(wrong);
      expect(() => keys.keyOf(text)).toThrow(wrong);
    },
  );
});

describe('the file is refused, and left alone, when it', () => {
  const key = { id: '0123abcd', made_at: 1, secret_key: `0x${'7'.repeat(64)}` };
  const good = { version: 1, keys: [key] };

  test.each([
    ['is empty', ''],
    ['is cut off', JSON.stringify(good).slice(0, 60)],
    ['is of a later version', JSON.stringify({ ...good, version: 2 })],
    ['says more than it should', JSON.stringify({ ...good, more: 1 })],
    ['holds no key', JSON.stringify({ ...good, keys: [] })],
    ['holds a key twice', JSON.stringify({ ...good, keys: [key, key] })],
    ['has a short secret', JSON.stringify({ ...good, keys: [{ ...key, secret_key: '0x77' }] })],
    ['has a strange id', JSON.stringify({ ...good, keys: [{ ...key, id: '../../x' }] })],
    ['has no time', JSON.stringify({ ...good, keys: [{ ...key, made_at: null }] })],
    ['is larger than any', JSON.stringify(good).padEnd(70_000)],
  ])('%s', async (_what, text) => {
    await using server = temporaryServer();
    writeFileSync(server.path, text, { mode: 0o600 });

    const attempt = server.open();

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringContaining(server.path),
    });
    await expect(attempt).rejects.not.toThrow('777777');
    expect(readFileSync(server.path, 'utf8')).toBe(text);
  });

  test('is open to others', async () => {
    await using server = temporaryServer();
    writeFileSync(server.path, JSON.stringify(good), { mode: 0o604 });

    await expect(server.open()).rejects.toThrow('open to others');
  });

  test('is a symlink', async () => {
    await using server = temporaryServer();
    writeFileSync(`${server.folder}/elsewhere`, JSON.stringify(good), { mode: 0o600 });
    symlinkSync(`${server.folder}/elsewhere`, server.path);

    await expect(server.open()).rejects.toMatchObject({ code: 'identity.broken-key' });
  });
});

test('a rotation whose power goes at any call loses no key, and an old one is in no file', async () => {
  let cuts = 0;
  for (let seed = 0; seed < 20; seed++) {
    let outcome = 'crashed';
    for (let call = 1; outcome === 'crashed'; call++, cuts++) {
      const disk = new SimulatedDisk({ seed });
      await disk.makeFolder('/keys');
      await disk.syncFolder('/');
      const random = seededRandom(seed);
      const open = () => openServerKeys({ disk, random, clock: { now: () => 5 } }, '/');
      const rotation: Rotation = { disk, open, mustOpen: [], secrets: new Set() };
      disk.crashAtCall(disk.calls + call);
      outcome = await rotate(rotation).then(() => 'rotated', crashed);
      if (outcome === 'rotated') disk.crash();
      disk.restart();

      const found = await open();
      for (const word of rotation.mustOpen) expect(opened(found, word)).toBe(plain.toString());
      await expectNoTrace(rotation);

      // The next start goes on with it.
      const current = seal(found);
      await found.dropOld();
      await expectNoTrace(rotation);
      disk.crash();
      disk.restart();
      expect(opened(await open(), current)).toBe(plain.toString());
      expect((await open()).hasOld).toBe(false);
      await expectNoTrace(rotation);
    }
  }
  expect(cuts).toBeGreaterThan(500);
});

test('what an earlier crash left beside the file is gone before an old key leaves it', async () => {
  for (let seed = 0; seed < 20; seed++) {
    let outcome = 'crashed';
    for (let call = 1; outcome === 'crashed'; call++) {
      const disk = new SimulatedDisk({ seed });
      await disk.makeFolder('/keys');
      await disk.syncFolder('/');
      const random = seededRandom(seed);
      const open = () => openServerKeys({ disk, random, clock: { now: () => 5 } }, '/');
      const rotation: Rotation = { disk, open, mustOpen: [], secrets: new Set() };
      const keys = await open();
      await noteSecrets(rotation);
      await disk.link('/keys/server.key', '/keys/.server.key.0123456789abcdef.pending');
      await keys.addKey();
      disk.crashAtCall(disk.calls + call);
      outcome = await keys.dropOld().then(() => 'dropped', crashed);
      if (outcome === 'dropped') disk.crash();
      disk.restart();

      await expectNoTrace(rotation);
    }
  }
});

test('a key whose file was put there but not synced is synced by who finds it', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const disk = new SimulatedDisk({ seed });
    await disk.makeFolder('/keys');
    await disk.syncFolder('/');
    const random = seededRandom(seed);
    const open = () => openServerKeys({ disk, random, clock: { now: () => 5 } }, '/');
    const keys = await open();
    const old = seal(keys);
    // create, append, sync, rename, and then the folder's sync.
    disk.failCall(disk.calls + 5, 'EIO');
    await expect(keys.addKey()).rejects.toMatchObject({ code: 'disk.failed' });

    const words = [old, seal(keys), seal(await open())];
    disk.crash();
    disk.restart();

    const found = await open();
    for (const word of words) expect(opened(found, word)).toBe(plain.toString());
  }
});

test('a full disk leaves the keys as they were', async () => {
  const disk = new SimulatedDisk({ seed: 1, capacityBytes: 200 });
  await disk.makeFolder('/keys');
  const clock = { now: () => 1_900_000_000_000 };
  const keys = await openServerKeys({ disk, random: seededRandom(1), clock }, '/');
  const { current } = keys;
  const sealed = seal(keys);

  await expect(keys.addKey()).rejects.toMatchObject({ code: 'disk.full' });

  expect(keys).toMatchObject({ current, hasOld: false });
  expect(opened(keys, sealed)).toBe(plain.toString());
  expect(await disk.list('/keys')).toEqual(['server.key']);
});

interface Rotation {
  readonly disk: SimulatedDisk;
  readonly open: () => Promise<ServerKeys>;
  /** What has to open whenever the power goes. */
  mustOpen: readonly string[];
  /** Of every key that was used. */
  readonly secrets: Set<string>;
}

async function rotate(rotation: Rotation): Promise<void> {
  const keys = await rotation.open();
  const first = seal(keys);
  rotation.mustOpen = [first];
  await noteSecrets(rotation);
  await keys.addKey();
  const second = seal(keys);
  rotation.mustOpen = [first, second];
  await noteSecrets(rotation);
  await keys.addKey();
  // By now all is sealed anew, so the old keys may go.
  rotation.mustOpen = [seal(keys)];
  await keys.dropOld();
}

async function noteSecrets({ disk, secrets }: Rotation): Promise<void> {
  for (const secret of secretsIn(await textOf(disk, 'server.key'))) secrets.add(secret);
}

/** What the key file no longer has stands in no file. */
async function expectNoTrace({ disk, secrets }: Rotation): Promise<void> {
  const kept = secretsIn(await textOf(disk, 'server.key'));
  const dropped = [...secrets].filter((secret) => !kept.includes(secret));
  for (const name of await disk.list('/keys')) {
    const text = await textOf(disk, name);
    expect(dropped.filter((secret) => text.includes(secret))).toEqual([]);
  }
}

async function textOf(disk: SimulatedDisk, name: string): Promise<string> {
  return Buffer.from(await readWholeFile(disk, `/keys/${name}`, 65_536)).toString();
}

function secretsIn(text: string): readonly string[] {
  return text.match(/0x[0-9a-f]{64}/g) ?? [];
}

function crashed(thrown: unknown): 'crashed' {
  if (thrown instanceof SimulatedCrash) return 'crashed';
  throw thrown;
}
