import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { changingDisk } from '../../../tests/support/changing-disk.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runTool, type TestCallOptions } from '../../../tests/support/tool-call.ts';
import { realClock } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { fileRead } from './read.ts';

async function world(files: Readonly<Record<string, string | Uint8Array>>) {
  const disk = new SimulatedDisk({ seed: 1 });
  for (const path of ['/w', '/w/sub', '/w/real', '/out', '/home', '/home/.aos']) {
    await disk.makeFolder(path);
  }
  for (const [path, content] of Object.entries(files)) {
    await using writer = await disk.create(path);
    await writer.append(Buffer.from(content));
  }
  const tool = fileRead({ disk, random: seededRandom(1), clock: realClock, home: '/home/.aos' });
  const read = (path: string, args: object = {}, options: Partial<TestCallOptions> = {}) =>
    runTool(tool, { path, ...args }, { capabilities: ['file:/w/**:read'], ...options });
  return { disk, read };
}

describe('file.read', () => {
  test('gives a text with its size and the time of its change', async () => {
    const { read } = await world({ '/w/a.txt': 'Grüße\n' });

    expect(await read('/w/a.txt')).toEqual({
      path: '/w/a.txt',
      size_bytes: 8,
      modified_at: '1970-01-01T00:00:00.000Z',
      offset: 0,
      bytes: 8,
      content: 'Grüße\n',
    });
  });

  test('gives an empty file as an empty text', async () => {
    const { read } = await world({ '/w/empty': '' });

    expect(await read('/w/empty')).toMatchObject({ size_bytes: 0, bytes: 0, content: '' });
    expect(await read('/w/empty', { offset: 10 })).toMatchObject({ bytes: 0, content: '' });
  });

  test('gives the part that was asked for, and nothing beyond the end', async () => {
    const { read } = await world({ '/w/a': '0123456789' });

    expect(await read('/w/a', { offset: 3, length: 4 })).toMatchObject({
      ...{ size_bytes: 10, offset: 3, bytes: 4, content: '3456' },
    });
    expect(await read('/w/a', { offset: 8, length: 4 })).toMatchObject({ content: '89' });
    expect(await read('/w/a', { offset: 9 })).toMatchObject({ content: '9' });
    expect(await read('/w/a', { offset: Number.MAX_SAFE_INTEGER })).toMatchObject({ content: '' });
  });

  test('cuts no character in half, so that a text can be read on where a part ended', async () => {
    const text = 'aé€😀z'.repeat(5);
    const { read } = await world({ '/w/a': text });

    let whole = '';
    for (let offset = 0; offset < Buffer.byteLength(text); ) {
      // What the tool answers, as the tests above have it.
      const part = (await read('/w/a', { offset, length: 5 })) as {
        content: string;
        bytes: number;
      };
      whole += part.content;
      offset += part.bytes;
    }

    expect(whole).toBe(text);
  });

  test('says where a part really begins when it was asked for from within a character', async () => {
    const { read } = await world({ '/w/a': '€uro' });

    expect(await read('/w/a', { offset: 1 })).toMatchObject({ offset: 3, content: 'uro' });
  });

  test('refuses what is no text, says what it is, and gives it as base64', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    const { read } = await world({ '/w/a.png': png, '/w/nul': 'a\0b', '/w/€': '€' });

    await expect(read('/w/a.png')).rejects.toMatchObject({
      code: 'file.not-text',
      message: '"/w/a.png" is no text in UTF-8 but image/png',
      fix: expect.stringContaining('base64'),
    });
    await expect(read('/w/a.png', { encoding: 'utf8' })).rejects.toMatchObject({
      code: 'file.not-text',
    });
    await expect(read('/w/nul')).rejects.toMatchObject({ code: 'file.not-text' });
    // Not even one character is whole.
    await expect(read('/w/€', { length: 2 })).rejects.toMatchObject({ code: 'file.not-text' });
    expect(await read('/w/nul', { encoding: 'utf8' })).toMatchObject({ content: 'a\0b' });
    const answer = await read('/w/a.png', { encoding: 'base64' });
    expect(answer).toMatchObject({ bytes: 10, content_base64: png.toString('base64') });
    expect(answer).not.toHaveProperty('content');
  });

  test.each([
    { what: 'text', content: 'x'.repeat(3000), args: {} },
    { what: 'escapes', content: '\u0001'.repeat(600), args: {} },
    { what: 'bytes', content: 'x'.repeat(1200), args: { encoding: 'base64' } },
  ])('answers no more $what than the call may, and says how to read it', async (given) => {
    const { read } = await world({ '/w/a': given.content });

    const attempt = read('/w/a', given.args, { outputBytes: 2000 });
    const part = await read('/w/a', { ...given.args, length: 200 }, { outputBytes: 2000 });

    await expect(attempt).rejects.toMatchObject({
      code: 'file.too-large',
      message: expect.stringContaining(`has ${given.content.length} bytes`),
      fix: expect.stringContaining('offset and length'),
    });
    expect(part).toMatchObject({ bytes: 200 });
    expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(2000);
  });

  test('reads no more at once than the grant allows', async () => {
    const { read } = await world({ '/w/a': '0123456789' });
    const options = { capabilities: ['file:/w/**:read{size:4B}'] };

    await expect(read('/w/a', {}, options)).rejects.toMatchObject({ code: 'file.too-large' });
    await expect(read('/w/a', { length: 5 }, options)).rejects.toMatchObject({
      code: 'file.too-large',
    });
    expect(await read('/w/a', { length: 4 }, options)).toMatchObject({ content: '0123' });
    expect(await read('/w/a', { offset: 6, length: 50 }, options)).toMatchObject({
      content: '6789',
    });
  });

  test('tells a missing file from a folder, and from a way over something that is no folder', async () => {
    const { read } = await world({ '/w/a': 'x' });

    await expect(read('/w/none')).rejects.toMatchObject({ code: 'file.missing' });
    await expect(read('/w/none/x')).rejects.toMatchObject({ code: 'file.missing' });
    await expect(read('/w/a/x')).rejects.toMatchObject({
      code: 'file.missing',
      message: expect.stringContaining('not a folder'),
    });
    await expect(read('/w/sub')).rejects.toMatchObject({ code: 'file.not-a-file' });
    await expect(read('/', {}, { capabilities: ['file:/**:read'] })).rejects.toMatchObject({
      code: 'file.not-a-file',
    });
  });

  test.each([
    { path: 7 },
    { path: '/w/a', offset: -1 },
    { path: '/w/a', offset: 0.5 },
    { path: '/w/a', length: 0 },
    { path: '/w/a', encoding: 'latin1' },
    { path: '/w/a', unknown: 1 },
    {},
  ])('refuses the arguments %j', async (args) => {
    const { disk } = await world({});
    const tool = fileRead({ disk, random: seededRandom(1), clock: realClock, home: '/home/.aos' });

    expect(() => tool.prepare(args)).toThrow(
      expect.objectContaining({ code: 'tool.bad-arguments' }),
    );
  });
});

describe('file.read behind symlinks', () => {
  test.each([
    { links: { '/w/link': 'a' }, path: '/w/link', real: '/w/a' },
    { links: { '/w/link': '/w/a' }, path: '/w/link', real: '/w/a' },
    { links: { '/w/sub/link': '../a' }, path: '/w/sub/link', real: '/w/a' },
    { links: { '/w/one': 'two', '/w/two': 'a' }, path: '/w/one', real: '/w/a' },
    { links: { '/w/dir': 'real' }, path: '/w/dir/b', real: '/w/real/b' },
    { links: { '/w/dir': '/w/real/' }, path: '/w/dir/b', real: '/w/real/b' },
    { links: { '/w/up': 'real/../sub/..' }, path: '/w/up/real/b', real: '/w/real/b' },
    // The folder above what a symlink leads to is not the one that holds the symlink.
    { links: { '/w/sub/l': '../real', '/w/m': 'sub/l/../a' }, path: '/w/m', real: '/w/a' },
  ])('follows $links within the grant, and tells the real path', async ({ links, path, real }) => {
    const { disk, read } = await world({ '/w/a': 'text', '/w/real/b': 'text' });
    for (const [link, target] of Object.entries(links)) disk.plantSymlink(link, target);

    expect(await read(path)).toMatchObject({ path: real, content: 'text' });
  });

  test.each([
    { what: 'a file', links: { '/w/link': '/out/secret' }, path: '/w/link' },
    { what: 'a file, by ..', links: { '/w/link': '../out/secret' }, path: '/w/link' },
    { what: 'nothing', links: { '/w/link': '/out/none' }, path: '/w/link' },
    { what: 'a folder', links: { '/w/dir': '/out' }, path: '/w/dir/secret' },
    { what: 'nothing in a folder', links: { '/w/dir': '/out' }, path: '/w/dir/none' },
    { what: 'the root', links: { '/w/dir': '/' }, path: '/w/dir/out/secret' },
    {
      what: 'a file, and back in',
      links: { '/w/link': '/out/secret/../../w/a' },
      path: '/w/link',
    },
    {
      what: 'nothing, and back in',
      links: { '/w/link': '/out/none/../../w/a' },
      path: '/w/link',
    },
    {
      what: 'a symlink that leads back in',
      links: { '/w/link': '/out/back', '/out/back': '/w/a' },
      path: '/w/link',
    },
  ])('refuses one that leads out, to $what, without looking there', async ({ links, path }) => {
    const { disk, read } = await world({ '/w/a': 'text', '/out/secret': 'secret' });
    for (const [link, target] of Object.entries(links)) disk.plantSymlink(link, target);
    const denied: string[] = [];

    const attempt = read(
      path,
      {},
      {
        onAction: (action, allowed) => {
          if (!allowed && 'path' in action) denied.push(`/${action.path.join('/')}`);
        },
      },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
    expect(denied).toEqual([expect.stringMatching(/^\/out/)]);
  });

  test('asks for a permit of its own for where a symlink leads, once', async () => {
    const { disk, read } = await world({ '/w/a': 'text' });
    disk.plantSymlink('/w/one', 'two');
    disk.plantSymlink('/w/two', 'a');
    const actions: unknown[] = [];

    await read(
      '/w/one',
      {},
      { onAction: (action) => void actions.push('path' in action && action.path) },
    );

    expect(actions).toEqual([
      ['w', 'one'],
      ['w', 'a'],
    ]);
  });

  test('takes the size from the grant for where a symlink leads', async () => {
    const { disk, read } = await world({ '/w/a': 'text' });
    disk.plantSymlink('/w/sub/link', '/w/a');

    const attempt = read(
      '/w/sub/link',
      {},
      {
        capabilities: ['file:/w/sub/*:read', 'file:/w/a:read{size:2B}'],
      },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'file.too-large' });
  });

  test.each([
    { links: { '/w/loop': 'loop' }, path: '/w/loop' },
    { links: { '/w/loop': '.' }, path: `/w${'/loop'.repeat(60)}` },
    { links: { '/w/one': 'two', '/w/two': 'one' }, path: '/w/one/x' },
    { links: { '/w/loop': 'sub/../sub/../loop' }, path: '/w/loop' },
  ])('gives up after 40 symlinks: $links', async ({ links, path }) => {
    const { disk, read } = await world({});
    for (const [link, target] of Object.entries(links)) disk.plantSymlink(link, target);

    await expect(read(path)).rejects.toMatchObject({
      code: 'file.missing',
      message: expect.stringContaining('more than 40 symlinks'),
    });
  });

  test('refuses symlinks that make the way longer and longer', async () => {
    const { disk, read } = await world({});
    disk.plantSymlink('/w/bomb', `${'n/'.repeat(1000)}bomb/../bomb`);
    disk.plantSymlink('/w/n', `.${'/bomb'.repeat(500)}`);

    await expect(read('/w/bomb')).rejects.toMatchObject({ code: 'file.bad-path' });
  });

  test('finds nothing behind a symlink to nothing', async () => {
    const { disk, read } = await world({});
    disk.plantSymlink('/w/link', 'none');

    await expect(read('/w/link')).rejects.toMatchObject({ code: 'file.missing' });
  });
});

describe('file.read and what is mounted', () => {
  test.each([
    { mount: '/w/sub', grant: 'file:/w/**:read' },
    { mount: '/w/sub', grant: 'file:/w/*/a:read' },
    { mount: '/w/sub/a', grant: 'file:/w/sub/*:read' },
    { mount: '/w', grant: 'file:/**:read' },
  ])('$grant does not reach a disk at $mount', async ({ mount, grant }) => {
    const { disk, read } = await world({ '/w/sub/a': 'text' });
    disk.plantMount(mount);

    const attempt = read('/w/sub/a', {}, { capabilities: [grant] });

    await expect(attempt).rejects.toMatchObject({ code: 'file.other-disk' });
  });

  test.each([
    { mount: '/w', grant: 'file:/w/**:read' },
    { mount: '/w/sub', grant: 'file:/w/sub/**:read' },
    { mount: '/w/sub', grant: 'file:/w/sub/*:read' },
    { mount: '/w/sub/a', grant: 'file:/w/sub/a:read' },
  ])('$grant names a disk at $mount, and reaches it', async ({ mount, grant }) => {
    const { disk, read } = await world({ '/w/sub/a': 'text' });
    disk.plantMount(mount);

    expect(await read('/w/sub/a', {}, { capabilities: [grant] })).toMatchObject({
      content: 'text',
    });
  });
});

describe('a file that is written to while it is read', () => {
  const [older, newer] = ['a'.repeat(5000), 'b'.repeat(5000)];

  /** Reads it while somebody writes the other text over it, so many times. */
  async function readWhile(changes: number) {
    await using folder = temporaryFolder();
    const path = folder.at('a.txt');
    writeFileSync(path, older);
    let left = changes;
    const disk = changingDisk(realDisk, () => {
      if (left-- > 0) writeFileSync(path, left % 2 === 0 ? newer : older);
    });
    const tool = fileRead({ disk, random: seededRandom(1), clock: realClock, home: '/home/.aos' });
    return await runTool(tool, { path }, { capabilities: [`file:${folder.path}/**:read`] });
  }

  test('is read again, and never given half and half', async () => {
    expect(await readWhile(1)).toMatchObject({ content: newer, bytes: 5000 });
  });

  test('and does not come to rest, is refused in words', async () => {
    await expect(readWhile(1000)).rejects.toMatchObject({
      code: 'file.changed',
      message: expect.stringContaining('is written to all the time'),
    });
  });
});
