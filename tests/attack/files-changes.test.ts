/** Changes that would lose something: replaced, deleted, between two disks, and on a full one. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { FileAnswer, FileRequest } from '../../src/kernel/files/request.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import {
  type AttackedWorld,
  attackedWorld,
  checkWords,
  endOf,
  shareThreads,
} from '../support/files-attack.ts';
import { keepCompiled } from '../support/keep-compiled.ts';
import { hasSandbox, isRoot } from '../support/machine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { treeEntries, treeHash } from '../support/tree-hash.ts';

keepCompiled();
shareThreads();
afterEach(checkWords);

const MiB = 1024 * 1024;
const remove = (path: string, options = {}): FileRequest => ({
  ...{ action: 'delete_file', path, options },
});

describe('never moved, renamed, written over or deleted, whatever the owner says yes to:', () => {
  const protectedPlaces = ['~', '~/', '.', './', '~/.', '~/x/..', 'link-to-root'];

  test.each(protectedPlaces)('the root as %j', async (path) => {
    await using world = await attackedWorld();
    world.plant('x/y.txt');
    symlinkSync(world.root, world.at('link-to-root'));
    const before = await treeHash(world.root);

    for (const request of [
      { action: 'move_file', path, destination: '~/x/inside' },
      { action: 'rename_file', path, destination: 'other' },
      remove(path),
      remove(path, { permanent: true }),
    ] as const) {
      const code = await world.confirmedCode(request);
      // The link is a thing of its own, and may go.
      if (path === 'link-to-root') {
        await world.undo();
        rmSync(world.at('link-to-root'), { force: true });
        rmSync(world.at('other'), { force: true });
        rmSync(world.at('x/inside'), { force: true });
        symlinkSync(world.root, world.at('link-to-root'));
        expect(existsSync(world.at('x/y.txt'))).toBe(true);
      } else expect(code, JSON.stringify(request)).toBe('PROTECTED');
    }
    if (path !== 'link-to-root') expect(await treeHash(world.root)).toBe(before);
  });

  test.each(['/', '~/..', '~/../..', '/tmp', '/etc'])(
    '%j, which is above or outside',
    async (path) => {
      await using world = await attackedWorld();

      for (const request of [remove(path), remove(path, { permanent: true })]) {
        expect(await world.confirmedCode(request)).toBe('OUTSIDE_ROOT');
      }
    },
  );

  test('"/" where it is the root itself, and what the system lives in is asked for at least', async () => {
    await using world = await attackedWorld({ root: '/' });

    for (const path of ['/', '~', '.', '//', '/tmp/..']) {
      expect(await world.confirmedCode(remove(path)), path).toBe('PROTECTED');
    }
  });

  test('our own home and the trash, also by a symlink, and what is in them', async () => {
    await using folder = temporaryFolder();
    await using world = await attackedWorld({ folder, root: folder.path });
    symlinkSync('home', folder.at('link'));
    world.plant('x.txt');
    mkdirSync(folder.at('Trash/files'), { recursive: true });

    for (const path of ['home', 'home/ledger.db', 'link/ledger.db', 'Trash', 'Trash/files']) {
      for (const request of [
        remove(path),
        remove(path, { permanent: true }),
        { action: 'move_file', path, destination: '~/got' },
        { action: 'rename_file', path, destination: 'got' },
      ] as const) {
        expect(await world.confirmedCode(request), JSON.stringify(request)).toBe('PROTECTED');
      }
    }
    for (const path of ['home/new', 'link/new', 'home/ledger.db', 'Trash/new']) {
      const request: FileRequest = { action: 'write_file', path, content: 'ours' };
      expect(await world.confirmedCode(request), path).toBe('PROTECTED');
      const copy: FileRequest = { action: 'copy_file', path: 'x.txt', destination: path };
      expect(await world.confirmedCode(copy), path).toBe('PROTECTED');
    }
    expect(existsSync(folder.at('home/ledger.db'))).toBe(true);
  });

  test('a batch over everything leaves our own home and the trash out, with secrets', async () => {
    await using folder = temporaryFolder();
    await using world = await attackedWorld({ folder, root: folder.path });
    for (const name of ['x.txt', '.ssh/id_ed25519', '.env', 'p/.env.local']) world.plant(name);

    for (const path of ['~/*', '~/**']) {
      const options = { recursive: true, hidden: true };
      const answer = await world.confirm(remove(path, options));
      expect(['success', 'NOT_FOUND']).toContain(endOf(answer));
    }

    for (const name of ['home/ledger.db', '.ssh/id_ed25519', '.env', 'p/.env.local']) {
      expect(existsSync(folder.at(name)), name).toBe(true);
    }
  });
});

/** The one thing that lies there. */
function inTrash({ trash }: AttackedWorld): string {
  const [name = 'nothing'] = readdirSync(join(trash, 'files'));
  return join(trash, 'files', name);
}

describe('a deletion', () => {
  test('goes to the trash, from where undo and restore bring it back', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'kept');
    const before = await treeHash(world.root);

    expect(await world.confirmedCode(remove('x.txt'))).toBe('success');
    expect(readFileSync(inTrash(world), 'utf8')).toBe('kept');
    expect(await world.undo()).toMatchObject({ status: 'success' });

    expect(await treeHash(world.root)).toBe(before);
    expect(readdirSync(join(world.trash, 'files'))).toEqual([]);
    expect(readdirSync(join(world.trash, 'info'))).toEqual([]);
  });

  test('into a trash that is a symlink to outside is refused, and nothing is made there', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'kept');
    symlinkSync(world.outside, world.trash);
    const before = await world.outsideHash();

    expect(await world.confirmedCode(remove('x.txt'))).toBe('NO_TRASH');

    expect(readFileSync(world.at('x.txt'), 'utf8')).toBe('kept');
    expect(await world.outsideHash()).toBe(before);
  });

  test('into a trash of which a part is a symlink to outside is refused', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'kept');
    mkdirSync(world.trash);
    symlinkSync(world.outside, join(world.trash, 'files'));
    const before = await world.outsideHash();

    expect(await world.confirmedCode(remove('x.txt'))).toBe('NO_TRASH');

    expect(readFileSync(world.at('x.txt'), 'utf8')).toBe('kept');
    expect(await world.outsideHash()).toBe(before);
  });

  test('is not brought back over what has its name by now', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'old');
    await world.confirm(remove('x.txt'));
    world.plant('x.txt', 'new');

    expect((await world.undo()).status).toBe('error');

    expect(readFileSync(world.at('x.txt'), 'utf8')).toBe('new');
    expect(readFileSync(inTrash(world), 'utf8')).toBe('old');
  });

  test('is not brought back through a folder that is a symlink to outside by now', async () => {
    await using world = await attackedWorld();
    world.plant('d/deep/x.txt', 'old');
    await world.confirm(remove('d/deep/x.txt'));
    rmSync(world.at('d'), { recursive: true });
    symlinkSync(world.outside, world.at('d'));
    const before = await world.outsideHash();

    expect((await world.undo()).status).toBe('error');

    expect(await world.outsideHash()).toBe(before);
    expect(readFileSync(inTrash(world), 'utf8')).toBe('old');
  });

  test('of which the trash says a place outside is not brought back there', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'evil');
    await world.confirm(remove('x.txt'));
    const name = basename(inTrash(world));
    const info = join(world.trash, `info/${name}.trashinfo`);
    const before = await world.outsideHash();
    const run = { principal: 'owner', signal: new AbortController().signal };

    for (const path of [`${world.outside}/new`, '/etc/evil', `${world.root}/../outside/new`]) {
      const text = readFileSync(info, 'utf8').replace(/^Path=.*$/m, `Path=${path}`);
      writeFileSync(info, text);
      const answer = await world.agent.restore(
        { path: name, dryRun: false },
        { ...run, key: path, approvedReason: async () => undefined },
      );
      expect(answer.status, path).toBe('error');
    }

    expect(await world.outsideHash()).toBe(before);
    expect(existsSync('/etc/evil')).toBe(false);
  });
});

/** A disk on which a file appears at the last moment before another one gets its name. */
function diskWithRival(path: () => string): Disk {
  const appear = (): void => {
    if (!existsSync(path())) writeFileSync(path(), 'rival');
  };
  return {
    ...realDisk,
    link: (from, to) => {
      appear();
      return realDisk.link(from, to);
    },
    rename: (from, to) => {
      if (to.endsWith('/target')) appear();
      return realDisk.rename(from, to);
    },
  };
}

describe('a name that somebody else takes at the last moment is theirs:', () => {
  test.each<[string, FileRequest]>([
    ['write', { action: 'write_file', path: '~/target', content: 'ours' }],
    ['move', { action: 'move_file', path: '~/source', destination: '~/target' }],
    ['rename', { action: 'rename_file', path: '~/source', destination: 'target' }],
    ['copy', { action: 'copy_file', path: '~/source', destination: '~/target' }],
  ])('%s is a CONFLICT', async (_, request) => {
    let target = '';
    await using world = await attackedWorld({ disk: diskWithRival(() => target) });
    target = world.at('target');
    world.plant('source', 'ours');

    expect(await world.code(request)).toBe('CONFLICT');

    expect(readFileSync(target, 'utf8')).toBe('rival');
    expect(readFileSync(world.at('source'), 'utf8')).toBe('ours');
    expect(readdirSync(world.root).sort()).toEqual(['source', 'target']);
  });

  test('on_conflict: fail is a CONFLICT, and no folder is ever replaced', async () => {
    await using world = await attackedWorld();
    world.plant('source', 'ours');
    world.plant('target', 'theirs');
    mkdirSync(world.at('d/source'), { recursive: true });
    world.plant('d/source/x');
    const before = await treeHash(world.root);
    const options = { on_conflict: 'fail' } as const;

    for (const request of [
      { action: 'move_file', path: '~/source', destination: '~/target', options },
      { action: 'copy_file', path: '~/source', destination: '~/target', options },
      { action: 'write_file', path: '~/target', content: 'x', options },
      { action: 'move_file', path: '~/source', destination: '~/d/' },
    ] as const) {
      expect(await world.confirmedCode(request), JSON.stringify(request)).toBe('CONFLICT');
    }
    expect(await treeHash(world.root)).toBe(before);
  });
});

test('what is written over keeps its mode and its owner, and a file that nobody may write stays', async () => {
  await using world = await attackedWorld();
  chmodSync(world.plant('x.txt', 'old'), 0o640);
  chmodSync(world.plant('shut.txt', 'old'), 0o444);

  expect(await world.confirmedCode({ action: 'write_file', path: 'x.txt', content: 'new' })).toBe(
    'success',
  );
  const shut = await world.confirm({ action: 'write_file', path: 'shut.txt', content: 'new' });

  expect(statSync(world.at('x.txt')).mode & 0o7777).toBe(0o640);
  expect(shut.status).toBe('error');
  expect(readFileSync(world.at('shut.txt'), 'utf8')).toBe('old');
});

test('the same file by two names: SAME_FILE, and it is still there', async () => {
  await using world = await attackedWorld();
  world.plant('x.txt', 'kept');
  execFileSync('ln', [world.at('x.txt'), world.at('y.txt')]);
  symlinkSync('.', world.at('here'));

  for (const destination of ['~/x.txt', '~/./x.txt', '~/here/x.txt', '~/y.txt']) {
    const request: FileRequest = { action: 'move_file', path: '~/x.txt', destination };
    expect(await world.confirmedCode(request), destination).toBe('SAME_FILE');
  }
  expect(readFileSync(world.at('x.txt'), 'utf8')).toBe('kept');
});

/** A disk that takes `Report.txt` for `report.txt`. */
const diskWithoutCase: Disk = {
  ...realDisk,
  async stat(path) {
    const there = await realDisk.stat(path);
    const [folder, name] = [dirname(path), basename(path).toLowerCase()];
    if (there !== undefined || !existsSync(folder)) return there;
    const real = readdirSync(folder).find((one) => one.toLowerCase() === name);
    return real === undefined ? undefined : realDisk.stat(join(folder, real));
  },
};

test('on a disk that tells no capitals apart, the "other" file is not deleted: SAME_FILE', async () => {
  await using world = await attackedWorld({ disk: diskWithoutCase });
  world.plant('report.txt', 'kept');

  expect(await world.confirmedCode(remove('~/Report.TXT'))).toBe('SAME_FILE');
  expect(await world.confirmedCode(remove('~/REPORT.TXT', { permanent: true }))).toBe('SAME_FILE');

  expect(readFileSync(world.at('report.txt'), 'utf8')).toBe('kept');
  expect(await world.confirmedCode(remove('~/report.txt'))).toBe('success');
});

const hasSecondDisk =
  existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync(import.meta.dirname).dev;

describe.runIf(hasSecondDisk)('between two disks', () => {
  test('a file and a folder are copied, compared and then taken away; undo brings them back', async () => {
    const far = mkdtempSync('/dev/shm/aos-attack-');
    try {
      await using world = await attackedWorld({ root: '/' });
      const near = world.folder.at('near');
      mkdirSync(join(near, 'd'), { recursive: true });
      writeFileSync(join(near, 'x.bin'), Buffer.alloc(3 * MiB, 7));
      writeFileSync(join(near, 'd/y.txt'), 'inside');
      symlinkSync('/etc/passwd', join(near, 'd/link'));
      const before = await contentsOf(near);

      for (const name of ['x.bin', 'd']) {
        const request = { action: 'move_file', path: join(near, name), destination: `${far}/` };
        const answer = await world.agent.run({ ...request, action: 'move_file' }, runOf(name));
        expect(answer).toMatchObject({ status: 'success' });
      }
      expect(readdirSync(near)).toEqual([]);
      expect(await contentsOf(far)).toEqual(before);
      for (const _ of [1, 2]) expect(await world.undo()).toMatchObject({ status: 'success' });

      expect(await contentsOf(near)).toEqual(before);
      expect(readdirSync(far)).toEqual([]);
    } finally {
      rmSync(far, { recursive: true });
    }
  });
});

function runOf(key: string) {
  const signal = new AbortController().signal;
  return { principal: 'owner', key, signal, approvedReason: async () => undefined };
}

async function contentsOf(folder: string) {
  return (await treeEntries(folder))
    .filter(({ path }) => path !== '')
    .map(({ path, kind, sha256, target, mode }) => ({ path, kind, sha256, target, mode }));
}

/** The answers of a process in which `small` is a disk of so many bytes, of its own. */
function askOnSmallDisk(
  root: string,
  { sizeBytes, before = 'true', requests }: SmallDisk,
): { readonly answers: readonly FileAnswer[]; readonly left: string } {
  const program = join(import.meta.dirname, '../support/files-attack-process.ts');
  const small = join(root, 'small');
  const script = `cd "$1" && { ${before}; } && "$2" "$3" "$1" && echo && find small -mindepth 1`;
  const bound = ['--dev-bind', '/', '/', '--perms', '0700', '--size', String(sizeBytes)];
  const words = ['sh', '-c', script, 'sh', root, process.execPath, program];
  const args = [...bound, '--tmpfs', small, ...words];
  const input = JSON.stringify(requests);
  const [answers = '[]', ...left] = String(execFileSync('bwrap', args, { input })).split('\n');
  return { answers: JSON.parse(answers), left: left.join('\n').trim() };
}

interface SmallDisk {
  readonly sizeBytes: number;
  /** Shell, in the root. */
  readonly before?: string;
  readonly requests: readonly FileRequest[];
}

describe.runIf(hasSandbox)('a disk that is full', () => {
  const noSpace = {
    code: 'NO_SPACE',
    message: "There isn't enough disk space to complete this",
  };

  test('in the middle of a copy or a move: the source is whole, and no part is left', async () => {
    await using world = await attackedWorld();
    mkdirSync(world.at('small'));
    world.plant('large.bin', Buffer.alloc(6 * MiB, 7));
    world.plant('tree/a.bin', Buffer.alloc(2 * MiB, 1));
    world.plant('tree/b.bin', Buffer.alloc(3 * MiB, 2));
    const before = await treeHash(world.root);
    const changes = (['~/large.bin', '~/tree'] as const).flatMap((path) =>
      (['copy_file', 'move_file'] as const).map((action) => ({
        ...{ action, path, destination: '~/small/' },
      })),
    );
    const look: FileRequest = { action: 'list_files', path: '~/small', options: { hidden: true } };

    const { answers, left } = askOnSmallDisk(world.root, {
      ...{ sizeBytes: 4 * MiB, requests: changes.flatMap((request) => [request, look]) },
    });

    expect(answers).toMatchObject(
      changes.flatMap(() => [
        { status: 'error', error: noSpace },
        { status: 'success', result: { total: 0 } },
      ]),
    );
    expect(left).toBe('');
    expect(await treeHash(world.root)).toBe(before);
  });

  test('for a file that is written: what it replaces stays, and no part is left', async () => {
    await using world = await attackedWorld();
    mkdirSync(world.at('small'));
    const content = 'x'.repeat(900_000);
    const request: FileRequest = { action: 'write_file', path: '~/small/x.txt', content };

    const { answers, left } = askOnSmallDisk(world.root, {
      ...{ sizeBytes: MiB / 2, before: 'echo old > small/x.txt' },
      requests: [request, { action: 'read_file', path: '~/small/x.txt' }],
    });

    expect(answers).toMatchObject([{ error: noSpace }, { result: { content: 'old\n' } }]);
    expect(left.split('\n').filter((path) => !path.includes('.Trash'))).toEqual(['small/x.txt']);
  });

  test('for a trash that is a symlink on that disk: refused, and nothing is made outside', async () => {
    await using world = await attackedWorld();
    mkdirSync(world.at('small'));
    const uid = process.getuid?.() ?? 0;
    const before = await world.outsideHash();

    const { answers, left } = askOnSmallDisk(world.root, {
      sizeBytes: MiB,
      before: `echo x > small/x.txt; ln -s "${world.outside}" small/.Trash-${uid}`,
      requests: [remove('~/small/x.txt')],
    });

    expect(answers).toMatchObject([{ status: 'error', error: { code: 'NO_TRASH' } }]);
    expect(left).toContain('small/x.txt');
    expect(await world.outsideHash()).toBe(before);
  });
});

test.runIf(isRoot)('a move of what belongs to somebody else keeps the owner', async () => {
  await using world = await attackedWorld();
  execFileSync('chown', ['1234:1234', world.plant('x.txt', 'theirs')]);

  expect(await world.code({ action: 'copy_file', path: 'x.txt', destination: '~/y.txt' })).toBe(
    'success',
  );
  expect(await world.code({ action: 'move_file', path: 'x.txt', destination: '~/z.txt' })).toBe(
    'success',
  );

  expect(statSync(world.at('z.txt')).uid).toBe(1234);
});
