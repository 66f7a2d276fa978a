import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { createClient } from '../../gateway/client/client.ts';
import { connectionTransport } from '../../gateway/client/transport.ts';
import type { Disk } from '../../kernel/ports.ts';
import { loadConfig } from '../config/config.ts';
import { embedHome } from '../embed.ts';
import { composeEngines } from '../home/compose.ts';
import { openHome } from '../home/open-home.ts';
import { version } from '../version.ts';
import { backupHome } from './backup.ts';

const engines = composeEngines();
const passphrase = 'correct horse battery staple';
const hourMs = 3_600_000;

interface Choices {
  readonly passphrase?: string;
  readonly path?: string;
  readonly disk?: Disk;
}

async function backUp(folder: TemporaryFolder, choices: Choices = {}) {
  const { disk = engines.disk, path = folder.at('backup') } = choices;
  const options = { holder: 'test', onLost: () => {} };
  await using home = await openHome(engines, folder.at('home'), options);
  const deps = { ...engines, disk, ledger: home.ledger, version: '0.0.0' };
  return await backupHome(deps, home.home, { path, passphrase: choices.passphrase });
}

test('a backup is one file for its owner alone, and holds no keys unless they are sealed', async () => {
  await using folder = temporaryFolder();

  const summary = await backUp(folder);

  expect(summary).toMatchObject({ keys: 'left out', path: folder.at('backup') });
  expect(statSync(folder.at('backup')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'home']);
  const { secret_key } = JSON.parse(readFileSync(folder.at('home', 'keys', 'owner.key'), 'utf8'));
  expect(readFileSync(folder.at('backup'), 'latin1')).not.toContain(secret_key.slice(2));
});

test('a backup with a passphrase holds the keys, and not in the clear', async () => {
  await using folder = temporaryFolder();

  const summary = await backUp(folder, { passphrase });

  const { secret_key } = JSON.parse(readFileSync(folder.at('home', 'keys', 'owner.key'), 'utf8'));
  expect(summary.keys).toBe('sealed');
  expect(readFileSync(folder.at('backup'), 'latin1')).not.toContain(secret_key.slice(2));
});

test('a backup takes nobody else’s place', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('backup'), 'precious');

  await expect(backUp(folder)).rejects.toMatchObject({ code: 'disk.exists' });

  expect(readFileSync(folder.at('backup'), 'utf8')).toBe('precious');
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'home']);
});

test('a backup takes the place of nothing that appears while it is made', async () => {
  await using folder = temporaryFolder();
  const target = folder.at('backup');
  const disk: Disk = {
    ...engines.disk,
    link: async (from, to) => {
      if (to === target) writeFileSync(target, 'precious');
      await engines.disk.link(from, to);
    },
    rename: async (from, to) => {
      if (to === target) writeFileSync(target, 'precious');
      await engines.disk.rename(from, to);
    },
  };

  const attempt = backUp(folder, { disk });

  await expect(attempt).rejects.toMatchObject({ code: 'disk.exists' });
  expect(readFileSync(target, 'utf8')).toBe('precious');
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'home']);
});

test('a backup into a folder that is not there names the folder and leaves nothing', async () => {
  await using folder = temporaryFolder();

  const attempt = backUp(folder, { path: folder.at('no', 'where') });

  await expect(attempt).rejects.toMatchObject({
    code: 'disk.missing',
    message: expect.stringContaining(`"${folder.at('no')}"`),
  });
  expect(readdirSync(folder.path)).toEqual(['home']);
});

test('a backup below a file names the file', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('file'), '');

  const attempt = backUp(folder, { path: folder.at('file', 'backup') });

  await expect(attempt).rejects.toMatchObject({
    code: 'disk.not-a-folder',
    message: expect.stringContaining(`"${folder.at('file')}"`),
  });
});

describe('a backup into the home folder is refused:', () => {
  test.each(['backup', 'tmp/backup', 'agents/jean/workspace/backup'])('%s', async (name) => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('home', 'agents/jean/workspace'), { recursive: true, mode: 0o700 });

    const attempt = backUp(folder, { path: folder.at('home', name) });

    await expect(attempt).rejects.toMatchObject({
      code: 'usage.bad-value',
      message: expect.stringContaining('home folder'),
    });
    expect(existsSync(folder.at('home', name))).toBe(false);
  });

  test.each(['', 'agents'])('through a link to its folder %j', async (name) => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('home', 'agents'), { recursive: true, mode: 0o700 });
    symlinkSync(folder.at('home', name), folder.at('link'));

    const attempt = backUp(folder, { path: folder.at('link', 'backup') });

    await expect(attempt).rejects.toMatchObject({ code: 'usage.bad-value' });
  });
});

test('a backup into a folder that is a link lands where the link leads', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('disk'));
  symlinkSync(folder.at('disk'), folder.at('link'));

  await backUp(folder, { path: folder.at('link', 'backup') });

  expect(readdirSync(folder.at('disk'))).toEqual(['backup']);
});

test('a backup may have the longest name that there is', async () => {
  await using folder = temporaryFolder();
  const name = 'ä'.repeat(127);

  await backUp(folder, { path: folder.at(name) });

  expect(readdirSync(folder.path).sort()).toEqual(['home', name]);
});

test('a backup holds keys only, whatever else lies among them', async () => {
  await using folder = temporaryFolder();
  await backUp(folder, { path: folder.at('first') });
  writeFileSync(folder.at('home', 'keys', 'my notes'), 'mine', { mode: 0o600 });
  mkdirSync(folder.at('home', 'keys', 'old'), { mode: 0o700 });

  const summary = await backUp(folder, { passphrase });

  expect(summary.keys).toBe('sealed');
});

test('a backup removes what a killed one of its name left, once that is an hour old', async () => {
  await using folder = temporaryFolder();
  const litter = (name: string, hoursOld: number) => {
    writeFileSync(folder.at(name), 'half');
    const seconds = (engines.clock.now() - hoursOld * hourMs) / 1000;
    utimesSync(folder.at(name), seconds, seconds);
  };
  const hex = '0123456789abcdef';
  litter(`.backup.${hex}.pending`, 2);
  litter(`.backup.${hex}.pending-journal`, 2);
  litter('.backup.fedcba9876543210.pending', 0.5);
  litter(`.other.${hex}.pending`, 2);
  litter(`.backup.${hex}.pending.txt`, 2);
  mkdirSync(folder.at('.backup.aaaaaaaaaaaaaaaa.pending'));
  utimesSync(folder.at('.backup.aaaaaaaaaaaaaaaa.pending'), 1, 1);

  await backUp(folder);

  expect(readdirSync(folder.path).sort()).toEqual([
    `.backup.${hex}.pending.txt`,
    '.backup.aaaaaaaaaaaaaaaa.pending',
    '.backup.fedcba9876543210.pending',
    `.other.${hex}.pending`,
    'backup',
    'home',
  ]);
});

test('a backup that is stopped while it copies leaves nothing', async () => {
  await using folder = temporaryFolder();
  await using home = await openHome(engines, folder.at('home'), { holder: 'test', onLost() {} });
  const stop = new AbortController();
  const ledger = {
    copyTo: async (path: string) => {
      await home.ledger.copyTo(path);
      writeFileSync(`${path}-journal`, 'half');
      stop.abort(new Error('enough'));
      await new Promise(() => {});
    },
  };
  const deps = { ...engines, ledger, version: '0.0.0' };

  const request = { path: folder.at('backup'), signal: stop.signal };
  const attempt = backupHome(deps, home.home, request);

  await expect(attempt).rejects.toThrow('enough');
  expect(readdirSync(folder.path)).toEqual(['home']);
});

test('a home that is closed under its backup waits until that has cleaned up', async () => {
  await using folder = temporaryFolder();
  const started = Promise.withResolvers<void>();
  const disk: Disk = {
    ...engines.disk,
    create: async (path) => {
      if (path.startsWith(folder.at('.backup.'))) started.resolve();
      return engines.disk.create(path);
    },
  };
  const { settings } = await loadConfig({
    view: disk,
    environment: {},
    flags: [{ key: 'home', text: folder.at('home'), flag: '--home' }],
  });
  let outcome: Promise<PromiseSettledResult<unknown>[]>;
  {
    await using home = await embedHome({ ...engines, disk }, settings, { holder: 'test' });
    const transport = connectionTransport({ clock: engines.clock, connect: () => home.connect() });
    const client = createClient({ ...engines, version, transport });
    outcome = Promise.allSettled([client.backup({ path: folder.at('backup') })]);
    await started.promise;
  }

  expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
  await outcome;
});
