import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { type ErrorCode, toReport } from '../../kernel/errors.ts';
import { type Ledger, readState, writeState } from '../../ledger/ledger.ts';
import { registerAgent } from '../../security/register.ts';
import { defaultSettings, type Settings } from '../config/settings.ts';
import { restoreInto } from '../embed.ts';
import { composeEngines } from '../home/compose.ts';
import { openHome } from '../home/open-home.ts';
import { backupHome } from './backup.ts';
import { restoreHome } from './restore.ts';
import { openKeys, sealKeys } from './sealed-keys.ts';

const engines = composeEngines();
const passphrase = 'correct horse battery staple';

const open = (home: string) => openHome(engines, home, { holder: 'test', onLost: () => {} });

const put = (ledger: Ledger, value: string) =>
  ledger.transact((tx) => writeState(tx, 'lead', value, 1));

interface BackupChoices {
  readonly passphrase?: string;
}

/** Homes with their backups, made once: a restore does not know a copy of one from it. */
let plain: TemporaryFolder;
let sealed: TemporaryFolder;
beforeAll(async () => {
  plain = temporaryFolder();
  sealed = temporaryFolder();
  await makeBackedUp(plain);
  await makeBackedUp(sealed, { passphrase });
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await sealed[Symbol.asyncDispose]();
});

async function backedUp(folder: TemporaryFolder, choices: BackupChoices = {}): Promise<void> {
  const { path } = choices.passphrase === undefined ? plain : sealed;
  await cp(path, folder.path, { recursive: true, preserveTimestamps: true });
}

async function makeBackedUp(folder: TemporaryFolder, choices: BackupChoices = {}): Promise<void> {
  await using home = await open(folder.at('home'));
  await put(home.ledger, 'jean');
  writeFileSync(folder.at('home', 'config.json'), '{"diskWarnPercent":70}', { mode: 0o600 });
  const deps = { ...engines, ledger: home.ledger, version: '0.0.0' };
  await backupHome(deps, home.home, { path: folder.at('backup'), ...choices });
  await put(home.ledger, 'samantha');
}

async function leadOf(home: string): Promise<string | undefined> {
  await using opened = await open(home);
  return readState(opened.ledger.committed, 'lead');
}

function leadIn(database: DatabaseSync): unknown {
  return database.prepare(`select value from orchestrator_state where key = 'lead'`).get()?.[
    'value'
  ];
}

/** Every file below a folder and what is in it, but the lock and what a ledger keeps beside it. */
function everythingIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.sort().map((name) => [name, readFileSync(name, 'latin1')]));
}

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

test.each([
  ['has other keys', async (home: string) => (await open(home))[Symbol.asyncDispose]()],
  ['has none', async (home: string) => mkdirSync(join(home, 'tmp'), { recursive: true })],
])(
  'a restore without the keys into a home that %s is refused before anything changes',
  async (_what, make) => {
    await using folder = temporaryFolder();
    await backedUp(folder, { passphrase });
    const other = folder.at('other');
    await make(other);
    const before = everythingIn(other);

    const attempt = restoreHome(engines, other, { path: folder.at('backup'), replace: true });

    await expect(attempt).rejects.toMatchObject({
      code: 'restore.no-key',
      fix: expect.stringContaining('--passphrase-file'),
    });
    expect(everythingIn(other)).toEqual(before);
  },
);

test('a restore without the keys goes where somebody has put the owner’s key', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const other = folder.at('other');
  for (const name of ['keys', 'tmp'])
    mkdirSync(join(other, name), { recursive: true, mode: 0o700 });
  const key = readFileSync(folder.at('home', 'keys', 'owner.key'));
  writeFileSync(join(other, 'keys', 'owner.key'), key, { mode: 0o600 });

  await restoreHome(engines, other, { path: folder.at('backup'), replace: false });

  using restored = new DatabaseSync(join(other, 'ledger.db'));
  expect(leadIn(restored)).toBe('jean');
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
  ['is missing', () => {}, 'disk.missing'],
  ['is a folder', (path) => mkdirSync(path), 'disk.not-a-file'],
  ['is empty', (path) => writeFileSync(path, ''), 'restore.not-a-backup'],
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

  await expect(attempt).rejects.toMatchObject({ code: 'restore.damaged' });
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

/** What a daemon that was killed leaves in its log, the ledger itself being gone. */
function leaveOnlyTheLog(home: string, { checkpoint }: { readonly checkpoint: boolean }): void {
  const ledger = join(home, 'ledger.db');
  const put = (lead: string) =>
    `update orchestrator_state set value = '${lead}' where key = 'lead'; `;
  let log: Uint8Array;
  {
    using database = new DatabaseSync(ledger);
    database.exec('pragma wal_autocheckpoint = 0');
    if (checkpoint) database.exec(`${put('hiro').repeat(20)} pragma wal_checkpoint(restart);`);
    database.exec(put('jared'));
    log = readFileSync(`${ledger}-wal`);
  }
  rmSync(ledger);
  writeFileSync(`${ledger}-wal`, log, { mode: 0o600 });
  writeFileSync(`${ledger}-shm`, '', { mode: 0o600 });
}

describe('where the ledger is gone and its log is there', () => {
  const logs = [
    ['only grew', { checkpoint: false }],
    ['began again after a checkpoint', { checkpoint: true }],
  ] as const;

  test.each(logs)('a log that %s is moved aside and not replayed', async (_what, kind) => {
    await using folder = temporaryFolder();
    await backedUp(folder);
    const home = folder.at('home');
    leaveOnlyTheLog(home, kind);
    const log = readFileSync(join(home, 'ledger.db-wal'));

    const request = { path: folder.at('backup'), replace: true };
    const { moved_aside } = await restoreHome(engines, home, request);

    const aside = moved_aside.find((name) => name.endsWith('-wal')) ?? '';
    expect(readFileSync(join(home, aside))).toEqual(log);
    expect(existsSync(join(home, 'ledger.db-wal'))).toBe(false);
    expect(existsSync(join(home, 'ledger.db-shm'))).toBe(false);
    expect(await leadOf(home)).toBe('jean');
  });

  test.each(logs)('a log that %s is in the way unless it may be moved', async (_what, kind) => {
    await using folder = temporaryFolder();
    await backedUp(folder);
    const home = folder.at('home');
    leaveOnlyTheLog(home, kind);
    const before = everythingIn(home);

    const attempt = restoreHome(engines, home, { path: folder.at('backup'), replace: false });

    await expect(attempt).rejects.toMatchObject({
      code: 'restore.occupied',
      details: { names: ['ledger.db-wal', 'ledger.db-shm'] },
    });
    expect(everythingIn(home)).toEqual(before);
  });
});

test('a restore while somebody else holds the old ledger is refused, and changes nothing', async () => {
  await using folder = temporaryFolder();
  await backedUp(folder);
  const home = folder.at('home');
  using viewer = new DatabaseSync(join(home, 'ledger.db'));
  viewer.exec('begin; select count(*) from events');

  const attempt = restoreHome(engines, home, { path: folder.at('backup'), replace: true });

  await expect(attempt).rejects.toMatchObject({ code: 'ledger.busy' });
  viewer.exec('rollback');
  expect(leadIn(viewer)).toBe('samantha');
});

/** A backup that somebody has changed, and a home that must stay as it is. */
async function expectRefused(
  craft: (database: DatabaseSync) => void,
  code: ErrorCode,
  choices: { passphrase?: string } = {},
): Promise<string> {
  await using folder = temporaryFolder();
  await backedUp(folder, choices);
  {
    using database = new DatabaseSync(folder.at('backup'), { defensive: false });
    craft(database);
  }
  const before = everythingIn(folder.path);

  const request = { path: folder.at('backup'), replace: true, ...choices };
  const [outcome] = await Promise.allSettled([restoreHome(engines, folder.at('home'), request)]);

  const report = toReport(outcome.status === 'rejected' ? outcome.reason : 'restored');
  expect(report).toMatchObject({ code });
  expect(everythingIn(folder.path)).toEqual(before);
  return report.message;
}

const crafted: readonly (readonly [what: string, sql: string, code?: ErrorCode])[] = [
  ['tells an impossible time', 'update backup_manifest set at = 8640000000000001'],
  ['tells a time beyond 2^53', 'update backup_manifest set at = 9223372036854775807'],
  ['has two manifests', 'insert into backup_manifest select * from backup_manifest'],
  ['has no manifest', 'delete from backup_manifest', 'restore.not-a-backup'],
  [
    'has a manifest of another kind',
    `update backup_manifest set format = 'agent-os backup 2'`,
    'restore.not-a-backup',
  ],
  ['holds a file of another name', `insert into backup_files values ('../x', x'00')`],
  ['holds a file that is too large', 'update backup_files set bytes = zeroblob(1048577)'],
  ['has no events', 'drop table events'],
  ['has no files', 'drop table backup_files'],
  [
    'has a view in the place of a table',
    `create table a as select * from agents; drop table agents; create view agents as select * from a`,
  ],
  [
    'has a view in the place of its manifest',
    `create table m as select * from backup_manifest; drop table backup_manifest;
     create view backup_manifest as select * from m`,
    'restore.not-a-backup',
  ],
  ['has a trigger', 'create trigger t after insert on events begin delete from handles; end'],
  ['lacks a column', 'alter table timers drop column every_ms'],
  ['has a table more', 'create table notes (text)'],
  ['claims a schema below every one', 'pragma user_version = -1'],
  ['is of a newer schema', 'pragma user_version = 9999', 'ledger.newer'],
  ['is of another program', 'pragma application_id = 1', 'restore.not-a-backup'],
  [
    'holds a number beyond 2^53',
    `insert into timers values ('t', 'k', 's', '{}', 9223372036854775807, null, 1)`,
  ],
  [
    'holds an agent with a name that leads elsewhere',
    `insert into agents (name, registered_at, body) values ('../x', 1, 'guest')`,
  ],
  [
    'holds an agent registered at an impossible time',
    `insert into agents (name, registered_at, body) values ('jean', 8640000000000001, 'guest')`,
  ],
  [
    'has an epoch that is no number',
    `update orchestrator_state set value = '9e99' where key = 'epoch'`,
  ],
  ['names no owner', `delete from handles; delete from principals`],
  ['holds an event beyond 2^53', 'update events set at = 9223372036854775807 where seq = 1'],
];

const refusals = crafted.map(([what, sql, code = 'restore.damaged']) => ({ what, sql, code }));

test.each(refusals)(
  'a backup that $what is refused, and nothing changes',
  async ({ sql, code }) => {
    await expectRefused((database) => database.exec(sql), code);
  },
);

test('a backup with a broken chain is refused, and the event is named', async () => {
  const message = await expectRefused(
    (database) => database.exec(`update events set actor = 'agent:mallory' where seq = 1`),
    'restore.damaged',
  );

  expect(message).toContain('Event 1:');
});

test('a backup whose index misses a row is refused', async () => {
  await expectRefused((database) => {
    const index = database.prepare(`select * from sqlite_schema where name = 'timers_due'`).get();
    database.exec(`pragma writable_schema = on; delete from sqlite_schema where name = 'timers_due';
      pragma writable_schema = reset;
      insert into timers values ('t', 'k', 's', '{}', 1, null, 1); pragma writable_schema = on`);
    database
      .prepare('insert into sqlite_schema values (?, ?, ?, ?, ?)')
      .run(...Object.values(index ?? {}));
  }, 'restore.damaged');
});

const putKeys = (sealed: Uint8Array) => (database: DatabaseSync) => {
  database.prepare(`update backup_files set bytes = ? where name = 'keys'`).run(sealed);
};

test.each(['../x', 'config.json'])('sealed keys with the name %j are refused', async (name) => {
  const files = new Map([[name, new Uint8Array([1])]]);

  const craft = putKeys(sealKeys(seededRandom('craft'), files, passphrase));

  await expectRefused(craft, 'restore.damaged', { passphrase });
});

test('sealed keys with an owner’s key that is not the owner’s are refused', async () => {
  const files = new Map([['owner.key', Buffer.from('{}')]]);

  const craft = putKeys(sealKeys(seededRandom('craft'), files, passphrase));

  await expectRefused(craft, 'restore.damaged', { passphrase });
});

test.each([0, 43])('sealed keys of %i bytes are refused', async (length) => {
  await expectRefused(putKeys(new Uint8Array(length)), 'restore.damaged', { passphrase });
});

test.each(['{', '[]', '{"port":"many"}', '{"colour":"red"}', '\xff'])(
  'a config.json %j in a backup is left there, and the rest comes back',
  async (text) => {
    await using folder = temporaryFolder();
    await backedUp(folder);
    {
      using database = new DatabaseSync(folder.at('backup'));
      database
        .prepare(`update backup_files set bytes = ? where name = 'config.json'`)
        .run(Buffer.from(text, 'latin1'));
    }

    const request = { path: folder.at('backup'), replace: true };
    const { warnings } = await restoreHome(engines, folder.at('home'), request);

    expect(warnings).toEqual([expect.stringContaining('config.json')]);
    expect(readFileSync(folder.at('home', 'config.json'), 'utf8')).toBe('{"diskWarnPercent":70}');
    expect(await leadOf(folder.at('home'))).toBe('jean');
  },
);

describe('restoreInto()', () => {
  const settingsOf = (home: string): Settings => ({ ...defaultSettings, home, port: 0 });

  async function withAgents(folder: TemporaryFolder, choices: { passphrase?: string }) {
    await using home = await open(folder.at('home'));
    const deps = { ...engines, ...home, version: '0.0.0' };
    for (const name of ['jean', 'samantha']) {
      await registerAgent(deps, home.home, { name, actor: 'owner' });
    }
    await backupHome(deps, home.home, { path: folder.at('backup'), ...choices });
  }

  test('makes the folders of every agent again, as registering made them', async () => {
    await using folder = temporaryFolder();
    await withAgents(folder, { passphrase });
    const other = folder.at('other');

    const request = { path: folder.at('backup'), passphrase, replace: false };
    const summary = await restoreInto(engines, settingsOf(other), request);

    const tree = (home: string) => readdirSync(join(home, 'agents'), { recursive: true }).sort();
    const meta = (home: string) => readFileSync(join(home, 'agents/jean/meta.json'), 'utf8');
    expect(tree(other)).toEqual(tree(folder.at('home')));
    expect(meta(other)).toBe(meta(folder.at('home')));
    expect(summary).toMatchObject({ agents_without_keys: [], warnings: [] });
  });

  test('leaves what an agent has, and names those whose keys are missing', async () => {
    await using folder = temporaryFolder();
    await withAgents(folder, {});
    const home = folder.at('home');
    rmSync(join(home, 'keys', 'agent-samantha.key'));
    rmSync(join(home, 'agents', 'samantha'), { recursive: true });
    writeFileSync(join(home, 'agents', 'jean', 'meta.json'), 'mine');

    const request = { path: folder.at('backup'), replace: true };
    const summary = await restoreInto(engines, settingsOf(home), request);

    expect(summary.agents_without_keys).toEqual(['samantha']);
    expect(existsSync(join(home, 'keys', 'agent-samantha.key'))).toBe(false);
    expect(existsSync(join(home, 'agents', 'samantha', 'meta.json'))).toBe(true);
    expect(readFileSync(join(home, 'agents', 'jean', 'meta.json'), 'utf8')).toBe('mine');
  });

  test('tells of a folder that it could not make, and has put the rest back', async () => {
    await using folder = temporaryFolder();
    await withAgents(folder, {});
    const home = folder.at('home');
    rmSync(join(home, 'agents'), { recursive: true });
    mkdirSync(join(home, 'agents'), { mode: 0o700 });
    writeFileSync(join(home, 'agents', 'jean'), 'a file');

    const request = { path: folder.at('backup'), replace: true };
    const summary = await restoreInto(engines, settingsOf(home), request);

    expect(summary.warnings).toEqual([expect.stringContaining('jean')]);
    expect(existsSync(join(home, 'agents', 'samantha', 'outbox', '.pending'))).toBe(true);
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
