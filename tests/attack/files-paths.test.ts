/** Paths and patterns that want to lead out of the root of the file agent. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { FileAction, FileRequest } from '../../src/kernel/files/request.ts';
import { attackedWorld, checkWords, namesIn, shareThreads } from '../support/files-attack.ts';
import { treeHash } from '../support/tree-hash.ts';

shareThreads();
afterEach(checkWords);

/** Each action, on one path. */
const onPath: Readonly<Record<FileAction, (path: string) => FileRequest>> = {
  list_files: (path) => ({ action: 'list_files', path }),
  read_file: (path) => ({ action: 'read_file', path }),
  write_file: (path) => ({ action: 'write_file', path, content: 'ours' }),
  move_file: (path) => ({ action: 'move_file', path, destination: '~/moved' }),
  rename_file: (path) => ({ action: 'rename_file', path, destination: 'renamed' }),
  copy_file: (path) => ({ action: 'copy_file', path, destination: '~/copied' }),
  delete_file: (path) => ({ action: 'delete_file', path }),
  search_files: (path) => ({ action: 'search_files', path, query: 'secret' }),
  get_metadata: (path) => ({ action: 'get_metadata', path }),
  get_disk_usage: (path) => ({ action: 'get_disk_usage', path }),
};
const actions = Object.values(onPath);
const toPlace: readonly ((destination: string) => FileRequest)[] = [
  (destination) => ({ action: 'move_file', path: '~/x.txt', destination }),
  (destination) => ({ action: 'copy_file', path: '~/x.txt', destination }),
];

describe('OUTSIDE_ROOT, whether something is there or not:', () => {
  test.each([
    ['dots that lead above the root', '../../etc/passwd', '../../etc/passwd-not-there'],
    ['dots in the middle', 'Documents/../../outside/secret.txt', 'Documents/../../outside/none'],
    ['dots behind the tilde', '~/../outside/secret.txt', '~/../outside/none'],
    ['dots above the root of the machine', '../'.repeat(40), `${'../'.repeat(40)}none`],
    ['dots behind a folder that is none', 'none/../../outside/secret.txt', 'none/../../outside/n'],
    ['a slash behind it', '../outside/secret.txt/', '../outside/none/'],
    ['slashes without end', '..////outside//secret.txt', '..////outside//none'],
    ['a whole path', '/etc/passwd', '/etc/passwd-not-there'],
    ['a whole path through proc', '/proc/self/root/etc/passwd', '/proc/self/root/none'],
    ['the home of root', '~root/.bashrc', '~root/none'],
    ['the home of somebody else', '~other/', '~nobody/'],
    ['the parent of the root', '~/..', '/'],
  ])('%s', async (_, there, missing) => {
    await using world = await attackedWorld();
    world.plant('x.txt');
    const before = await world.outsideHash();

    for (const path of [there, missing]) {
      for (const request of [...actions, ...toPlace]) {
        expect(await world.code(request(path)), path).toBe('OUTSIDE_ROOT');
      }
    }
    expect(await world.ask(onPath.read_file(there))).toMatchObject({
      error: (await world.ask(onPath.read_file(missing))).error,
    });
    expect(await world.outsideHash()).toBe(before);
  });

  test('a folder whose name begins as the root does', async () => {
    await using world = await attackedWorld();
    const twin = `${world.root}b`;
    mkdirSync(twin);
    symlinkSync(twin, world.at('link'));
    const paths = [twin, `${twin}/x`, '../rootb/x', '~/link/x', '~b/x'];

    for (const path of paths) {
      expect(await world.code(onPath.read_file(path)), path).toBe('OUTSIDE_ROOT');
      expect(await world.code(onPath.write_file(path)), path).toBe('OUTSIDE_ROOT');
    }
  });
});

describe('dots that are none are names:', () => {
  test.each([
    '%2e%2e/%2e%2e/etc/passwd',
    '..%2fsecret.txt',
    '..\\..\\outside\\secret.txt',
    '.../x',
    '．．/outside/secret.txt',
    '..\u200b/outside/secret.txt',
    '~~/x',
    '$HOME/x',
    'file:///etc/passwd',
  ])('%s', async (path) => {
    await using world = await attackedWorld();

    expect(await world.code(onPath.read_file(path))).toBe('NOT_FOUND');
    expect(await world.code(onPath.write_file(path))).toBe('success');
    expect(readFileSync(world.at(path), 'utf8')).toBe('ours');
  });
});

describe('INVALID_PATH:', () => {
  test.each([
    ['a NUL byte', 'x\0.txt'],
    ['a NUL byte that hides the rest', '/etc/passwd\0.txt'],
    ['half a character', 'x\ud800.txt'],
    ['half a character that is no byte', 'x\udc41.txt'],
    ['more than 4,096 characters', 'a/'.repeat(2100)],
    ['a name of 256 bytes', 'n'.repeat(256)],
    ['a name of 128 letters that has 256 bytes', 'é'.repeat(128)],
    ['nothing at all', ''],
  ])('%s', async (_, path) => {
    await using world = await attackedWorld();
    world.plant('x.txt');
    const before = await treeHash(world.root);

    for (const request of actions) {
      expect(await world.code(request(path)), JSON.stringify(request(path))).toBe('INVALID_PATH');
    }
    if (path !== '') {
      for (const request of toPlace) expect(await world.code(request(path))).toBe('INVALID_PATH');
    }
    expect(await treeHash(world.root)).toBe(before);
  });

  test('but a name of 255 bytes is a name, and can be written, copied, moved and deleted', async () => {
    await using world = await attackedWorld();
    const name = `${'n'.repeat(251)}.txt`;
    const other = `${'o'.repeat(251)}.txt`;

    expect(await world.code(onPath.write_file(name))).toBe('success');
    expect(await world.confirmedCode(onPath.write_file(name))).toBe('success');
    expect(await world.code({ action: 'copy_file', path: name, destination: `~/c/${other}` })).toBe(
      'success',
    );
    expect(await world.code({ action: 'rename_file', path: name, destination: other })).toBe(
      'success',
    );
    expect(await world.confirmedCode(onPath.delete_file(other))).toBe('success');
    expect(await world.code(onPath.read_file(`c/${other}`))).toBe('success');
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await world.code(onPath.read_file(other))).toBe('success');
  });

  test.each(['..', '.', 'a/b', '/etc/x', 'x\0', 'n'.repeat(256), ''])(
    'or another refusal for the new name %j, and nothing is renamed',
    async (destination) => {
      await using world = await attackedWorld();
      world.plant('d/x.txt');
      const before = await treeHash(world.root);

      const answer = await world.confirm({ action: 'rename_file', path: 'd/x.txt', destination });

      expect(answer.status).toBe('error');
      expect(['INVALID_PATH', 'INVALID_INPUT', 'OUTSIDE_ROOT']).toContain(answer.error?.code);
      expect(await treeHash(world.root)).toBe(before);
    },
  );

  test.each(['../{name}', '{name}/../../x', '{name}\0', '{ext}/{name}'])(
    'or another refusal for the pattern of names %j',
    async (destination) => {
      await using world = await attackedWorld();
      world.plant('d/a.txt');
      world.plant('d/..b');
      const before = await treeHash(world.root);

      const answer = await world.confirm({ action: 'rename_file', path: 'd/*', destination });

      expect(answer.status).toBe('error');
      expect(await treeHash(world.root)).toBe(before);
    },
  );
});

describe('a pattern', () => {
  test.each(['/*', '../*', '~/../*', '**/../../*', '/**/secret.txt', '{x,../outside}/*'])(
    '%s lists, reads and deletes nothing outside of the root',
    async (path) => {
      await using world = await attackedWorld();
      world.plant('x/inside.txt');
      const before = await world.outsideHash();

      for (const request of [onPath.list_files, onPath.search_files, onPath.get_disk_usage]) {
        const answer = await world.ask(request(path));
        expect(JSON.stringify(answer)).not.toMatch(/secret\.txt"|OUTSIDE"|\/outside/);
      }
      await world.confirm({ ...onPath.delete_file(path), options: { recursive: true } });
      await world.confirm({ ...onPath.copy_file(path), destination: '~/got/' });

      expect(await world.outsideHash()).toBe(before);
      expect(await world.code(onPath.read_file('~/got/secret.txt'))).toBe('NOT_FOUND');
    },
  );

  test.each([
    ['braces thirty times', '{a,b}'.repeat(30)],
    ['braces in braces, a thousand deep', `${'{a,'.repeat(1000)}b${'}'.repeat(1000)}`],
    ['two stars fifty times', '**/'.repeat(50)],
    ['stars and a name that never fits', `${'**/*a'.repeat(50)}/b`],
  ])('TOO_COMPLEX: %s', async (_, path) => {
    await using world = await attackedWorld();
    world.plant(`${'a/'.repeat(30)}a`);

    for (const request of [onPath.list_files, onPath.delete_file, onPath.search_files]) {
      expect(await world.code(request(path))).toBe('TOO_COMPLEX');
    }
  });

  test('a star over and over in one name ends, also where it never fits', async () => {
    await using world = await attackedWorld();
    world.plant('a'.repeat(200));
    const path = `${'*a'.repeat(60)}b`;

    const answer = await world.ask({ ...onPath.list_files(path) });

    expect(['success', 'error']).toContain(answer.status);
    if (answer.status === 'success') expect(namesIn(answer)).toEqual([]);
    else expect(answer.error?.code).toBe('TOO_COMPLEX');
  });

  test('a name that looks like one means the file of that name, and no other', async () => {
    await using world = await attackedWorld();
    world.plant('d/[a]*?.txt', 'odd');
    world.plant('d/a11.txt', 'plain');

    expect(await world.confirmedCode(onPath.delete_file('d/[a]*?.txt'))).toBe('success');

    expect(namesIn(await world.ask(onPath.list_files('d')))).toEqual(['a11.txt']);
  });
});

test('the search for what is meant by a sentence never leaves the root', async () => {
  await using world = await attackedWorld();
  symlinkSync(world.outside, world.at('Downloads'));
  const run = { principal: 'owner', signal: new AbortController().signal };

  for (const sentence of [
    'delete everything in /etc',
    `read ${join(world.outside, 'secret.txt')}`,
    'list ../outside',
    'delete all files in Downloads',
  ]) {
    const found = await world.agent.understand({ sentence, here: '/etc' }, run);
    if (found.kind !== 'understood') continue;
    const answer = await world.confirm(found.request);
    expect(JSON.stringify(answer), sentence).not.toContain('OUTSIDE"');
    expect(['error', 'success']).toContain(answer.status);
  }
  expect(readFileSync(join(world.outside, 'secret.txt'), 'utf8')).toBe('OUTSIDE');
  expect(readFileSync('/etc/passwd', 'utf8')).toContain('root');
});
