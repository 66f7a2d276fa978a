/** Symlinks and hard links in the root of the file agent, and names that are no plain words. */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bytesOf } from '../../src/engines/disk/owners.ts';
import type { FileRequest } from '../../src/kernel/files/request.ts';
import {
  type AttackedWorld,
  attackedWorld,
  checkWords,
  namesIn,
  shareThreads,
} from '../support/files-attack.ts';
import { treeEntries, treeHash } from '../support/tree-hash.ts';

shareThreads();
afterEach(checkWords);

const read = (path: string): FileRequest => ({ action: 'read_file', path });
const write = (path: string): FileRequest => ({ action: 'write_file', path, content: 'ours' });
const copy = (path: string, destination: string): FileRequest => ({
  ...{ action: 'copy_file', path, destination },
});
const move = (path: string, destination: string): FileRequest => ({
  ...{ action: 'move_file', path, destination },
});
const remove = (path: string, options = {}): FileRequest => ({
  ...{ action: 'delete_file', path, options },
});

describe('a symlink to outside', () => {
  test.each([
    ['a file', 'secret.txt', ''],
    ['a file that is not there', 'none.txt', ''],
    ['a folder in the middle', '', '/secret.txt'],
    ['a folder in the middle, with a file that is not there', '', '/none.txt'],
    ['a folder in the middle that is not there', 'none', '/none.txt'],
  ])('that is %s: read, write, copy and move through it are OUTSIDE_ROOT', async (_, to, rest) => {
    await using world = await attackedWorld();
    world.plant('x.txt');
    symlinkSync(join(world.outside, to), world.at('link'));
    const before = await world.outsideHash();

    const path = `~/link${rest}`;
    const through = [read(path), write(path), copy(path, '~/got'), copy('~/x.txt', path)];
    if (rest !== '') through.push(move(path, '~/got'), remove(path), move('~/x.txt', path));
    for (const request of through) {
      expect(await world.code(request), JSON.stringify(request)).toBe('OUTSIDE_ROOT');
    }

    expect(await world.outsideHash()).toBe(before);
    expect(existsSync(world.at('got'))).toBe(false);
  });

  test('by a relative way, by way of proc, and over a chain: OUTSIDE_ROOT', async () => {
    await using world = await attackedWorld();
    mkdirSync(world.at('d'));
    symlinkSync('../../outside/secret.txt', world.at('d/up'));
    symlinkSync('up', world.at('d/second'));
    symlinkSync('./../d/./second', world.at('d/third'));
    symlinkSync('/proc/self/root', world.at('proc'));
    symlinkSync('/proc/self/cwd', world.at('cwd'));
    symlinkSync('/dev/fd/0', world.at('descriptor'));

    const paths = ['d/up', 'd/second', 'd/third', `proc${world.outside}/secret.txt`];
    for (const path of [...paths, 'cwd/package.json', 'descriptor']) {
      expect(await world.code(read(path)), path).toBe('OUTSIDE_ROOT');
      expect(await world.code(copy(path, '~/got')), path).toBe('OUTSIDE_ROOT');
    }
  });

  test('is told of, and not where it leads', async () => {
    await using world = await attackedWorld();
    symlinkSync(join(world.outside, 'secret.txt'), world.at('link'));

    const listed = await world.ask({ action: 'list_files', path: '~' });
    const looked = await world.ask({ action: 'get_metadata', path: '~/link' });

    expect(listed.result).toMatchObject({ files: [{ name: 'link', kind: 'symlink' }] });
    expect(looked.result).toMatchObject({ kind: 'symlink', target_outside: true });
    expect(JSON.stringify([listed, looked])).not.toContain('secret.txt');
  });

  test('is neither listed through, searched nor counted', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'inside');
    symlinkSync(world.outside, world.at('link'));
    const recursive = { options: { recursive: true } };

    for (const request of [
      { action: 'list_files', path: '~/link' },
      { action: 'list_files', path: '~/link/*' },
      { action: 'get_disk_usage', path: '~/link/deep' },
      { action: 'search_files', path: '~/link', query: 'secret' },
    ] as const) {
      expect(await world.code(request), JSON.stringify(request)).toBe('OUTSIDE_ROOT');
    }
    const listed = await world.ask({ action: 'list_files', path: '~', ...recursive });
    expect(namesIn(listed)).toEqual(['link', 'x.txt']);
    const found = await world.ask({ action: 'search_files', query: 'OUTSIDE' });
    expect(namesIn(found)).toEqual([]);
    const used = await world.ask({ action: 'get_disk_usage', path: '~' });
    // A link has the bytes of what it says.
    expect(used.result).toMatchObject({ apparent_bytes: 6 + world.outside.length });
  });
});

describe('a symlink inside the root', () => {
  test('is followed to read, and listed as a link', async () => {
    await using world = await attackedWorld();
    world.plant('d/x.txt', 'inside');
    symlinkSync('d/x.txt', world.at('file-link'));
    symlinkSync('d', world.at('folder-link'));

    for (const path of ['file-link', 'folder-link/x.txt']) {
      expect((await world.ask(read(path))).result).toMatchObject({ content: 'inside' });
    }
    const listed = await world.ask({ action: 'list_files', path: '~' });
    expect(listed.result).toMatchObject({
      files: [
        { name: 'd', kind: 'folder' },
        { name: 'file-link', kind: 'symlink' },
        { name: 'folder-link', kind: 'symlink' },
      ],
    });
  });

  test('that leads nowhere: read is NOT_FOUND, and delete takes the link alone', async () => {
    await using world = await attackedWorld();
    symlinkSync('nowhere', world.at('link'));

    expect(await world.code(read('link'))).toBe('NOT_FOUND');
    expect(await world.confirmedCode(remove('link'))).toBe('success');
    expect(readdirSync(world.root)).toEqual([]);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(readlinkSync(world.at('link'))).toBe('nowhere');
  });

  test.each(['delete', 'delete for ever', 'move', 'rename'])(
    'to a folder: %s acts on the link, and the folder stays as it is',
    async (how) => {
      await using world = await attackedWorld();
      world.plant('d/x.txt');
      symlinkSync('d', world.at('link'));
      const before = await treeHash(world.at('d'));
      const requests: Readonly<Record<string, FileRequest>> = {
        delete: remove('link'),
        'delete for ever': remove('link', { permanent: true }),
        move: move('link', '~/elsewhere'),
        rename: { action: 'rename_file', path: 'link', destination: 'elsewhere' },
      };

      expect(await world.confirmedCode(requests[how] ?? read('link'))).toBe('success');

      expect(existsSync(world.at('link'))).toBe(false);
      expect(await treeHash(world.at('d'))).toBe(before);
      const isMoved = !how.startsWith('delete');
      expect(lstatSync(world.at('elsewhere'), { throwIfNoEntry: false }) !== undefined).toBe(
        isMoved,
      );
    },
  );

  test('in a circle ends every walk, and each file is seen once', async () => {
    await using world = await attackedWorld();
    world.plant('d/x.txt', '12345');
    symlinkSync('.', world.at('loop'));
    symlinkSync('..', world.at('d/up'));
    symlinkSync('two', world.at('one'));
    symlinkSync('one', world.at('two'));
    const recursive = { options: { recursive: true } };

    const listed = await world.ask({ action: 'list_files', path: '~', ...recursive });
    const used = await world.ask({ action: 'get_disk_usage', path: '~' });
    const found = await world.ask({ action: 'search_files', query: 'x.txt' });

    expect(namesIn(listed).filter((name) => name === 'x.txt')).toHaveLength(1);
    expect(used.result).toMatchObject({ files: 5, apparent_bytes: 5 + 1 + 2 + 3 + 3 });
    expect(namesIn(found)).toEqual(['x.txt']);
    expect(await world.code(read('one'))).toBe('NOT_FOUND');
    expect(await world.code(read(`${'loop/'.repeat(41)}d/x.txt`))).toBe('NOT_FOUND');
    expect(await world.code(read(`${'loop/'.repeat(20)}d/x.txt`))).toBe('success');
  });

  test('in a chain of 40 is followed, and of 41 is not', async () => {
    await using world = await attackedWorld();
    world.plant('link-0', 'inside');
    for (let index = 1; index <= 41; index++) {
      symlinkSync(`link-${index - 1}`, world.at(`link-${index}`));
    }

    expect(await world.code(read('link-40'))).toBe('success');
    expect(await world.code(read('link-41'))).toBe('NOT_FOUND');
    expect(await world.confirmedCode(write('link-41'))).toBe('NOT_FOUND');
    expect(readFileSync(world.at('link-0'), 'utf8')).toBe('inside');
  });
});

describe('a tree with links out of it', () => {
  async function plantTree(): Promise<AttackedWorld> {
    const world = await attackedWorld();
    world.plant('tree/in/x.txt');
    symlinkSync(world.outside, world.at('tree/in/folder'));
    symlinkSync(join(world.outside, 'secret.txt'), world.at('tree/file'));
    linkSync(join(world.outside, 'secret.txt'), world.at('tree/hard'));
    return world;
  }

  test.each([
    ['is deleted', {}],
    ['is deleted for ever', { permanent: true }],
  ])('%s: the links go, and what they lead to stays', async (_, options) => {
    await using world = await plantTree();
    const before = await world.outsideHash();

    expect(await world.confirmedCode(remove('tree', options))).toBe('success');

    expect(readdirSync(world.root)).toEqual([]);
    expect(await world.outsideHash()).toBe(before);
  });

  test('is copied: the links are copied as links', async () => {
    await using world = await plantTree();
    const before = await world.outsideHash();

    expect(await world.confirmedCode(copy('tree', '~/again'))).toBe('success');

    expect(readlinkSync(world.at('again/in/folder'))).toBe(world.outside);
    expect(readlinkSync(world.at('again/file'))).toBe(join(world.outside, 'secret.txt'));
    expect(await world.outsideHash()).toBe(before);
  });

  test('is taken by a pattern over all of it: nothing outside is moved', async () => {
    await using world = await plantTree();
    const before = await world.outsideHash();
    const request = { ...move('tree/**', '~/got/'), options: { recursive: true } };

    expect(await world.confirmedCode(request)).toBe('success');

    expect(await world.outsideHash()).toBe(before);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(readlinkSync(world.at('tree/in/folder'))).toBe(world.outside);
  });
});

test('the root itself is put away, and a symlink to outside takes its name: OUTSIDE_ROOT', async () => {
  await using world = await attackedWorld();
  world.plant('deep/file', 'inside');
  world.plant('x.txt');
  expect(await world.code(move('~/x.txt', '~/y.txt'))).toBe('success');
  renameSync(world.root, world.folder.at('away'));
  symlinkSync(world.outside, world.root);
  const before = await world.outsideHash();

  for (const request of [
    ...[read('~/deep/file'), write('~/deep/new'), copy('~/deep/file', '~/got')],
    ...[move('~/deep/file', '~/got'), remove('~/deep/file'), remove('~/deep', { permanent: true })],
    ...(['list_files', 'get_disk_usage', 'get_metadata'] as const).map((action) => ({
      ...{ action, path: '~/deep' },
    })),
  ]) {
    expect(await world.confirmedCode(request), JSON.stringify(request)).toBe('OUTSIDE_ROOT');
  }
  expect((await world.undo()).status).toBe('error');
  expect(await world.outsideHash()).toBe(before);
});

describe('a hard link to a file outside', () => {
  test('that is written over, or replaced by a move, leaves the file outside as it was', async () => {
    await using world = await attackedWorld();
    linkSync(join(world.outside, 'secret.txt'), world.at('hard'));
    world.plant('x.txt', 'ours');
    const before = await world.outsideHash();

    expect(await world.confirmedCode(write('hard'))).toBe('success');
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await world.confirmedCode(move('x.txt', 'hard'))).toBe('success');

    expect(await world.outsideHash()).toBe(before);
    expect(readFileSync(world.at('hard'), 'utf8')).toBe('ours');
  });
});

async function contents(folder: string) {
  return (await treeEntries(folder)).map(({ path, sha256 }) => ({ path, sha256 }));
}

describe('a name', () => {
  const odd = [
    ...['two\nlines.txt', 'tab\there', 'red\u001b[31m.txt', 'invoice\u202etxt.exe', '-rf', '--'],
    ...[' leading', 'trailing.', 'trailing ', '*', '{a,b}', "quo'te", 'quo"te', '\\', '$(id)'],
    ...['~', '~root', 'NUL', 'r\udce9sum\udce9.txt', '\udc80', 'cafe\u0301'],
  ];

  test('of any kind is listed, read, moved, deleted and brought back exactly so', async () => {
    await using world = await attackedWorld();
    mkdirSync(world.at('to'));
    for (const [index, name] of odd.entries()) {
      const path = `~/${index}/${name}`;
      world.plant(`${index}/${name}`, 'inside');
      const before = await treeHash(world.root);

      const listed = await world.ask({ action: 'list_files', path: `~/${index}` });
      expect(JSON.parse(JSON.stringify(namesIn(listed)))).toEqual([name]);
      expect((await world.ask(read(path))).result).toMatchObject({ content: 'inside' });
      expect(await world.code(move(path, '~/to/'))).toBe('success');
      expect(lstatSync(bytesOf(world.at(`to/${name}`))).isFile()).toBe(true);
      expect(await world.undo()).toMatchObject({ status: 'success' });
      expect(await world.confirmedCode(remove(path))).toBe('success');
      expect(readdirSync(world.at(`${index}`))).toEqual([]);
      expect(await world.undo()).toMatchObject({ status: 'success' });

      expect(await treeHash(world.root), JSON.stringify(name)).toBe(before);
    }
  });

  test('of any kind is moved in a batch, copied in a folder, and brought back', async () => {
    await using world = await attackedWorld();
    for (const name of odd) world.plant(`d/${name}`);
    const before = await treeHash(world.root);

    expect(await world.confirmedCode(move('~/d/?*', '~/to/'))).toBe('success');
    expect(readdirSync(world.at('to'))).toHaveLength(odd.length);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await world.confirmedCode(copy('~/d', '~/again'))).toBe('success');
    expect(await contents(world.at('again'))).toEqual(await contents(world.at('d')));
    expect(await world.undo()).toMatchObject({ status: 'success' });

    expect(await treeHash(world.root)).toBe(before);
  });

  test('of any kind stands in the question of the plan on one line, spelt out', async () => {
    await using world = await attackedWorld();
    for (const name of odd) {
      world.plant(`d/${name}`);

      const { confirmation_prompt = '' } = await world.ask(remove(`~/d/${name}`));

      expect(confirmation_prompt).toMatch(
        /^Move "(?:[\x20-\x7e]|\u0301)*" \(\d+ bytes?\) to the trash\?/,
      );
    }
  });

  test('in NFD is found by a query in NFC, and keeps its bytes', async () => {
    await using world = await attackedWorld();
    world.plant('cafe\u0301 menu.txt');

    const found = await world.ask({ action: 'search_files', query: 'caf\u00e9' });
    const listed = await world.ask({ action: 'list_files', path: '~/caf\u00e9*' });

    expect(namesIn(found)).toEqual(['cafe\u0301 menu.txt']);
    expect(namesIn(listed)).toEqual(['cafe\u0301 menu.txt']);
    expect(readdirSync(world.root)).toEqual(['cafe\u0301 menu.txt']);
  });

  test('in another spelling is another file where the disk tells them apart', async () => {
    await using world = await attackedWorld();
    writeFileSync(world.at('caf\u00e9'), 'composed');
    writeFileSync(world.at('cafe\u0301'), 'decomposed');
    writeFileSync(world.at('Report'), 'capital');
    writeFileSync(world.at('report'), 'small');

    expect(await world.confirmedCode(remove('caf\u00e9'))).toBe('success');
    expect(await world.confirmedCode(remove('Report'))).toBe('success');

    expect(readdirSync(world.root).sort()).toEqual(['cafe\u0301', 'report']);
  });
});
