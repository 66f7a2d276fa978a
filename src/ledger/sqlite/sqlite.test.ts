import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger, temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import type { AosError } from '../../kernel/errors.ts';
import { readState, type Transaction, writeState } from '../ledger.ts';
import { openSqlite } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';

const put = (key: string) => (tx: Transaction) => writeState(tx, key, '1', 1);

describe('opening', () => {
  test('makes the files for the owner alone', async () => {
    await using held = await temporaryLedger();
    await held.ledger.transact(put('a'));

    const modes = readdirSync(held.folder).map((name) => [
      name,
      statSync(`${held.folder}/${name}`).mode & 0o777,
    ]);

    expect(modes).toEqual([
      ['ledger.db', 0o600],
      ['ledger.db-shm', 0o600],
      ['ledger.db-wal', 0o600],
    ]);
  });

  test('sets what seed 003 asks for, and flushes every commit', async () => {
    await using held = await temporaryLedger();
    const value = async (name: string) =>
      held.ledger.transact(async (tx) => Object.values((await tx.get(`pragma ${name}`)) ?? {})[0]);

    expect(await value('journal_mode')).toBe('wal');
    expect(await value('synchronous')).toBe(2);
    expect(await value('foreign_keys')).toBe(1);
    expect(await value('cache_size')).toBe(-2000);
    expect(await value('temp_store')).toBe(2);
    expect(await value('busy_timeout')).toBe(5000);
  });

  test('finds again what was written before', async () => {
    await using folder = temporaryFolder();
    {
      await using first = await openTestLedger(folder.at('ledger.db'));
      await first.transact(put('a'));
    }

    await using second = await openTestLedger(folder.at('ledger.db'), { epoch: 2 });

    expect(await readState(second.committed, 'a')).toBe('1');
  });

  const refusals: readonly (readonly [string, (path: string) => void, string])[] = [
    [
      'a file of words',
      (path) => writeFileSync(path, 'no database'.repeat(1000)),
      'ledger.corrupt',
    ],
    [
      'the database of another program',
      (path) => {
        using database = new DatabaseSync(path);
        database.exec('create table notes (text)');
      },
      'ledger.foreign',
    ],
    [
      'the ledger of a newer Agent OS',
      (path) => {
        using database = new DatabaseSync(path);
        database.exec('pragma application_id = 1095717681; pragma user_version = 999');
      },
      'ledger.newer',
    ],
    ['a symlink', (path) => symlinkSync('/dev/null', path), 'ledger.foreign'],
  ];

  test.each(refusals)('refuses %s and changes nothing', async (_what, make, code) => {
    await using folder = temporaryFolder();
    make(folder.at('ledger.db'));
    const before = readFileSync(folder.at('ledger.db'));

    const opening = openTestLedger(folder.at('ledger.db'));

    await expect(opening).rejects.toMatchObject({ code, fix: expect.any(String) });
    expect(readFileSync(folder.at('ledger.db'))).toEqual(before);
  });

  test('refuses a ledger whose first pages are gone', async () => {
    await using folder = temporaryFolder();
    const path = folder.at('ledger.db');
    {
      await using ledger = await openTestLedger(path);
      await ledger.transact(put('a'));
    }
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 100, 12_288);
    writeFileSync(path, bytes);

    await expect(openTestLedger(path, { epoch: 2 })).rejects.toMatchObject({
      code: 'ledger.corrupt',
    });
  });
});

describe('the epoch', () => {
  test('of an earlier owner is refused at the door', async () => {
    await using folder = temporaryFolder();
    const path = folder.at('ledger.db');
    await (await openTestLedger(path, { epoch: 7 }))[Symbol.asyncDispose]();

    await expect(openTestLedger(path, { epoch: 7 })).rejects.toMatchObject({
      code: 'ledger.fenced',
      details: { epoch: 7 },
    });
  });

  test('that somebody raised stops the old owner, at its next transaction and for good', async () => {
    const lost: AosError[] = [];
    await using held = await temporaryLedger({ onLost: (why) => lost.push(why) });
    await using _newOwner = await openTestLedger(held.path, { epoch: 2 });

    const results = await Promise.allSettled(
      ['a', 'b'].map((key) => held.ledger.transact(put(key))),
    );
    const later = held.ledger.transact(put('c'));

    await expect(later).rejects.toMatchObject({ code: 'ledger.fenced' });
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(lost.map(({ code }) => code)).toEqual(['ledger.fenced']);
    expect(await readState(held.ledger.committed, 'a')).toBeUndefined();
  });
});

describe('migrations', () => {
  const first = {
    number: 1,
    name: '0001-a.sql',
    text: 'create table a (x); insert into a values (1)',
  };
  const second = { number: 2, name: '0002-b.sql', text: 'create table b (x)' };
  const broken = { number: 2, name: '0002-b.sql', text: 'create table b (x); create tabel c' };

  const open = (path: string) => ({ database: openSqlite(path), disk: realDisk, path });

  test('run in order, and each only once', async () => {
    await using folder = temporaryFolder();
    const deps = open(folder.at('ledger.db'));

    await migrate(deps, [first, second]);
    await migrate(deps, [first, second]);

    expect(await deps.database.all('select x from a')).toHaveLength(1);
    deps.database[Symbol.dispose]();
  });

  test('copy a ledger aside before they change it', async () => {
    await using folder = temporaryFolder();
    const deps = open(folder.at('ledger.db'));
    await migrate(deps, [first]);

    await migrate(deps, [first, second]);
    deps.database[Symbol.dispose]();

    using copy = new DatabaseSync(folder.at('ledger.db.before-0002'));
    const tables = copy.prepare('select name from sqlite_schema').all();
    expect(tables).toMatchObject([{ name: 'a' }]);
    expect(statSync(folder.at('ledger.db.before-0002')).mode & 0o777).toBe(0o600);
  });

  test('that fail leave the ledger as it was, and can be tried again', async () => {
    await using folder = temporaryFolder();
    const deps = open(folder.at('ledger.db'));
    await migrate(deps, [first]);

    await expect(migrate(deps, [first, broken])).rejects.toThrow();
    const tables = await deps.database.all('select name from sqlite_schema');
    await migrate(deps, [first, second]);

    expect(tables).toMatchObject([{ name: 'a' }]);
    deps.database[Symbol.dispose]();
  });

  test('of this program are numbered without a gap', async () => {
    const migrations = await readMigrations(realDisk);

    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, place) => place + 1));
  });
});

test('the log stays small however much is written and read, and readers are never behind', async () => {
  await using held = await temporaryLedger();
  const value = 'x'.repeat(50_000);

  for (let round = 0; round < 2000; round++) {
    await held.ledger.transact((tx) => writeState(tx, 'a', `${round}${value}`, 1));
    const seen = await readState(held.ledger.committed, 'a');
    if (seen !== `${round}${value}`) throw new Error(`round ${round} is not seen`);
  }

  // 100 MB went through a log that is moved into the database every 32 MiB.
  expect(statSync(`${held.path}-wal`).size).toBeLessThan(40 * 1024 * 1024);
});

test('a view sees what somebody else has written into the file', async () => {
  await using held = await temporaryLedger();
  await held.ledger.transact(put('a'));
  await readState(held.ledger.committed, 'a');
  {
    using other = new DatabaseSync(held.path);
    other.exec(`update orchestrator_state set value = 'forged' where key = 'a'`);
  }

  using view = held.ledger.openView();

  expect(await readState(view, 'a')).toBe('forged');
});

test('copyTo() copies one moment while writes go on', async () => {
  await using held = await temporaryLedger();
  await Promise.all(Array.from({ length: 500 }, (_, n) => held.ledger.transact(put(`a${n}`))));

  const copy = `${held.folder}/copy.db`;
  const [, ...rest] = await Promise.all([
    held.ledger.copyTo(copy),
    ...Array.from({ length: 500 }, (_, n) => held.ledger.transact(put(`b${n}`))),
  ]);

  using database = new DatabaseSync(copy);
  const check = database.prepare('pragma integrity_check').get();
  const count = database.prepare(
    `select count(*) as n from orchestrator_state where key like 'a%'`,
  );
  expect(rest).toHaveLength(500);
  expect(check).toMatchObject({ integrity_check: 'ok' });
  expect(count.get()).toMatchObject({ n: 500 });
});
