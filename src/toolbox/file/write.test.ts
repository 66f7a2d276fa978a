import { chownSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { methodsOf } from '../../../tests/support/changing-disk.ts';
import { isRoot } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runTool, type TestCallOptions } from '../../../tests/support/tool-call.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { actionOnFile } from '../../verbs/verb.ts';
import { permitOf } from './read.ts';
import { fileWrite, type IfExists, writeFileWithin } from './write.ts';

const random = seededRandom(1);
const home = '/home/.aos';

interface World {
  readonly disk: SimulatedDisk;
  write(args: object, options?: Partial<TestCallOptions>): Promise<unknown>;
  textAt(path: string): Promise<string>;
}

async function world(files: Readonly<Record<string, string>> = {}, seed = 1): Promise<World> {
  const disk = new SimulatedDisk({ seed, capacityBytes: 10_000 });
  for (const path of ['/w', '/w/sub', '/out']) await disk.makeFolder(path);
  for (const [path, content] of Object.entries(files)) {
    await using writer = await disk.create(path, { mode: 0o640 });
    await writer.append(Buffer.from(content));
    await writer.sync();
  }
  for (const path of ['/', '/w', '/w/sub', '/out']) await disk.syncFolder(path);
  return {
    disk,
    write: (args, options) =>
      runTool(fileWrite({ disk, random, home }), args, {
        capabilities: ['file:/w/**:write'],
        ...options,
      }),
    async textAt(path) {
      await using reader = await disk.read(path);
      return Buffer.from(await reader.readAt(0, 10_000)).toString();
    },
  };
}

/** A tool that writes what a test hands to it, part by part. */
function partWriter(disk: Disk, ifExists: IfExists, parts: AsyncIterable<Uint8Array>): Tool {
  return defineTool({
    name: 'test.write',
    summary: 'Write parts',
    schema: z.strictObject({ path: z.string() }),
    effect: 'write',
    actions: ({ path }) => [actionOnFile(home, path, 'write')],
    run: ({ path }, call) =>
      writeFileWithin(
        { disk, random, home },
        call,
        { path, ifExists, permit: permitOf(call) },
        parts,
      ),
  });
}

const grant = { capabilities: ['file:/w/**:write'] };

describe('file.write', () => {
  test('writes a text to a new file that only its owner can read', async () => {
    const { disk, write, textAt } = await world();

    const answer = await write({ path: '/w/a.txt', content: 'Grüße' });

    expect(answer).toEqual({ path: '/w/a.txt', bytes: 7 });
    expect(await textAt('/w/a.txt')).toBe('Grüße');
    expect(await disk.stat('/w/a.txt')).toMatchObject({ mode: 0o600 });
    expect(await disk.list('/w')).toEqual(['a.txt', 'sub']);
  });

  test('writes bytes that came as base64, also none', async () => {
    const { disk, write } = await world();

    await write({ path: '/w/a', content_base64: 'AAH/' });
    await write({ path: '/w/none', content: '' });

    await using reader = await disk.read('/w/a');
    expect([...(await reader.readAt(0, 9))]).toEqual([0, 1, 255]);
    expect(await disk.stat('/w/none')).toMatchObject({ sizeBytes: 0 });
  });

  test('replaces nothing unless told to', async () => {
    const { disk, write, textAt } = await world({ '/w/a': 'old' });
    disk.plantSymlink('/w/link', '/w/a');

    for (const path of ['/w/a', '/w/sub', '/w/link']) {
      const attempt = write({ path, content: 'new' });

      await expect(attempt).rejects.toMatchObject({
        code: 'file.exists',
        fix: expect.stringContaining('if_exists: replace'),
      });
    }
    expect(await textAt('/w/a')).toBe('old');
  });

  test('replaces a file when told to, keeps its mode, and leaves a second name its bytes', async () => {
    const { disk, write, textAt } = await world({ '/w/a': 'old' });
    await disk.link('/w/a', '/out/same');

    await write({ path: '/w/a', content: 'new', if_exists: 'replace' });
    await write({ path: '/w/b', content: 'first', if_exists: 'replace' });

    expect(await textAt('/w/a')).toBe('new');
    expect(await disk.stat('/w/a')).toMatchObject({ mode: 0o640 });
    expect(await textAt('/out/same')).toBe('old');
    expect(await textAt('/w/b')).toBe('first');
    expect(await disk.list('/w')).toEqual(['a', 'b', 'sub']);
  });

  test('replaces no folder, no symlink and no file that may not be written to', async () => {
    const { disk, write, textAt } = await world({ '/w/a': 'old', '/w/fixed': 'old' });
    disk.plantSymlink('/w/link', '/w/a');
    disk.plantMode('/w/fixed', 0o444);
    const replace = (path: string) => write({ path, content: 'new', if_exists: 'replace' });

    await expect(replace('/w/sub')).rejects.toMatchObject({ code: 'file.not-a-file' });
    await expect(replace('/w/link')).rejects.toMatchObject({ code: 'file.not-a-file' });
    await expect(replace('/w/fixed')).rejects.toMatchObject({ code: 'disk.denied' });
    expect(await textAt('/w/a')).toBe('old');
    expect(await textAt('/w/fixed')).toBe('old');
    expect(await disk.list('/w')).toEqual(['a', 'fixed', 'link', 'sub']);
  });

  test('makes no folder', async () => {
    const { disk, write } = await world({ '/w/file': 'x' });

    await expect(write({ path: '/w/none/a', content: 'x' })).rejects.toMatchObject({
      code: 'file.missing',
    });
    await expect(write({ path: '/w/file/a', content: 'x' })).rejects.toMatchObject({
      code: 'file.missing',
    });
    await expect(
      write({ path: '/', content: 'x' }, { capabilities: ['file:/**:write'] }),
    ).rejects.toMatchObject({ code: 'file.not-a-file' });
    expect(await disk.list('/w')).toEqual(['file', 'sub']);
  });

  test('goes on behind a symlink to a folder within the grant, and nowhere else', async () => {
    const { disk, write, textAt } = await world();
    disk.plantSymlink('/w/in', 'sub');
    disk.plantSymlink('/w/out', '/out');

    expect(await write({ path: '/w/in/a', content: 'x' })).toMatchObject({ path: '/w/sub/a' });
    const outside = write({ path: '/w/out/a', content: 'x' });

    await expect(outside).rejects.toMatchObject({ code: 'capability.denied' });
    expect(await textAt('/w/sub/a')).toBe('x');
    expect(await disk.list('/out')).toEqual([]);
  });

  test('does not write to another disk that the grant does not name', async () => {
    const { disk, write } = await world();
    disk.plantMount('/w/sub');

    const attempt = write({ path: '/w/sub/a', content: 'x' });

    await expect(attempt).rejects.toMatchObject({ code: 'file.other-disk' });
    expect(await disk.list('/w/sub')).toEqual([]);
  });

  test('writes no more than the grant allows, and leaves nothing of it', async () => {
    const { disk, write } = await world();
    const options = { capabilities: ['file:/w/**:write{size:4B}'] };

    await write({ path: '/w/fits', content: '1234' }, options);
    const attempt = write({ path: '/w/a', content: '12345' }, options);

    await expect(attempt).rejects.toMatchObject({ code: 'file.too-large' });
    expect(await disk.list('/w')).toEqual(['fits', 'sub']);
  });

  test('tells of a full disk by the name that was meant, and leaves nothing', async () => {
    const { disk, write, textAt } = await world({ '/w/a': 'old' });

    const attempt = write({ path: '/w/a', content: 'x'.repeat(20_000), if_exists: 'replace' });

    await expect(attempt).rejects.toMatchObject({
      code: 'disk.full',
      message: expect.stringContaining('"/w/a"'),
    });
    expect(await disk.list('/w')).toEqual(['a', 'sub']);
    expect(await textAt('/w/a')).toBe('old');
  });

  test.each([
    { path: '/w/a' },
    { path: '/w/a', content: 'x', content_base64: 'eA==' },
    { path: '/w/a', content: '\ud800' },
    { path: '/w/a', content_base64: 'no base64!' },
    { path: '/w/a', content: 'x', if_exists: 'append' },
    { path: '/w/a', content: 'x', mode: 0o777 },
  ])('refuses the arguments %j', async (args) => {
    const { disk } = await world();

    expect(() => fileWrite({ disk, random, home }).prepare(args)).toThrow(
      expect.objectContaining({ code: 'tool.bad-arguments' }),
    );
  });
});

describe('writeFileWithin()', () => {
  test('stops between two parts when the call is aborted, ends the source and leaves nothing', async () => {
    const { disk } = await world();
    const abort = new AbortController();
    const reason = new AosError('tool.timeout', { message: 'It took too long' });
    let ended = false;
    async function* parts() {
      try {
        yield Buffer.from('one');
        abort.abort(reason);
        yield Buffer.from('two');
      } finally {
        ended = true;
      }
    }

    const attempt = runTool(
      partWriter(disk, 'refuse', parts()),
      { path: '/w/a' },
      { ...grant, signal: abort.signal },
    );

    await expect(attempt).rejects.toBe(reason);
    expect(ended).toBe(true);
    expect(await disk.list('/w')).toEqual(['sub']);
  });

  test('passes on why its source failed, and leaves nothing', async () => {
    const { disk } = await world();
    const failure = new AosError('http.bad-answer', { message: 'It broke off' });
    async function* parts() {
      yield Buffer.from('one');
      throw failure;
    }

    const attempt = runTool(partWriter(disk, 'refuse', parts()), { path: '/w/a' }, grant);

    await expect(attempt).rejects.toBe(failure);
    expect(await disk.list('/w')).toEqual(['sub']);
  });

  test('asks for no part when the name is taken already', async () => {
    const { disk } = await world({ '/w/a': 'old' });
    async function* parts(): AsyncGenerator<Uint8Array> {
      expect.unreachable();
      yield Buffer.from('');
    }

    const attempt = runTool(partWriter(disk, 'refuse', parts()), { path: '/w/a' }, grant);

    await expect(attempt).rejects.toMatchObject({ code: 'file.exists' });
  });

  test.each([
    { ifExists: 'refuse', outcome: { code: 'file.exists' }, text: 'theirs' },
    { ifExists: 'replace', outcome: { path: '/w/a' }, text: 'ours' },
  ] as const)(
    'when somebody makes the file meanwhile and it is to $ifExists, $text is there',
    async ({ ifExists, outcome, text }) => {
      const { disk, textAt } = await world();
      async function* parts() {
        yield Buffer.from('ours');
        await using theirs = await disk.create('/w/a');
        await theirs.append(Buffer.from('theirs'));
      }

      const attempt = runTool(partWriter(disk, ifExists, parts()), { path: '/w/a' }, grant);

      expect(await attempt.catch((thrown: unknown) => thrown)).toMatchObject(outcome);
      expect(await textAt('/w/a')).toBe(text);
      expect(await disk.list('/w')).toEqual(['a', 'sub']);
    },
  );

  test.each(['refuse', 'replace'] as const)(
    'when a file appears in the last moment, a link finds it, and it is to %s',
    async (ifExists) => {
      const { disk, textAt } = await world();
      const quick: Disk = {
        ...methodsOf(disk),
        async link(from, to) {
          await (await disk.create(to))[Symbol.asyncDispose]();
          return disk.link(from, to);
        },
      };
      async function* parts() {
        yield Buffer.from('ours');
      }

      const attempt = runTool(partWriter(quick, ifExists, parts()), { path: '/w/a' }, grant);

      const outcome = ifExists === 'refuse' ? { code: 'file.exists' } : { path: '/w/a' };
      expect(await attempt.catch((thrown: unknown) => thrown)).toMatchObject(outcome);
      expect(await textAt('/w/a')).toBe(ifExists === 'refuse' ? '' : 'ours');
      expect(await disk.list('/w')).toEqual(['a', 'sub']);
    },
  );

  test.each(['refuse', 'replace'] as const)(
    'leaves what was there and nothing else when a call to the disk fails (%s)',
    async (if_exists) => {
      const old = if_exists === 'replace' ? { '/w/a': 'old' } : {};
      const args = { path: '/w/a', content: 'new', if_exists };
      const calls = await callsOf(old, args);

      for (let call = 1; call < calls; call++) {
        const { disk, write, textAt } = await world(old);
        disk.failCall(disk.calls + call, 'EIO');
        const failure = await write(args).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );

        const names = await disk.list('/w');
        const litter = names.filter((name) => name.startsWith('.aos-'));
        // Only the removal of the other name itself may fail without anybody hearing of it.
        if (failure === undefined) expect(litter).toHaveLength(1);
        else {
          expect(failure).toMatchObject({ code: 'disk.failed' });
          expect(litter).toEqual([]);
          const text = names.includes('a') ? await textAt('/w/a') : '';
          expect(text).toBe(if_exists === 'replace' ? 'old' : '');
        }
      }
    },
  );

  test.each(['refuse', 'replace'] as const)(
    'leaves the file wholly old or wholly new, and new once it resolved, whenever the power goes (%s)',
    async (if_exists) => {
      const old = if_exists === 'replace' ? { '/w/a': 'old' } : {};
      const args = { path: '/w/a', content: 'new', if_exists };
      const calls = await callsOf(old, args);

      for (let call = 1; call <= calls; call++) {
        for (let seed = 0; seed < 10; seed++) {
          const { disk, write, textAt } = await world(old, seed);
          disk.crashAtCall(disk.calls + call);
          await expect(write(args)).rejects.toBeInstanceOf(SimulatedCrash);
          disk.restart();

          const there = (await disk.list('/w')).includes('a') ? await textAt('/w/a') : 'nothing';
          expect(['new', if_exists === 'replace' ? 'old' : 'nothing']).toContain(there);
        }
      }

      const { disk, write, textAt } = await world(old);
      await write(args);
      disk.crash();
      disk.restart();
      expect(await textAt('/w/a')).toBe('new');
    },
  );
});

/** How many calls to the disk a write takes. */
async function callsOf(old: Readonly<Record<string, string>>, args: object): Promise<number> {
  const { disk, write } = await world(old);
  const before = disk.calls;
  await write(args);
  return disk.calls - before;
}

test.skipIf(!isRoot)(
  'as root, a new file is its folder’s owner’s, and one that is replaced keeps its own',
  async () => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('theirs'));
    writeFileSync(folder.at('theirs/old'), 'old');
    chownSync(folder.at('theirs'), 2_100_000_041, 2_100_000_041);
    chownSync(folder.at('theirs/old'), 2_100_000_042, 2_100_000_043);
    const tool = fileWrite({ disk: realDisk, random, home });
    const options = { capabilities: [`file:${folder.path}/**:write`] };

    for (const name of ['old', 'new']) {
      const path = folder.at('theirs', name);
      await runTool(tool, { path, content: 'text', if_exists: 'replace' }, options);
    }

    expect(lstatSync(folder.at('theirs/new'))).toMatchObject({ uid: 2_100_000_041 });
    expect(lstatSync(folder.at('theirs/old'))).toMatchObject({
      ...{ uid: 2_100_000_042, gid: 2_100_000_043 },
    });
  },
);

test('of a file with two names one is written, and the answer says what the other one keeps', async () => {
  const { disk, write, textAt } = await world({ '/w/a': 'old' });
  await disk.link('/w/a', '/out/b');

  const written = await write({ path: '/w/a', content: 'new', if_exists: 'replace' });

  expect(written).toMatchObject({ note: expect.stringContaining('another name (a hard link)') });
  expect([await textAt('/w/a'), await textAt('/out/b')]).toEqual(['new', 'old']);
});
