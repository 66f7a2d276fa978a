import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { fileRead } from '../../src/toolbox/file/read.ts';
import { fileWrite } from '../../src/toolbox/file/write.ts';
import { seededRandom } from '../sim/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runTool } from '../support/tool-call.ts';

/** `root`, which is granted, beside `outside`, which is not, and a home of Agent OS. */
function place() {
  const folder = temporaryFolder();
  for (const name of ['root', 'root/sub', 'outside', 'root-twin', 'home', 'home/keys']) {
    mkdirSync(folder.at(name));
  }
  writeFileSync(folder.at('root/file'), 'inside');
  writeFileSync(folder.at('outside/secret'), 'OUTSIDE');
  writeFileSync(folder.at('root-twin/secret'), 'OUTSIDE');
  writeFileSync(folder.at('home/keys/owner.key'), 'OUTSIDE');
  const deps = {
    disk: realDisk,
    clock: realClock,
    random: seededRandom(1),
    home: folder.at('home'),
  };
  const capabilities = [`file:${folder.at('root')}/**:read,write`];
  return {
    ...folder,
    read: (path: string, grants: readonly string[] = capabilities) =>
      runTool(fileRead(deps), { path }, { capabilities: grants }),
    write: (path: string, args: object = {}, grants: readonly string[] = capabilities) =>
      runTool(fileWrite(deps), { path, content: 'ours', ...args }, { capabilities: grants }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe('a path that leads out of what is granted', () => {
  test.each([
    ['the folder beside it', (at: (name: string) => string) => at('outside/secret')],
    ['nothing', (at: (name: string) => string) => at('outside/none')],
    [
      'a folder whose name begins the same',
      (at: (name: string) => string) => at('root-twin/secret'),
    ],
    ['the folder above', (at: (name: string) => string) => at('.').slice(0, -2) || '/'],
    ['the system', () => '/etc/passwd'],
    ['nothing in the system', () => '/etc/none/none'],
  ])('to %s is denied before anybody looks', async (_what, pathIn) => {
    await using at = place();
    const path = pathIn(at.at);

    await expect(at.read(path)).rejects.toMatchObject({ code: 'capability.denied' });
    await expect(at.write(path)).rejects.toMatchObject({ code: 'capability.denied' });
    expect(readdirSync(at.at('outside'))).toEqual(['secret']);
  });

  test.each([
    ['..', (root: string) => `${root}/../outside/secret`],
    ['.. at its end', (root: string) => `${root}/sub/..`],
    ['. in it', (root: string) => `${root}/./file`],
    ['two slashes', (root: string) => `${root}//file`],
    ['a slash at its end', (root: string) => `${root}/file/`],
    ['no root', () => '../../etc/passwd'],
    ['a way down and up', () => 'Documents/../../x'],
    ['the home of another', () => '~other/x'],
    ['a NUL byte', (root: string) => `${root}/file\0.txt`],
    ['half a character', (root: string) => `${root}/\ud800`],
    ['more than 4096 bytes', (root: string) => `${root}${'/n'.repeat(2100)}`],
    ['a name of 256 bytes', (root: string) => `${root}/${'é'.repeat(128)}`],
  ])('written with %s is refused before it is held against grants', async (_what, pathIn) => {
    await using at = place();
    const path = pathIn(at.at('root'));

    await expect(at.read(path, ['file:/**:read'])).rejects.toMatchObject({ code: 'file.bad-path' });
    await expect(at.write(path, {}, ['file:/**:write'])).rejects.toMatchObject({
      code: 'file.bad-path',
    });
  });
});

describe('a symlink', () => {
  test('to a file outside is not read, written or replaced, and nobody learns what is there', async () => {
    await using at = place();
    symlinkSync(at.at('outside/secret'), at.at('root/to-file'));
    symlinkSync(at.at('outside/none'), at.at('root/to-nothing'));

    const failures = [];
    for (const name of ['to-file', 'to-nothing']) {
      const failure = await at.read(at.at('root', name)).catch((thrown: unknown) => thrown);
      failures.push(String(failure).replace(/outside\/\w+/, 'outside/…'));
      const replace = at.write(at.at('root', name), { if_exists: 'replace' });
      await expect(replace).rejects.toMatchObject({ code: 'file.not-a-file' });
      const create = at.write(at.at('root', name));
      await expect(create).rejects.toMatchObject({ code: 'file.exists' });
    }

    expect(failures[0]).toContain('It may not');
    expect(failures[1]).toBe(failures[0]);
    expect(readFileSync(at.at('outside/secret'), 'utf8')).toBe('OUTSIDE');
    expect(readlinkSync(at.at('root/to-file'))).toBe(at.at('outside/secret'));
    expect(readdirSync(at.at('outside'))).toEqual(['secret']);
  });

  test.each([
    ['a whole path', (at: (name: string) => string) => at('outside')],
    ['a way up', () => '../outside'],
    ['a way down and up', () => 'sub/../../outside'],
    ['the root', () => '/'],
    ['our own descriptors', () => '/proc/self/root'],
    ['our own folder', () => '/proc/self/cwd'],
  ])(
    'to a folder outside, in the middle of a path, by %s: nothing is read or made there',
    async (_what, targetIn) => {
      await using at = place();
      symlinkSync(targetIn(at.at), at.at('root/mid'));

      for (const name of ['secret', 'none', 'sub/x']) {
        const read = at.read(at.at('root/mid', name));
        await expect(read).rejects.toMatchObject({ code: 'capability.denied' });
        const write = at.write(at.at('root/mid', name));
        await expect(write).rejects.toMatchObject({ code: 'capability.denied' });
      }
      expect(readdirSync(at.at('outside'))).toEqual(['secret']);
    },
  );

  test('within what is granted is followed for reading, in the middle and at the end', async () => {
    await using at = place();
    writeFileSync(at.at('root/sub/file'), 'inside');
    symlinkSync('file', at.at('root/link'));
    symlinkSync(at.at('root/link'), at.at('root/sub/again'));
    symlinkSync('sub', at.at('root/folder'));

    const answer = { content: 'inside', path: at.at('root/file') };
    expect(await at.read(at.at('root/link'))).toMatchObject(answer);
    expect(await at.read(at.at('root/folder/again'))).toMatchObject(answer);
    expect(await at.write(at.at('root/folder/new'))).toMatchObject({ path: at.at('root/sub/new') });
  });

  test('that leads nowhere, or in a circle, ends', async () => {
    await using at = place();
    symlinkSync('none', at.at('root/dangling'));
    symlinkSync('loop', at.at('root/loop'));
    symlinkSync('.', at.at('root/here'));

    const missing = { code: 'file.missing' };
    await expect(at.read(at.at('root/dangling'))).rejects.toMatchObject(missing);
    await expect(at.read(at.at('root/loop'))).rejects.toMatchObject(missing);
    await expect(at.read(at.at('root/loop/x'))).rejects.toMatchObject(missing);
    const around = at.at(`root${'/here'.repeat(50)}/file`);
    await expect(at.read(around)).rejects.toMatchObject(missing);
    expect(await at.read(at.at('root/here/here/file'))).toMatchObject({ content: 'inside' });
  });

  test('leads to a secret only when a grant names that', async () => {
    await using at = place();
    mkdirSync(at.at('root/.ssh'));
    writeFileSync(at.at('root/.ssh/id_rsa'), 'OUTSIDE');
    symlinkSync('.ssh/id_rsa', at.at('root/harmless'));
    symlinkSync(at.at('home'), at.at('root/also-harmless'));
    const everything = ['file:/**:read'];

    for (const path of [at.at('root/harmless'), at.at('root/also-harmless/keys/owner.key')]) {
      await expect(at.read(path)).rejects.toMatchObject({ code: 'capability.denied' });
      await expect(at.read(path, everything)).rejects.toMatchObject({ code: 'capability.denied' });
    }
  });
});

describe('a name is data', () => {
  test.each([
    ['a newline and a tab', 'two\nlines\t'],
    ['an escape sequence', '\u001b[2J\u001b]0;x\u0007'],
    ['a change of direction', 'gpj.\u202etxt'],
    ['an option', '-rf'],
    ['blanks and a dot at its ends', ' name . '],
    ['a star', '**'],
    ['a shell', '$(touch x)`y`;|&'],
    ['a variable', '$HOME'],
    ['a tilde', '~'],
    ['encoded dots', '%2e%2e%2f'],
    ['backslashes', '..\\..\\x'],
  ])('%s in it makes no other name of it', async (_what, name) => {
    await using at = place();

    const written = await at.write(at.at('root', name));
    const read = await at.read(`${at.at('root')}/${name}`);

    expect(written).toEqual({ path: `${at.at('root')}/${name}`, bytes: 4 });
    expect(read).toMatchObject({ content: 'ours', path: `${at.at('root')}/${name}` });
    expect(readdirSync(at.at('root')).sort()).toEqual(['file', name, 'sub'].sort());
  });

  test('and stands quoted in the words of an error', async () => {
    await using at = place();

    const attempt = at.read(`${at.at('root')}/a\n\u001b[31m\u202eb`);

    await expect(attempt).rejects.toMatchObject({
      code: 'file.missing',
      message: expect.stringContaining(String.raw`a\n\u001b[31m\u202eb"`),
    });
  });
});

describe('what is secret', () => {
  test.each(['.ssh/id_rsa', '.env', '.env.local', '.gnupg/x', '.aws/credentials', '.SSH/x'])(
    '%s is denied unless a grant names it',
    async (name) => {
      await using at = place();
      const path = at.at('root', name);
      mkdirSync(at.at('root', name, '..'), { recursive: true });
      writeFileSync(path, 'secret');

      await expect(at.read(path)).rejects.toMatchObject({ code: 'capability.denied' });
      await expect(at.write(path)).rejects.toMatchObject({ code: 'capability.denied' });
      const named = [`file:${path}:read`];
      expect(await at.read(path, named)).toMatchObject({ content: 'secret' });
    },
  );

  test('our own home is, however much is granted above it', async () => {
    await using at = place();
    mkdirSync(at.at('home/agents/jean/workspace'), { recursive: true });
    writeFileSync(at.at('home/agents/jean/workspace/a'), 'mine');
    const path = at.at('home/keys/owner.key');
    const denied = { code: 'capability.denied' };

    for (const grant of ['file:/**:*', `file:${at.at()}/**:*`, `file:${at.at('home')}/**:*`]) {
      await expect(at.read(path, [grant])).rejects.toMatchObject(denied);
      await expect(at.write(at.at('home/config.json'), {}, [grant])).rejects.toMatchObject(denied);
    }
    const workspace = at.at('home/agents/jean/workspace');
    const star = at.read(`${workspace}/a`, [`file:${at.at('home/agents')}/*/workspace/**:read`]);
    await expect(star).rejects.toMatchObject(denied);
    expect(await at.read(`${workspace}/a`, [`file:${workspace}/**:read`])).toMatchObject({
      content: 'mine',
    });
    expect(existsSync(at.at('home/config.json'))).toBe(false);
  });

  test.each([
    '/proc/self/environ',
    '/proc/self/mem',
    '/proc/self/root/etc/hostname',
    '/proc/self/cwd/package.json',
    '/proc/self/fd/0',
    '/proc/thread-self/environ',
    `/proc/${process.pid}/environ`,
  ])('%s is, also for whoever may read all of /proc', async (path) => {
    await using at = place();
    const denied = { code: 'capability.denied' };

    await expect(at.read(path, ['file:/**:read'])).rejects.toMatchObject(denied);
    await expect(at.read(path, ['file:/proc/**:read'])).rejects.toMatchObject(denied);
    await expect(at.read(path, ['file:/proc/*/*:read'])).rejects.toMatchObject(denied);
  });

  test('/proc/self/environ is also for whoever was given it by that name', async () => {
    await using at = place();

    const attempt = at.read('/proc/self/environ', ['file:/proc/self/environ:read']);

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
  });
});
