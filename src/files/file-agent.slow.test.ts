import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changingDisk } from '../../tests/support/changing-disk.ts';
import { type FileAgentWorld, fileAgentWorld } from '../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { treeHash } from '../../tests/support/tree-hash.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { diskError } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { FileAnswer } from '../kernel/files/request.ts';
import type { Disk } from '../kernel/ports.ts';

keepCompiled();

function write(world: FileAgentWorld, path: string, text = path): string {
  const place = join(world.root, path);
  mkdirSync(join(place, '..'), { recursive: true });
  writeFileSync(place, text);
  return place;
}

function read(world: FileAgentWorld, path: string): string {
  return readFileSync(join(world.root, path), 'utf8');
}

function codeOf({ error }: FileAnswer): string | undefined {
  return error?.code;
}

const dayMs = 86_400_000;

function age(path: string, days: number): void {
  const at = new Date(Date.now() - days * dayMs);
  utimesSync(path, at, at);
}

describe('a change', () => {
  test('of one file that can be undone is done at once, and undone to the nanosecond', async () => {
    await using world = await fileAgentWorld();
    write(world, 'a/one.txt');
    mkdirSync(join(world.root, 'b'));
    const before = await treeHash(world.root);

    const moved = await world.ask({ action: 'move_file', path: '~/a/one.txt', destination: '~/b' });

    expect(moved).toMatchObject({ status: 'success', metadata: { files_affected: 1 } });
    expect(read(world, 'b/one.txt')).toBe('a/one.txt');
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('of many files waits for a yes, is done after it, and undone to the nanosecond', async () => {
    await using world = await fileAgentWorld();
    for (const name of ['old-1.pdf', 'old-2.txt', '-rf', 'Zeile\nzwei'])
      age(write(world, `Downloads/${name}`), 40);
    write(world, 'Downloads/new.txt');
    const before = await treeHash(world.root);
    const request = {
      ...({ action: 'move_file', path: '~/Downloads', destination: '~/Archive/' } as const),
      filters: { modified_before: new Date(Date.now() - 30 * dayMs).toISOString() },
    };

    const asked = await world.ask(request);
    expect(asked).toMatchObject({ status: 'confirmation_required', result: { files: 4 } });
    expect(asked.confirmation_prompt).toContain('Move 4 files');
    expect(asked.confirmation_prompt).toContain(String.raw`"Zeile\nzwei"`);
    expect(await treeHash(world.root)).toBe(before);

    expect(await world.confirm(request)).toMatchObject({ status: 'success' });
    expect(read(world, 'Archive/-rf')).toBe('Downloads/-rf');
    expect(read(world, 'Downloads/new.txt')).toBe('Downloads/new.txt');
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('that deletes goes to the trash after a yes, and comes back from there', async () => {
    await using world = await fileAgentWorld();
    write(world, 'folder/deep/x.txt');
    symlinkSync('/etc', join(world.root, 'folder/out'));
    const before = await treeHash(world.root);

    expect(await world.ask({ action: 'delete_file', path: '~/folder' })).toMatchObject({
      status: 'confirmation_required',
    });
    expect(await world.confirm({ action: 'delete_file', path: '~/folder' })).toMatchObject({
      status: 'success',
    });
    expect(statSync(join(world.root, 'folder'), { throwIfNoEntry: false })).toBeUndefined();
    expect(statSync('/etc').isDirectory()).toBe(true);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('for ever takes two yeses', async () => {
    await using world = await fileAgentWorld();
    write(world, 'x.txt');
    const request = {
      action: 'delete_file',
      path: '~/x.txt',
      options: { permanent: true },
    } as const;

    const first = await world.ask(request);
    const token = (answer: FileAnswer) => ({
      ...request,
      options: { ...request.options, confirmation_token: answer.confirmation_token },
    });
    const second = await world.ask(token(first));
    expect(second).toMatchObject({ status: 'confirmation_required' });
    expect(read(world, 'x.txt')).toBe('x.txt');
    expect(await world.ask(token(second))).toMatchObject({ status: 'success' });
    expect(codeOf(await world.undo())).toBe('NOT_UNDOABLE');
  });

  test('that writes over a file keeps its mode, and undo brings the old one back', async () => {
    await using world = await fileAgentWorld();
    chmodSync(write(world, 'x.txt', 'old'), 0o640);
    const before = await treeHash(world.root);
    const request = { action: 'write_file', path: '~/x.txt', content: 'new' } as const;

    expect(await world.ask(request)).toMatchObject({ status: 'confirmation_required' });
    expect(await world.ask({ ...request, options: { confirm_required: false } })).toMatchObject({
      status: 'confirmation_required',
    });
    expect(await world.confirm(request)).toMatchObject({ status: 'success' });

    expect(read(world, 'x.txt')).toBe('new');
    expect(statSync(join(world.root, 'x.txt')).mode & 0o777).toBe(0o640);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('onto an existing file replaces it only after a yes, and undo brings both back', async () => {
    await using world = await fileAgentWorld();
    write(world, 'a.txt', 'a');
    write(world, 'b.txt', 'b');
    const before = await treeHash(world.root);

    for (const action of ['move_file', 'copy_file', 'rename_file'] as const) {
      const destination = action === 'rename_file' ? 'b.txt' : '~/b.txt';
      const request = { action, path: '~/a.txt', destination };
      expect(await world.ask(request)).toMatchObject({ status: 'confirmation_required' });
      expect(await world.confirm(request)).toMatchObject({ status: 'success' });
      expect(read(world, 'b.txt')).toBe('a');
      expect(await world.undo()).toMatchObject({ status: 'success' });
      expect(await treeHash(world.root)).toBe(before);
    }
  });

  test.each(['move_file', 'copy_file'] as const)(
    '%s of a folder onto a file is taken back too',
    async (action) => {
      await using world = await fileAgentWorld();
      write(world, 'folder/x.txt');
      write(world, 'file', 'original');
      const before = await treeHash(world.root);

      const done = await world.confirm({ action, path: '~/folder', destination: '~/file' });
      expect(done).toMatchObject({ status: 'success' });
      expect(read(world, 'file/x.txt')).toBe('folder/x.txt');
      expect(await world.undo()).toMatchObject({ status: 'success' });

      expect(await treeHash(world.root)).toBe(before);
    },
  );

  test('that copies, taken back, leaves the copy in the trash: it may be the last one', async () => {
    await using world = await fileAgentWorld();
    write(world, 'original.txt', 'precious');
    await world.ask({ action: 'copy_file', path: '~/original.txt', destination: '~/copy.txt' });
    rmSync(join(world.root, 'original.txt'));

    expect(await world.undo()).toMatchObject({ status: 'success' });

    const [kept = ''] = readdirSync(join(world.trash, 'files'));
    expect(readFileSync(join(world.trash, 'files', kept), 'utf8')).toBe('precious');
  });

  test('that renames in a circle and in a chain comes out right', async () => {
    await using world = await fileAgentWorld();
    for (const name of ['1.txt', '2.txt', '3.txt']) write(world, `n/${name}`);
    const before = await treeHash(world.root);

    // 1 → 2, 2 → 3, 3 → 4: each takes the name of the next.
    const up = {
      action: 'rename_file',
      path: '~/n/*.txt',
      destination: '{n}-{name}{ext}',
    } as const;
    expect(await world.confirm(up)).toMatchObject({ status: 'success' });
    expect(read(world, 'n/2-2.txt')).toBe('n/2.txt');
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('that somebody else has made impossible fails by itself, and the rest is done', async () => {
    await using world = await fileAgentWorld();
    for (const name of ['a', 'b', 'c']) write(world, `from/${name}`);
    const request = {
      action: 'move_file',
      path: '~/from/*',
      destination: '~/to/',
      options: { on_error: 'continue' },
    } as const;

    const asked = await world.ask(request);
    writeFileSync(join(world.root, 'from/b'), 'changed');
    const again = await world.ask({
      ...request,
      options: { ...request.options, confirmation_token: asked.confirmation_token },
    });

    expect(again).toMatchObject({
      status: 'confirmation_required',
      error: { code: 'PLAN_CHANGED' },
    });
    expect(again.confirmation_token).not.toBe(asked.confirmation_token);
    expect(read(world, 'from/a')).toBe('from/a');
  });
});

describe('a yes', () => {
  const request = { action: 'delete_file', path: '~/x.txt' } as const;

  test('is good once', async () => {
    await using world = await fileAgentWorld();
    write(world, 'x.txt');
    const { confirmation_token } = await world.ask(request);

    const yes = { ...request, options: { confirmation_token } };
    expect(await world.ask(yes)).toMatchObject({ status: 'success' });
    expect(codeOf(await world.ask(yes))).toBe('TOKEN_USED');
  });

  test('is for who was asked, for what was asked, and for a while', async () => {
    let now = 1_800_000_000_000;
    await using world = await fileAgentWorld({
      clock: { now: () => now, monotonicMs: () => now, sleep: async () => {} },
    });
    write(world, 'x.txt');
    write(world, 'y.txt');
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);
    const { confirmation_token } = await world.ask(request);
    const options = { confirmation_token };

    expect(codeOf(await world.ask({ ...request, options }, { principal: 'agent:jean' }))).toBe(
      'TOKEN_NOT_YOURS',
    );
    expect(codeOf(await world.ask({ ...request, path: '~/y.txt', options }))).toBe(
      'TOKEN_OTHER_REQUEST',
    );
    expect(codeOf(await world.ask({ ...request, options: { confirmation_token: 'yes-no' } }))).toBe(
      'TOKEN_UNKNOWN',
    );
    now += 11 * 60_000;
    expect(codeOf(await world.ask({ ...request, options }))).toBe('TOKEN_EXPIRED');
    expect(read(world, 'x.txt')).toBe('x.txt');
  });

  test('is never given to an agent, which cannot confirm its own plan', async () => {
    await using world = await fileAgentWorld();
    write(world, 'x.txt');
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);

    const answer = await world.ask(request, { principal: 'agent:jean' });

    expect(answer.confirmation_token).toBeUndefined();
    expect(codeOf(answer)).toBe('PLAN_CHANGED');
    expect(read(world, 'x.txt')).toBe('x.txt');
  });
});

describe('what it never does:', () => {
  test.each(['~', '/', '.', '~/..', '~/../..'])('delete %s', async (path) => {
    await using world = await fileAgentWorld();
    write(world, 'x.txt');

    const answer = await world.ask({ action: 'delete_file', path });

    expect(['PROTECTED', 'OUTSIDE_ROOT']).toContain(codeOf(answer));
  });

  test('two names of one file: neither is moved over the other', async () => {
    await using world = await fileAgentWorld();
    linkSync(write(world, 'a.txt'), join(world.root, 'b.txt'));

    const answer = await world.ask({
      action: 'move_file',
      path: '~/a.txt',
      destination: '~/b.txt',
    });

    expect(codeOf(answer)).toBe('SAME_FILE');
  });

  test('a folder into itself', async () => {
    await using world = await fileAgentWorld();
    write(world, 'a/b/x.txt');

    const answer = await world.ask({ action: 'move_file', path: '~/a', destination: '~/a/b' });

    expect(codeOf(answer)).toBe('CONFLICT');
  });
});

describe('an undo on a full disk', () => {
  const trashWithoutRoom = () => {
    const room = { isFull: false };
    const disk: Disk = {
      ...realDisk,
      create: async (path, options) => {
        if (room.isFull && path.endsWith('.trashinfo')) throw diskError('ENOSPC', path);
        return realDisk.create(path, options);
      },
    };
    return { room, disk };
  };

  test('says what the trash needs, leaves all as it is, and is done later', async () => {
    const { room, disk } = trashWithoutRoom();
    await using world = await fileAgentWorld({ disk });
    write(world, 'a.txt');
    await world.ask({ action: 'copy_file', path: '~/a.txt', destination: '~/b.txt' });
    room.isFull = true;

    const refused = await world.undo();
    const { result } = await world.agent.plans(
      {},
      {
        principal: 'owner',
        key: 'plans',
        signal: AbortSignal.timeout(1000),
        approvedReason: async () => undefined,
      },
    );
    room.isFull = false;
    const done = await world.undo();

    expect(refused.error).toMatchObject({
      code: 'NO_SPACE',
      message: expect.stringMatching(/trash/),
    });
    expect(result).toMatchObject({
      plans: [{ undoes: expect.any(String), done: 0, failed: 1 }, {}],
    });
    expect(done.status).toBe('success');
    expect(readdirSync(world.root)).toEqual(['a.txt']);
  });
});

describe('a file with two names', () => {
  const request = { action: 'write_file', path: '~/a.txt', content: 'new' } as const;

  test('is written to under one of them, and the question says what the other one keeps', async () => {
    await using world = await fileAgentWorld();
    linkSync(write(world, 'a.txt', 'old'), join(world.root, 'b.txt'));

    const { confirmation_prompt } = await world.ask(request);
    await world.confirm(request);

    expect(confirmation_prompt).toContain(
      '"~/a.txt" has another name (a hard link), which keeps what was in it.',
    );
    expect([read(world, 'a.txt'), read(world, 'b.txt')]).toEqual(['new', 'old']);
  });

  test('is one again after an undo', async () => {
    await using world = await fileAgentWorld();
    linkSync(write(world, 'a.txt', 'old'), join(world.root, 'b.txt'));
    await world.confirm(request);

    await world.undo();

    const [a, b] = ['a.txt', 'b.txt'].map((name) => statSync(join(world.root, name)).ino);
    expect(a).toBe(b);
  });
});

describe('reading while somebody writes', () => {
  const [older, newer] = ['a'.repeat(5000), 'b'.repeat(5000)];

  async function readWhile(changes: number) {
    let left = changes;
    let path = '';
    const disk = changingDisk(realDisk, () => {
      if (path !== '' && left-- > 0) writeFileSync(path, left % 2 === 0 ? newer : older);
    });
    await using world = await fileAgentWorld({ disk });
    path = join(world.root, 'a.txt');
    writeFileSync(path, older);
    return await world.ask({ action: 'read_file', path: '~/a.txt' });
  }

  test('gives what stands there in the end', async () => {
    expect((await readWhile(1)).result).toMatchObject({ content: newer, size_bytes: 5000 });
  });

  test('says so where that does not end', async () => {
    expect(codeOf(await readWhile(1000))).toBe('CHANGED');
  });
});

describe('a dry run', () => {
  test.each([
    { action: 'list_files', path: '~' },
    { action: 'read_file', path: '~/a.txt' },
    { action: 'write_file', path: '~/a.txt', content: 'other' },
    { action: 'move_file', path: '~/a.txt', destination: '~/d' },
    { action: 'rename_file', path: '~/a.txt', destination: 'b.txt' },
    { action: 'copy_file', path: '~/a.txt', destination: '~/d' },
    { action: 'delete_file', path: '~/a.txt' },
    { action: 'search_files', query: 'a' },
    { action: 'get_metadata', path: '~/a.txt' },
    { action: 'get_disk_usage', path: '~' },
  ] as const)('of $action touches nothing', async (request) => {
    await using world = await fileAgentWorld();
    write(world, 'a.txt');
    write(world, 'd/x.txt');
    const before = await treeHash(world.root);

    const answer = await world.ask({ ...request, options: { dry_run: true } });

    expect(answer.status).toBe('success');
    expect(answer.action_performed).toMatch(/^Would /);
    expect(answer.result).not.toHaveProperty('content');
    expect(await treeHash(world.root)).toBe(before);
    expect(statSync(world.trash, { throwIfNoEntry: false })).toBeUndefined();
  });
});

test('a move between two disks copies, compares, and then removes; undo brings it back', async () => {
  await using world = await fileAgentWorld({ root: '/' });
  await using shm = await fileAgentWorld({ root: `/dev/shm/aos-test-${process.pid}` });
  const from = join(world.folder.path, 'tree');
  mkdirSync(join(from, 'deep'), { recursive: true });
  writeFileSync(join(from, 'deep/x.txt'), 'x'.repeat(3_000_000));
  symlinkSync('deep/x.txt', join(from, 'link'));
  age(join(from, 'deep/x.txt'), 3);
  chmodSync(join(from, 'deep/x.txt'), 0o640);
  const before = await treeHash(from);
  try {
    const moved = await world.ask({
      action: 'move_file',
      path: from,
      destination: join(shm.root, 'tree'),
    });
    expect(moved).toMatchObject({ status: 'success' });
    expect(statSync(from, { throwIfNoEntry: false })).toBeUndefined();
    expect(await treeHash(join(shm.root, 'tree'))).toBe(before);
    expect(await world.undo()).toMatchObject({ status: 'success' });
    expect(await treeHash(from)).toBe(before);
  } finally {
    rmSync(shm.root, { recursive: true, force: true });
  }
});

const changes = [
  ['changed', (path: string) => writeFileSync(path, 'somebody works on this')],
  [
    'another one',
    (path: string) => {
      rmSync(path);
      writeFileSync(path, 'x');
    },
  ],
] as const;

test.each(changes)(
  'a file that is %s when its step comes is not deleted for ever',
  async (_, touch) => {
    let hasBegun = false;
    const meanwhile: Disk = {
      ...realDisk,
      remove: async (path) => {
        await realDisk.remove(path);
        if (!hasBegun && path.endsWith('/a.txt')) touch(join(world.root, 'b.txt'));
        hasBegun ||= path.endsWith('/a.txt');
      },
    };
    await using world = await fileAgentWorld({ disk: meanwhile });
    for (const name of ['a.txt', 'b.txt']) write(world, name, 'x');

    const answer = await world.confirm({
      ...{ action: 'delete_file', path: '~/*.txt', options: { permanent: true } },
    });

    expect(codeOf(answer)).toBe('CHANGED');
    expect(readdirSync(world.root)).toEqual(['b.txt']);
  },
);

test('what comes into a folder before its turn keeps it from being deleted for ever', async () => {
  const coming: Disk = {
    ...realDisk,
    remove: async (path) => {
      await realDisk.remove(path);
      if (path.endsWith('/a.txt')) write(world, 'b/sub/thesis.txt', 'thesis');
    },
  };
  await using world = await fileAgentWorld({ disk: coming });
  for (const path of ['a/a.txt', 'b/sub/x.txt']) write(world, path);

  const answer = await world.confirm({
    ...{ action: 'delete_file', path: '~/*', options: { permanent: true } },
  });

  expect(codeOf(answer)).toBe('CHANGED');
  expect(readdirSync(world.root, { recursive: true }).sort()).toEqual([
    ...['b', 'b/sub', 'b/sub/thesis.txt', 'b/sub/x.txt'],
  ]);
});

test('of a folder that cannot go as a whole the rest stays in its place, and it is told what went', async () => {
  const stubborn: Disk = {
    ...realDisk,
    remove: async (path) => {
      if (path.endsWith('/blob')) throw diskError('EPERM', path);
      await realDisk.remove(path);
    },
  };
  await using world = await fileAgentWorld({ disk: stubborn });
  for (const path of ['p/a/main', 'p/b/cache/blob', 'p/c/last']) write(world, path, 'x');

  const answer = await world.confirm({
    ...{ action: 'delete_file', path: '~/p', options: { permanent: true } },
  });

  expect(codeOf(answer)).toBe('PERMISSION_DENIED');
  expect(answer.action_performed).toBe('Deleted for ever: 1 file (1 byte)');
  expect(readdirSync(world.root, { recursive: true }).sort()).toEqual([
    ...['p', 'p/b', 'p/b/cache', 'p/b/cache/blob', 'p/c', 'p/c/last'],
  ]);
});

test('a deletion of a folder for ever stops between two files, and what is left keeps its place', async () => {
  const ends = new AbortController();
  const stopping: Disk = {
    ...realDisk,
    remove: async (path) => {
      await realDisk.remove(path);
      if (path.endsWith('/1.txt'))
        ends.abort(new AosError('interrupted.signal', { message: 'Stop' }));
    },
  };
  await using world = await fileAgentWorld({ disk: stopping });
  for (const name of ['0', '1', '2', '3']) write(world, `p/sub/${name}.txt`);
  const options = { permanent: true } as const;
  const request = { action: 'delete_file', path: '~/p', options } as const;
  const withYes = ({ confirmation_token }: FileAnswer) => ({
    ...request,
    options: { ...options, confirmation_token },
  });
  const second = await world.ask(withYes(await world.ask(request)));

  await world.ask(withYes(second), { signal: ends.signal }).catch(() => {});

  const left = readdirSync(join(world.root, 'p/sub'));
  expect(left).not.toContain('1.txt');
  expect(left.length).toBeGreaterThan(0);
  expect(readdirSync(world.root)).toEqual(['p']);
});

test('of two moves of one file at once one is done', async () => {
  await using world = await fileAgentWorld();
  const ends = new Set<string>();
  for (let round = 0; round < 60; round += 1) {
    write(world, 'a.txt', String(round));
    const moves = ['b', 'c'].map((name) =>
      world.ask({ action: 'move_file', path: '~/a.txt', destination: `~/${name}${round}.txt` }),
    );
    const answers = await Promise.all(moves);
    const names = readdirSync(world.root).filter((name) => name.endsWith(`${round}.txt`));
    ends.add(`${answers.filter(({ status }) => status === 'success').length} of ${names.length}`);
    for (const name of readdirSync(world.root)) rmSync(join(world.root, name));
  }

  expect([...ends]).toEqual(['1 of 1']);
});

test('an undo throws what was written away, and not for ever', async () => {
  await using world = await fileAgentWorld();
  write(world, 'w.txt', 'before');
  await world.confirm({ action: 'write_file', path: '~/w.txt', content: 'an hour of work' });

  await world.undo();

  expect(read(world, 'w.txt')).toBe('before');
  expect(await world.restore('~/w.txt').then(codeOf)).not.toBe('NOT_FOUND');
});

test('what came after the yes stays, where a deletion for ever goes on after a crash', async () => {
  await using folder = temporaryFolder();
  const options = { permanent: true, on_error: 'continue' } as const;
  const request = { action: 'delete_file', path: '~/*', options } as const;
  {
    await using first = await fileAgentWorld({ folder });
    for (const path of ['a/a.txt', 'b/b.txt', 'c.txt', 'd.txt']) write(first, path);
    const withYes = ({ confirmation_token }: FileAnswer) => ({
      ...request,
      options: { ...options, confirmation_token },
    });
    const secondQuestion = await first.ask(withYes(await first.ask(request)));
    const ends = new AbortController();
    const stopping = new AosError('tool.interrupted', { message: 'The daemon stops' });
    const onProgress = () => ends.abort(stopping);
    const begun = first.ask(withYes(secondQuestion), { signal: ends.signal, onProgress });
    await expect(begun).rejects.toBe(stopping);
  }
  writeFileSync(folder.at('root', 'b/new.txt'), 'new');
  writeFileSync(folder.at('root', 'c.txt'), 'changed');

  await using again = await fileAgentWorld({ folder, epoch: 2 });
  await again.agent.recover({ error: () => {} });

  const left = readdirSync(again.root, { recursive: true });
  expect(left.sort()).toEqual(['b', 'b/b.txt', 'b/new.txt', 'c.txt']);
});

test('a copy that a crash cut off is not gone on with where it does not fit, and can be undone', async () => {
  await using folder = temporaryFolder();
  const request = { action: 'copy_file', path: '~/src/*', destination: '~/dst/' } as const;
  {
    await using first = await fileAgentWorld({ folder });
    for (const name of ['1', '2', '3']) write(first, `src/${name}`);
    const { confirmation_token } = await first.ask(request);
    const ends = new AbortController();
    const stopping = new AosError('tool.interrupted', { message: 'The daemon stops' });
    const yes = { ...request, options: { confirmation_token } };
    // The folder, and the first of the three.
    const onProgress = (done: number) => (done === 2 ? ends.abort(stopping) : undefined);
    const begun = first.ask(yes, { signal: ends.signal, onProgress });
    await expect(begun).rejects.toBe(stopping);
  }
  const room = {
    usedBytes: 2 ** 30,
    freeBytes: 4096,
    writableBytes: 4096,
    writableFiles: 99,
    fileSystem: 'ext4',
  };

  await using again = await fileAgentWorld({
    folder,
    epoch: 2,
    volume: { usage: async () => room },
  });
  await again.agent.recover({ error: () => {} });
  const copied = readdirSync(join(again.root, 'dst')).length;
  const undone = await again.undo();

  expect(copied).toBeGreaterThan(0);
  expect(copied).toBeLessThan(3);
  expect(undone).toMatchObject({ status: 'success' });
  expect(readdirSync(again.root)).toEqual(['src']);
});

describe('the trash at the top of another disk', () => {
  const run = { principal: 'owner', signal: new AbortController().signal, key: 'trash' };
  const asked = { ...run, approvedReason: async () => undefined };

  /** As a desktop leaves it there. */
  function throwAwayAt(top: string, file: string, path: string): void {
    const trash = join(top, `.Trash-${process.getuid?.() ?? 0}`);
    for (const name of ['files', 'info']) mkdirSync(join(trash, name), { recursive: true });
    writeFileSync(join(trash, 'files', file), `was ${path}`);
    const info = `[Trash Info]\nPath=${path}\nDeletionDate=2026-01-31T12:00:00\n`;
    writeFileSync(join(trash, 'info', `${file}.trashinfo`), info);
  }

  test('is listed with the others, and gives back what is in it', async () => {
    await using folder = temporaryFolder();
    const [top, broken] = [folder.at('root', 'stick'), folder.at('root', 'broken')];
    // Mounted twice, and beside a disk that cannot be read.
    const mounts = { tops: async () => [broken, top, top] };
    const disk: Disk = {
      ...realDisk,
      list: (path) =>
        path.startsWith(broken) ? Promise.reject(diskError('EIO', path)) : realDisk.list(path),
    };
    await using world = await fileAgentWorld({ folder, disk, mounts });
    throwAwayAt(broken, 'lost.txt', 'lost.txt');
    write(world, 'near.txt');
    await world.confirm({ action: 'delete_file', path: '~/near.txt' });
    throwAwayAt(top, 'far.1.txt', 'photos/far.txt');

    const { result } = await world.agent.trash(asked);
    const restored = await world.restore('~/stick/photos/far.txt');

    expect(result).toMatchObject({
      files: [{ path: `${world.root}/near.txt` }, { path: `${top}/photos/far.txt` }],
    });
    expect(restored.status).toBe('success');
    expect(read(world, 'stick/photos/far.txt')).toBe('was photos/far.txt');
  });

  test('is passed over where it belongs to another user', async () => {
    await using folder = temporaryFolder();
    const top = folder.at('root', 'stick');
    const disk: Disk = {
      ...realDisk,
      stat: async (path) => {
        const there = await realDisk.stat(path);
        const isTheirs = there !== undefined && path.startsWith(`${top}/.Trash-`);
        return isTheirs ? { ...there, ownerUid: there.ownerUid + 1 } : there;
      },
    };
    await using world = await fileAgentWorld({ folder, disk, mounts: { tops: async () => [top] } });
    throwAwayAt(top, 'far.txt', 'far.txt');

    const { result } = await world.agent.trash(asked);

    expect(result).toEqual({ files: [] });
  });

  test.each(['../far.txt', 'a/../../far.txt', '/etc/far.txt'])(
    'is not believed when it says that something lay at %s',
    async (path) => {
      await using folder = temporaryFolder();
      const top = folder.at('root', 'stick');
      const mounts = { tops: async () => [top] };
      await using world = await fileAgentWorld({ folder, mounts });
      throwAwayAt(top, 'far.txt', path);

      const { result } = await world.agent.trash(asked);

      expect(result).toEqual({ files: [] });
      expect(codeOf(await world.restore('far.txt'))).toBe('NOT_IN_TRASH');
    },
  );
});

test('what cannot go back to where it was stays in the trash, and is said to', async () => {
  let isElsewhere = false;
  const changing: Disk = {
    ...realDisk,
    link: async (from, to) => {
      if (isElsewhere && to.endsWith('/x.txt')) throw diskError('EXDEV', from);
      await realDisk.link(from, to);
    },
  };
  await using world = await fileAgentWorld({ disk: changing });
  const path = write(world, 'x.txt', 'precious');
  await world.confirm({ action: 'delete_file', path: '~/x.txt' });
  // Another disk is mounted there by now.
  isElsewhere = true;

  const restored = await world.restore(path);
  const undone = await world.undo();

  expect([codeOf(restored), codeOf(undone)]).toEqual(['OTHER_DISK', 'OTHER_DISK']);
  isElsewhere = false;
  expect(await world.undo()).toMatchObject({ status: 'success' });
  expect(read(world, 'x.txt')).toBe('precious');
});

test('a symlink tells an agent nothing of a folder that it may not see, there or not', async () => {
  await using world = await fileAgentWorld();
  write(world, 'Mine/x.txt');
  write(world, 'Secret/y.txt');
  symlinkSync(join(world.root, 'Secret'), join(world.root, 'Mine/there'));
  symlinkSync(join(world.root, 'Nope'), join(world.root, 'Mine/not'));
  await world.give('jean', `file:${world.root}/Mine/**:read,write,move,delete`);
  const jean = { principal: 'agent:jean' };

  for (const action of ['list_files', 'get_disk_usage', 'search_files'] as const) {
    const answers = [];
    const query = action === 'search_files' ? 'y' : undefined;
    for (const name of ['there', 'not']) {
      answers.push(await world.ask({ action, path: `~/Mine/${name}`, query }, jean));
    }
    expect(answers.map(codeOf)).toEqual(['PERMISSION_DENIED', 'PERMISSION_DENIED']);
  }
});

test('a write that fails on a full disk leaves the old file, and nothing in the trash', async () => {
  const full: Disk = {
    ...realDisk,
    create: async (path, options) => {
      const writer = await realDisk.create(path, options);
      const isTarget = path.includes('/.aos-');
      return isTarget ? { ...writer, append: async () => Promise.reject(noSpace(path)) } : writer;
    },
  };
  await using world = await fileAgentWorld({ disk: full });
  write(world, 'x.txt', 'old');
  const before = await treeHash(world.root, { folderTimes: 'left-out' });

  const answer = await world.confirm({ action: 'write_file', path: '~/x.txt', content: 'new' });

  expect(answer.error).toMatchObject({
    code: 'NO_SPACE',
    message: "There isn't enough disk space to complete this",
  });
  expect(await treeHash(world.root, { folderTimes: 'left-out' })).toBe(before);
  expect(statSync(join(world.root, 'x.txt')).nlink).toBe(1);
  expect(readdirSync(world.trash, { recursive: true }).sort()).toEqual(['files', 'info']);
});

function noSpace(path: string): unknown {
  return diskError('ENOSPC', path);
}

describe('a file that is moved to another disk stays', () => {
  /** Both places after it was tried. */
  async function afterMove(diskFor: (from: string) => Disk) {
    await using folder = temporaryFolder();
    const from = folder.at('x.txt');
    const other = `/dev/shm/aos-file-${process.pid}`;
    await using world = await fileAgentWorld({ root: '/', folder, disk: diskFor(from) });
    mkdirSync(other);
    writeFileSync(from, 'as it was');
    const destination = join(other, 'x.txt');
    try {
      const answer = await world.ask({ action: 'move_file', path: from, destination });
      const there = readdirSync(other).map((name) => readFileSync(join(other, name), 'utf8'));
      return { code: codeOf(answer), here: readFileSync(from, 'utf8'), there };
    } finally {
      rmSync(other, { recursive: true });
    }
  }

  test('where the copy is not the same', async () => {
    const moved = await afterMove(() => ({
      ...realDisk,
      create: async (path, options) => {
        const writer = await realDisk.create(path, options);
        const wrong = (bytes: Uint8Array) => writer.append(bytes.map((byte) => byte ^ 1));
        return path.includes('/.aos-') ? { ...writer, append: wrong } : writer;
      },
    }));

    expect(moved).toEqual({ code: 'CHANGED', here: 'as it was', there: [] });
  });

  test('where somebody has written to it meanwhile', async () => {
    const moved = await afterMove((from) => ({
      ...realDisk,
      link: async (one, two) => {
        await realDisk.link(one, two);
        // The copy has just got its name; the source is about to go.
        if (one.includes('/.aos-')) writeFileSync(from, 'newer than the copy');
      },
    }));

    expect(moved).toEqual({ code: 'CHANGED', here: 'newer than the copy', there: ['as it was'] });
  });
});

test('what somebody has changed in the trash is not brought back as if it were the same', async () => {
  await using world = await fileAgentWorld();
  write(world, 'x.txt');
  await world.confirm({ action: 'delete_file', path: '~/x.txt' });
  const [kept = ''] = readdirSync(join(world.trash, 'files'));
  writeFileSync(join(world.trash, 'files', kept), 'something else');

  const undone = await world.undo();

  expect(codeOf(undone)).toBe('CHANGED');
  expect(readdirSync(world.root)).toEqual([]);
});

test('what is saved in a folder while it is moved to another disk stays there', async () => {
  const other = `/dev/shm/aos-meanwhile-${process.pid}`;
  mkdirSync(other);
  let from = '';
  const meanwhile: Disk = {
    ...realDisk,
    link: async (one, two) => realDisk.link(one, two),
    rename: async (one, two) => {
      await realDisk.rename(one, two);
      // The copy has just got its name; the source is about to go.
      if (two.endsWith('/tree')) writeFileSync(join(from, 'deep/saved.txt'), 'saved meanwhile');
    },
  };
  await using world = await fileAgentWorld({ root: '/', disk: meanwhile });
  from = join(world.folder.path, 'tree');
  mkdirSync(join(from, 'deep'), { recursive: true });
  writeFileSync(join(from, 'deep/x.txt'), 'x');
  try {
    const answer = await world.ask({
      ...{ action: 'move_file', path: from, destination: join(other, 'tree') },
    });

    expect(codeOf(answer)).toBe('CHANGED');
    expect(readFileSync(join(from, 'deep/saved.txt'), 'utf8')).toBe('saved meanwhile');
    expect(readFileSync(join(other, 'tree/deep/x.txt'), 'utf8')).toBe('x');
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

describe('a request that could take more than was meant', () => {
  test('for duplicates keeps the oldest of each, and takes nothing else', async () => {
    await using world = await fileAgentWorld();
    age(write(world, 'Q/old.txt', 'same'), 9);
    write(world, 'Q/new.txt', 'same');
    write(world, 'Q/only.txt', 'another');

    const request = { action: 'delete_file', path: '~/Q', filters: { duplicates: true } } as const;
    expect(await world.confirm(request)).toMatchObject({ status: 'success' });

    expect(readdirSync(join(world.root, 'Q')).sort()).toEqual(['old.txt', 'only.txt']);
  });

  test('for the oldest two leaves folders, however old they are', async () => {
    await using world = await fileAgentWorld();
    for (const [name, days] of [
      ['a.txt', 9],
      ['b.txt', 8],
      ['c.txt', 1],
    ] as const)
      age(write(world, `Downloads/${name}`), days);
    write(world, 'Downloads/folder/new.txt');
    age(join(world.root, 'Downloads/folder'), 100);

    await world.confirm({
      action: 'delete_file',
      path: '~/Downloads/*',
      options: { sort: 'modified', order: 'asc', limit: 2 },
    });

    expect(readdirSync(join(world.root, 'Downloads')).toSorted()).toEqual(['c.txt', 'folder']);
  });

  test('for all but a type leaves folders, and what is of that type without saying so', async () => {
    await using world = await fileAgentWorld();
    write(world, 'Q/scan', '%PDF-1.4\n%%EOF\n');
    write(world, 'Q/a.pdf', '%PDF-1.4\n%%EOF\n');
    write(world, 'Q/sub/deep.pdf', '%PDF-1.4\n%%EOF\n');
    write(world, 'Q/b.txt');

    const request = {
      action: 'delete_file',
      path: '~/Q',
      filters: { exclude: ['*.pdf'] },
    } as const;
    expect(await world.confirm(request)).toMatchObject({ status: 'success' });

    expect(readdirSync(join(world.root, 'Q')).sort()).toEqual(['a.pdf', 'scan', 'sub']);
  });

  test.each([
    [{ filters: { modified_before: '2026-13-45' } }],
    [{ filters: { modified_before: '2026-02-30' } }],
    [{ options: { limit: 1 } }],
    [{ options: { recursive: false } }],
  ])('with %j is refused', async (more) => {
    await using world = await fileAgentWorld();
    write(world, 'Q/a.txt');

    const answer = await world.ask({ action: 'delete_file', path: '~/Q', ...more });

    expect(codeOf(answer)).toBe('INVALID_INPUT');
  });

  test('in a folder with another disk in it is refused', async () => {
    await using world = await fileAgentWorld({ root: '/' });

    const answer = await world.ask({
      action: 'copy_file',
      path: '/dev',
      destination: world.folder.at('x'),
    });

    expect(codeOf(answer)).toBe('OTHER_DISK');
  });
});

test('a file in a folder that lets nothing go stays, and gets no second name', async () => {
  let isShut = false;
  // Root may take a name out of any folder, so the disk refuses it here.
  const shut: Disk = {
    ...realDisk,
    remove: async (path) => {
      if (isShut && path.endsWith('/f')) {
        isShut = false;
        throw diskError('EACCES', path);
      }
      await realDisk.remove(path);
    },
  };
  await using world = await fileAgentWorld({ disk: shut });
  write(world, 'ro/f');
  isShut = true;

  const answer = await world.ask({ action: 'move_file', path: '~/ro/f', destination: '~/' });

  expect(codeOf(answer)).toBe('PERMISSION_DENIED');
  expect(read(world, 'ro/f')).toBe('ro/f');
  expect(statSync(join(world.root, 'f'), { throwIfNoEntry: false })).toBeUndefined();
});

test('a plan with very many long names is answered, and done', async () => {
  await using world = await fileAgentWorld({ limits: { answerBytes: 200 * 1024 } });
  const long = 'x'.repeat(200);
  for (let number = 0; number < 300; number++) write(world, `from/${long}/${long}-${number}`, '');

  const request = { action: 'move_file', path: `~/from/${long}/*`, destination: '~/to/' } as const;
  const asked = await world.ask(request);
  const done = await world.confirm(request);

  expect(JSON.stringify(asked).length).toBeLessThan(200 * 1024);
  expect(JSON.stringify(done).length).toBeLessThan(200 * 1024);
  expect(done).toMatchObject({ status: 'success', metadata: { files_affected: 300 } });
});

test('names that change places are taken back where one of them cannot be renamed', async () => {
  let root = '';
  const stubborn: Disk = {
    ...realDisk,
    link: async (from, to) => {
      // The second of the three: the first waits under a name in between by then.
      if (from.endsWith('/2.txt') && root !== '') throw diskError('EIO', from);
      await realDisk.link(from, to);
    },
  };
  await using world = await fileAgentWorld({ disk: stubborn });
  root = world.root;
  for (const [name, size] of [
    ['3', 1],
    ['1', 2],
    ['2', 3],
  ] as const) {
    write(world, `n/${name}.txt`, 'x'.repeat(size));
  }
  const before = await treeHash(world.root, { folderTimes: 'left-out' });

  const answer = await world.confirm({
    ...{ action: 'rename_file', path: '~/n/*.txt', destination: '{n}{ext}' },
    options: { sort: 'size', order: 'asc' },
  });

  expect(answer.status).toBe('error');
  expect(await treeHash(world.root, { folderTimes: 'left-out' })).toBe(before);
});

test('a filter of names takes no notice of capital letters, nor does what is left out', async () => {
  await using world = await fileAgentWorld();
  for (const name of ['Screenshot 1.png', 'screenshot 2.png', 'Photo.PNG']) write(world, name);

  const named = await world.ask({ action: 'list_files', filters: { name: '*screenshot*' } });
  const others = await world.ask({ action: 'list_files', filters: { exclude: ['SCREENSHOT*'] } });

  expect(named.result).toMatchObject({ total: 2 });
  expect(others.result).toMatchObject({ total: 1, files: [{ name: 'Photo.PNG' }] });
});
