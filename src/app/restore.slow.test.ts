import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/sim/random.ts';
import { type TemporaryFolder, temporaryFolder } from '../../tests/support/temporary-folder.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { readState, writeState } from '../ledger/state.ts';
import { backupHome } from './backup.ts';
import { composeEngines } from './compose.ts';
import { openHome } from './open-home.ts';
import { restoreHome } from './restore.ts';
import { openKeys, sealKeys } from './sealed-keys.ts';

const engines = composeEngines();
const passphrase = 'correct horse battery staple';

const open = (home: string) => openHome(engines, home, { holder: 'test', onLost: () => {} });

const put = (ledger: Ledger, value: string) =>
  ledger.transact((tx) => writeState(tx, 'lead', value, 1));

async function backedUp(folder: TemporaryFolder, choices: { passphrase?: string } = {}) {
  await using home = await open(folder.at('home'));
  await put(home.ledger, 'jean');
  writeFileSync(folder.at('home', 'config.json'), '{"diskWarnPercent":70}', { mode: 0o600 });
  const deps = { ...engines, ledger: home.ledger, version: '0.0.0' };
  const summary = await backupHome(deps, home.home, { path: folder.at('backup'), ...choices });
  await put(home.ledger, 'samantha');
  return summary;
}

async function leadOf(home: string): Promise<string | undefined> {
  await using opened = await open(home);
  return readState(opened.ledger.committed, 'lead');
}

test('a backup is one file for its owner alone, and holds no keys unless they are sealed', async () => {
  await using folder = temporaryFolder();

  const summary = await backedUp(folder);

  expect(summary).toMatchObject({ keys: 'left out', path: folder.at('backup') });
  expect(statSync(folder.at('backup')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'home']);
  const { secret_key } = JSON.parse(readFileSync(folder.at('home', 'keys', 'owner.key'), 'utf8'));
  expect(readFileSync(folder.at('backup'), 'latin1')).not.toContain(secret_key.slice(2));
});

test('a backup with a passphrase holds the keys, and not in the clear', async () => {
  await using folder = temporaryFolder();

  const summary = await backedUp(folder, { passphrase });

  const { secret_key } = JSON.parse(readFileSync(folder.at('home', 'keys', 'owner.key'), 'utf8'));
  expect(summary.keys).toBe('sealed');
  expect(readFileSync(folder.at('backup'), 'latin1')).not.toContain(secret_key.slice(2));
});

test('a backup takes nobody else’s place', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('backup'), 'precious');

  await expect(backedUp(folder)).rejects.toMatchObject({ code: 'disk.exists' });

  expect(readFileSync(folder.at('backup'), 'utf8')).toBe('precious');
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'home']);
});

test('a backup into a folder that is not there says so and leaves nothing', async () => {
  await using folder = temporaryFolder();
  await using home = await open(folder.at('home'));

  const deps = { ...engines, ledger: home.ledger, version: '0.0.0' };
  const attempt = backupHome(deps, home.home, { path: folder.at('no', 'where') });

  await expect(attempt).rejects.toMatchObject({ code: 'disk.missing' });
});

test('a restore brings back the ledger as it was, and keeps what it replaces', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');

  const summary = await restoreHome(engines, home, { path: folder.at('backup'), replace: true });

  expect(await leadOf(home)).toBe('jean');
  const [aside = ''] = summary.moved_aside;
  using before = new DatabaseSync(join(home, aside));
  expect(before.prepare(`select value from orchestrator_state where key = 'lead'`).get()).toEqual({
    value: 'samantha',
  });
  using restored = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const tables = restored.prepare(`select name from sqlite_schema where name like 'backup%'`).all();
  expect(tables).toEqual([]);
});

test('a restore into an empty home brings everything but what was left out', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder, { passphrase });
  const other = folder.at('other');
  await (await open(other))[Symbol.asyncDispose]();

  const request = { path: folder.at('backup'), passphrase, replace: true };
  const summary = await restoreHome(engines, other, request);

  expect(summary.keys).toBe('restored');
  expect(await leadOf(other)).toBe('jean');
  expect(readFileSync(join(other, 'config.json'), 'utf8')).toBe('{"diskWarnPercent":70}');
  expect(readFileSync(join(other, 'keys', 'owner.key'))).toEqual(
    readFileSync(folder.at('home', 'keys', 'owner.key')),
  );
});

test('a restore without the keys into another home is refused at the next start, in words', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const other = folder.at('other');
  await (await open(other))[Symbol.asyncDispose]();

  await restoreHome(engines, other, { path: folder.at('backup'), replace: true });

  await expect(open(other)).rejects.toMatchObject({ code: 'identity.broken-key' });
});

test('a restore replaces nothing unless it is told to', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');

  const attempt = restoreHome(engines, home, { path: folder.at('backup'), replace: false });

  await expect(attempt).rejects.toMatchObject({
    code: 'restore.occupied',
    details: { names: ['ledger.db'] },
  });
  expect(await leadOf(home)).toBe('samantha');
});

const spoilt: readonly (readonly [string, (path: string) => void, string])[] = [
  ['is missing', () => {}, 'restore.not-a-backup'],
  [
    'is a text',
    (path) => writeFileSync(path, 'not a database '.repeat(500)),
    'restore.not-a-backup',
  ],
  [
    'is the database of another program',
    (path) => {
      using database = new DatabaseSync(path);
      database.exec('create table notes (text)');
    },
    'restore.not-a-backup',
  ],
];

test.each(spoilt)('a restore from a file that %s changes nothing', async (_what, make, code) => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');
  make(folder.at('other'));

  const attempt = restoreHome(engines, home, { path: folder.at('other'), replace: true });

  await expect(attempt).rejects.toMatchObject({ code });
  expect(await leadOf(home)).toBe('samantha');
});

test('a restore from a damaged backup changes nothing', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');
  const bytes = readFileSync(folder.at('backup'));
  bytes.fill(0x5a, 4096 * 3, bytes.length - 4096);
  writeFileSync(folder.at('backup'), bytes);

  const attempt = restoreHome(engines, home, { path: folder.at('backup'), replace: true });

  await expect(attempt).rejects.toMatchObject({
    code: expect.stringMatching(/^(restore|ledger)\./),
  });
  expect(await leadOf(home)).toBe('samantha');
});

test('a restore with the wrong passphrase changes nothing', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder, { passphrase });
  const home = folder.at('home');

  const request = { path: folder.at('backup'), passphrase: 'guess', replace: true };
  const attempt = restoreHome(engines, home, request);

  await expect(attempt).rejects.toMatchObject({ code: 'backup.wrong-passphrase' });
  expect(await leadOf(home)).toBe('samantha');
});

test('a restore mends a home whose ledger is damaged, log and all', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');
  writeFileSync(join(home, 'ledger.db'), 'rubbish '.repeat(2000));
  writeFileSync(join(home, 'ledger.db-wal'), 'more rubbish');

  await restoreHome(engines, home, { path: folder.at('backup'), replace: true });

  expect(await leadOf(home)).toBe('jean');
  expect(existsSync(join(home, 'ledger.db-wal'))).toBe(false);
});

test('the log of the ledger that was replaced is not taken for one of the new ledger', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');
  {
    // As a daemon that was killed leaves it: the last writes are in the log only.
    using database = new DatabaseSync(join(home, 'ledger.db'));
    database.exec(`pragma wal_autocheckpoint = 0;
      update orchestrator_state set value = 'jared' where key = 'lead'`);
    for (const suffix of ['', '-wal']) {
      writeFileSync(folder.at(`kept${suffix}`), readFileSync(join(home, `ledger.db${suffix}`)));
    }
  }
  for (const suffix of ['', '-wal']) {
    writeFileSync(join(home, `ledger.db${suffix}`), readFileSync(folder.at(`kept${suffix}`)));
  }

  const request = { path: folder.at('backup'), replace: true };
  const { moved_aside } = await restoreHome(engines, home, request);

  expect(await leadOf(home)).toBe('jean');
  using before = new DatabaseSync(join(home, moved_aside[0] ?? ''));
  expect(before.prepare(`select value from orchestrator_state where key = 'lead'`).get()).toEqual({
    value: 'jared',
  });
});

test('openKeys() opens what sealKeys() sealed, and nothing that was touched', () => {
  const files = new Map([['owner.key', new Uint8Array([1, 2, 3])]]);
  const sealed = sealKeys(seededRandom('seal'), files, passphrase);

  const opened = openKeys(sealed, passphrase);

  expect(Array.from(opened, ([name, bytes]) => [name, [...bytes]])).toEqual([
    ['owner.key', [1, 2, 3]],
  ]);
  for (const place of [0, 20, 30, sealed.length - 1]) {
    const touched = Uint8Array.from(sealed);
    touched[place] = (touched[place] ?? 0) ^ 1;
    expect(() => openKeys(touched, passphrase)).toThrow('does not open');
  }
});
