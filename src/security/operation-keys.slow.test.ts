import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import { type OperationKeys, openOperationKeys } from './operation-keys.ts';

const id = '0197a4c1d2e3f405060708090a0b0c0d';
const other = '0197a4c1d2e3f405060708090a0b0c0e';
const text = '{"kind":"asked","words":"what is in the letter — é🜁"}';

function temporaryKeys() {
  const home = temporaryFolder();
  mkdirSync(home.at('keys'), { mode: 0o700 });
  const random = seededRandom('operations');
  return {
    folder: home.at('keys/operations'),
    open: () => openOperationKeys({ disk: realDisk, random }, home.path),
    file: (name: string) => home.at(`keys/operations/${name}`),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test('make() makes a file of one line, for the owner only, and what it seals opens again', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);

  const sealed = keys.close(id, text);

  expect(sealed).toMatch(new RegExp(`^aosj1\\.${id}\\.[\\w-]{16}\\.[\\w-]+$`));
  expect(keys.open(sealed)).toBe(text);
  expect((await home.open()).open(sealed)).toBe(text);
  expect(statSync(home.folder).mode & 0o777).toBe(0o700);
  expect(statSync(home.file(`${id}.key`)).mode & 0o777).toBe(0o600);
  expect(readFileSync(home.file(`${id}.key`), 'utf8')).toMatch(
    new RegExp(`^{"version":1,"operation":"${id}","secret_key":"0x[0-9a-f]{64}"}\n$`),
  );
});

test('what has no key of its own, or is not sealed, stays as it is', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);

  expect(keys.close(other, text)).toBe(text);
  expect(keys.open(text)).toBe(text);
  expect(keys.open('')).toBe('');
});

test('the same text is never sealed to the same word', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);

  const words = new Set(Array.from({ length: 1000 }, () => keys.close(id, text)));

  expect(words.size).toBe(1000);
});

test('make() again, and by two at once, is the same key', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await Promise.all([keys.make(id), keys.make(id), keys.make(other)]);
  const sealed = keys.close(id, text);

  await keys.make(id);
  const again = await home.open();
  await again.make(id);

  expect(keys.open(sealed)).toBe(text);
  expect(again.open(sealed)).toBe(text);
  expect([...again.ids()].sort()).toEqual([id, other]);
  expect(await realDisk.list(home.folder)).toEqual([`${id}.key`, `${other}.key`]);
});

test('two that open a home at once both get what one of them makes', async () => {
  await using home = temporaryKeys();
  const [one, two] = await Promise.all([home.open(), home.open()]);

  await Promise.all([one.make(id), two.make(id)]);

  expect(two.open(one.close(id, text))).toBe(text);
});

test('what is destroyed opens nothing, now and after a start, and may be destroyed again', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);
  await keys.make(other);
  const sealed = keys.close(id, text);
  const kept = keys.close(other, text);

  await Promise.all([keys.destroy(id), keys.destroy(id)]);
  await keys.destroy(id);

  for (const each of [keys, await home.open()]) {
    expect(each.has(id)).toBe(false);
    expect(each.ids()).toEqual([other]);
    expect(JSON.parse(each.open(sealed))).toEqual({ erased: 'its key is gone' });
    expect(each.open(kept)).toBe(text);
  }
  expect(await realDisk.list(home.folder)).toEqual([`${other}.key`]);
});

test('destroy() leaves zeros under another name that the file has', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);
  linkSync(home.file(`${id}.key`), home.file('kept'));
  const { size } = statSync(home.file('kept'));

  await keys.destroy(id);

  expect(readFileSync(home.file('kept'))).toEqual(Buffer.alloc(size));
});

test('what is asked for in a row happens in that order', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();

  await Promise.all([keys.make(id), keys.destroy(id), keys.make(id), keys.destroy(id)]);
  const gone = keys.has(id);
  await Promise.all([keys.destroy(id), keys.make(id)]);

  expect(gone).toBe(false);
  expect(keys.has(id)).toBe(true);
  expect((await home.open()).open(keys.close(id, text))).toBe(text);
});

test.each(['../owner', 'a/b', '', '.', 'a.key', 'a\0', 'a\n', 'x'.repeat(101)])(
  'an operation is not called %j',
  async (name) => {
    await using home = temporaryKeys();
    const keys = await home.open();
    const owner = home.file('../owner.key');
    writeFileSync(owner, 'a key', { mode: 0o600 });

    await expect(keys.make(name)).rejects.toMatchObject({ code: 'operation.unknown' });
    await expect(keys.destroy(name)).rejects.toMatchObject({ code: 'operation.unknown' });
    expect(keys.has(name)).toBe(false);
    expect(readFileSync(owner, 'utf8')).toBe('a key');
  },
);

test('a sealed line does not open when anything in it was changed', async () => {
  await using home = temporaryKeys();
  const keys = await home.open();
  await keys.make(id);
  await keys.make(other);
  const sealed = keys.close(id, text);
  const [form, , nonce, body = ''] = sealed.split('.');

  for (let index = 'aosj1.'.length + id.length + 1; index < sealed.length; index++) {
    const turned = sealed[index] === 'A' ? 'B' : 'A';
    const changed = `${sealed.slice(0, index)}${turned}${sealed.slice(index + 1)}`;
    expect(JSON.parse(keys.open(changed))).toEqual({ erased: expect.any(String) });
  }
  for (const changed of [
    `${form}.${other}.${nonce}.${body}`,
    `${form}.${id}.${nonce}.${body}=`,
    `${form}.${id}.${nonce}.${body.slice(0, 20)}`,
    `${form}.${id}.${nonce}`,
    `${sealed}.more`,
    'aosj1.',
  ]) {
    expect(JSON.parse(keys.open(changed))).toEqual({ erased: expect.any(String) });
  }
});

describe('a start is refused, and the file left alone, when a key', () => {
  const good = { version: 1, operation: id, secret_key: `0x${'7'.repeat(64)}` };

  test.each([
    ['is empty', ''],
    ['is zeros', '\0'.repeat(140)],
    ['is cut off', JSON.stringify(good).slice(0, 60)],
    ['is of a later version', JSON.stringify({ ...good, version: 2 })],
    ['says more than it should', JSON.stringify({ ...good, more: 1 })],
    ['belongs to another operation', JSON.stringify({ ...good, operation: other })],
    ['has no secret', JSON.stringify({ ...good, secret_key: '0x7' })],
    ['is larger than any key', JSON.stringify(good).padEnd(2000)],
  ])('%s', async (_what, content) => {
    await using home = temporaryKeys();
    await home.open();
    const path = home.file(`${id}.key`);
    writeFileSync(path, content, { mode: 0o600 });

    const attempt = home.open();

    await expect(attempt).rejects.toMatchObject({
      code: 'identity.broken-key',
      message: expect.stringContaining(path),
    });
    await expect(attempt).rejects.not.toThrow('7777');
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('is open to others', async () => {
    await using home = temporaryKeys();
    await home.open();
    writeFileSync(home.file(`${id}.key`), JSON.stringify(good), { mode: 0o640 });

    await expect(home.open()).rejects.toThrow('open to others');
  });

  test('is a symlink', async () => {
    await using home = temporaryKeys();
    await home.open();
    writeFileSync(home.file('elsewhere'), JSON.stringify(good), { mode: 0o600 });
    symlinkSync(home.file('elsewhere'), home.file(`${id}.key`));

    await expect(home.open()).rejects.toMatchObject({ code: 'identity.broken-key' });
  });

  test('has no folder to be in', async () => {
    await using home = temporaryKeys();
    writeFileSync(home.folder, '');

    await expect(home.open()).rejects.toThrow('is not a folder');
  });
});

describe('after a power cut at any call', () => {
  interface World {
    readonly disk: SimulatedDisk;
    readonly open: () => Promise<OperationKeys>;
  }

  async function newWorld(seed: number): Promise<World> {
    const disk = new SimulatedDisk({ seed });
    const random = seededRandom(seed);
    await disk.makeFolder('/keys');
    await disk.syncFolder('/');
    return { disk, open: () => openOperationKeys({ disk, random }, '/') };
  }

  /** Runs it again and again, in a new world each time, and cuts the power a call later each time. */
  async function cutEverywhere(
    run: (world: World) => Promise<void>,
    check: (world: World, outcome: 'done' | 'crashed') => Promise<void>,
    prepare: (world: World) => Promise<void> = async () => {},
  ): Promise<void> {
    for (let seed = 0; seed < 20; seed++) {
      let outcome: 'done' | 'crashed' = 'crashed';
      for (let call = 1; outcome === 'crashed'; call++) {
        const world = await newWorld(seed);
        await prepare(world);
        world.disk.crashAtCall(world.disk.calls + call);
        outcome = await run(world).then(
          () => 'done' as const,
          (thrown: unknown) => {
            if (thrown instanceof SimulatedCrash) return 'crashed' as const;
            throw thrown;
          },
        );
        if (outcome === 'done') world.disk.crash();
        world.disk.restart();
        await check(world, outcome);
      }
    }
  }

  test('a key that has sealed something is there', async () => {
    let sealed: string | undefined;
    await cutEverywhere(
      async ({ open }) => {
        sealed = undefined;
        const keys = await open();
        await keys.make(id);
        sealed = keys.close(id, text);
      },
      async ({ disk, open }) => {
        const keys = await open();
        if (sealed !== undefined) expect(keys.open(sealed)).toBe(text);
        const again = await makeAndSeal(keys);
        disk.crash();
        disk.restart();
        expect((await open()).open(again)).toBe(text);
        expect(await disk.list('/keys/operations')).toEqual([`${id}.key`]);
      },
    );
  });

  test('a key that was found when its name was not yet safe is safe before it is used', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { disk, open } = await newWorld(seed);
      const first = await open();
      // create, append, sync, link, remove, and then the folder's sync.
      disk.failCall(disk.calls + 6, 'EIO');
      await expect(first.make(id)).rejects.toMatchObject({ code: 'disk.failed' });

      const sealed = await makeAndSeal(seed % 2 === 0 ? first : await open());
      disk.crash();
      disk.restart();

      expect((await open()).open(sealed)).toBe(text);
    }
  });

  test('a key is there or gone, and what was destroyed is in no file', async () => {
    let sealed = '';
    let secret = '';
    await cutEverywhere(
      async ({ open }) => (await open()).destroy(id),
      async ({ disk, open }, outcome) => {
        if (outcome === 'done') expect(await disk.list('/keys/operations')).toEqual([]);
        const keys = await open();
        if (keys.has(id)) expect(keys.open(sealed)).toBe(text);
        else expect(await secretsIn(disk)).not.toContain(secret);
        await keys.destroy(id);
        expect(await disk.list('/keys/operations')).toEqual([]);
        disk.crash();
        disk.restart();
        expect((await open()).has(id)).toBe(false);
        expect(await secretsIn(disk)).not.toContain(secret);
      },
      async ({ disk, open }) => {
        sealed = await makeAndSeal(await open());
        secret = /0x[0-9a-f]{64}/.exec(await secretsIn(disk))?.[0] ?? 'none';
      },
    );
    expect(secret).not.toBe('none');
  });

  async function makeAndSeal(keys: OperationKeys): Promise<string> {
    await keys.make(id);
    return keys.close(id, text);
  }

  async function secretsIn(disk: SimulatedDisk): Promise<string> {
    const folder = '/keys/operations';
    const files = (await disk.list(folder)).map((name) =>
      readWholeFile(disk, `${folder}/${name}`, 4096),
    );
    return Buffer.concat(await Promise.all(files)).toString();
  }
});

test('what comes while a key is being destroyed, or after that failed, is never plain', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/keys');
  const keys = await openOperationKeys({ disk, random: seededRandom(1) }, '/');
  await keys.make(id);
  // stat, rename, the folder's sync, and then the look at what there is to be destroyed.
  disk.failCall(disk.calls + 4, 'EIO');

  const destroying = keys.destroy(id);
  const during = keys.close(id, text);
  await expect(destroying).rejects.toMatchObject({ code: 'disk.failed' });
  const after = keys.close(id, text);

  expect([during, after].map((word) => word.slice(0, 6))).toEqual(['aosj1.', 'aosj1.']);
  await keys.destroy(id);
  expect(keys.has(id)).toBe(false);
  expect(await disk.list('/keys/operations')).toEqual([]);
});
