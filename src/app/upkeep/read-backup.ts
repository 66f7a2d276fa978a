/**
 * Reading a backup that any program may have written: nothing in it is believed before it was
 * looked at.
 */

import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { type Clock, type Disk, lastInstant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { everyAgent } from '../../ledger/agents.ts';
import { chainHead } from '../../ledger/events.ts';
import { readState, type Sql } from '../../ledger/ledger.ts';
import { findPrincipal } from '../../ledger/security/principals.ts';
import { openSqlite, type SqliteDatabase } from '../../ledger/sqlite/database.ts';
import {
  type Migration,
  readMigrations,
  refuseUnknownSchema,
} from '../../ledger/sqlite/migrate.ts';
import { verifyChain } from '../../security/audit/verify.ts';
import {
  backupFormat,
  backupTables,
  keptFiles,
  longestFileBytes,
  sealedKeysName,
} from './backup.ts';

export type NamedFiles = ReadonlyMap<string, Uint8Array>;

export interface ExamineDeps {
  readonly disk: Disk;
  readonly clock: Clock;
}

export interface Contents {
  readonly events: number;
  readonly madeAt: number;
  readonly files: NamedFiles;
  /** The address of the home's owner. */
  readonly owner: string;
}

const sqliteMark = 'SQLite format 3\0';

/** A copy of the backup that no other program has open, as one file without a log. */
export async function stageBackup(disk: Disk, path: string, staged: string): Promise<void> {
  {
    // What the disk has to say of the file is told as it is.
    await using reader = await disk.read(path);
    const mark = Buffer.from(await reader.readAt(0, sqliteMark.length)).toString('latin1');
    if (mark !== sqliteMark) throw notABackup(path);
  }
  await (await disk.create(staged))[Symbol.asyncDispose]();
  await tellingDamage(path, async () => {
    using backup = openSqlite(path, { readOnly: true });
    // A short look: the database of another program may be large.
    if (!hasManifest(backup)) throw notABackup(path);
    await backup.copyTo(staged);
    using copy = openSqlite(staged);
    copy.execute('pragma journal_mode = delete');
  });
}

function hasManifest(database: SqliteDatabase): boolean {
  const table = `select 1 from sqlite_schema where type = 'table' and name = 'backup_manifest'`;
  if (database.getNow(table) === undefined) return false;
  const row = database.getNow<{ format: string }>('select format from backup_manifest');
  return row?.format === backupFormat;
}

/** All that can be said about the file alone. */
export function examineBackup(
  { disk, clock }: ExamineDeps,
  staged: string,
  path: string,
): Promise<Contents> {
  return tellingDamage(path, async () => {
    using database = openSqlite(staged, { readOnly: true });
    await refuseOtherSchema(database, path, await readMigrations(disk));
    const check = await database.get<{ integrity_check: string }>('pragma integrity_check(1)');
    if (check?.integrity_check !== 'ok') throw damaged(path);
    await refuseStrangeNumbers(database, path);
    await refuseStrangeRows(database, path);
    const chain = await verifyChain({
      ledger: { openView: () => openSqlite(staged, { readOnly: true }) },
      pause: () => clock.sleep(0),
    });
    if (chain.kind === 'broken') throw damaged(path, `Event ${chain.seq}: ${chain.why}`);
    return await readContents(database, path);
  });
}

interface ColumnShape {
  readonly table_name: string;
  readonly column_name: string | null;
  readonly column_type: string | null;
}

const shape = `
  select s.type, s.name as table_name, s.tbl_name, l.type as table_type, l.strict,
    c.name as column_name, c.type as column_type, c."notnull", c.pk, c.hidden
  from sqlite_schema s
    left join pragma_table_list l on l.schema = 'main' and l.name = s.name
    left join pragma_table_xinfo(s.name) c
  where s.name not glob 'sqlite_*'
  order by s.type, s.name, c.cid`;

/** The tables are those that the migrations make, and there is nothing else: no view, no trigger. */
async function refuseOtherSchema(
  database: SqliteDatabase,
  path: string,
  migrations: readonly Migration[],
): Promise<void> {
  try {
    refuseUnknownSchema(database, path, migrations);
  } catch (failure) {
    const foreign = failure instanceof AosError && failure.code === 'ledger.foreign';
    throw foreign ? notABackup(path, failure) : failure;
  }
  const row = must(
    await database.get<{ user_version: number }>('pragma user_version'),
    'the version of a database',
  );
  using model = openSqlite(':memory:');
  for (const { number, text } of migrations) {
    if (number <= row.user_version) model.execute(text);
  }
  model.execute(backupTables);
  const [there, wanted] = [await database.all(shape), await model.all(shape)];
  if (JSON.stringify(there) !== JSON.stringify(wanted)) {
    throw damaged(path, 'Its tables are not those of Agent OS');
  }
}

/** A number that cannot be read exactly, or a time that is none, would stop the daemon later. */
async function refuseStrangeNumbers(database: Sql, path: string): Promise<void> {
  const columns = await database.all<ColumnShape>(shape);
  for (const { table_name, column_name, column_type } of columns) {
    if (column_name === null || column_type !== 'INTEGER') continue;
    const most = /(?:^|_)at$/.test(column_name) ? lastInstant : Number.MAX_SAFE_INTEGER;
    // The names are those of our own migrations by now.
    const beyond = `select 1 from "${table_name}"
      where "${column_name}" not between ${-most} and ${most} limit 1`;
    if ((await database.get(beyond)) === undefined) continue;
    throw damaged(path, `"${column_name}" in "${table_name}" holds an impossible number`);
  }
}

async function refuseStrangeRows(database: Sql, path: string): Promise<void> {
  const epoch = await readState(database, 'epoch');
  if (epoch !== undefined && !/^\d{1,15}$/.test(epoch)) throw damaged(path, 'Its epoch is none');
  for await (const { name } of everyAgent(database)) {
    try {
      checkAgentName(name);
    } catch (cause) {
      throw damaged(path, 'It holds an agent with an impossible name', cause);
    }
  }
}

async function readContents(database: Sql, path: string): Promise<Contents> {
  const manifests = await database.all<{ at: number }>('select at from backup_manifest limit 2');
  const [manifest] = manifests;
  if (manifest === undefined || manifests.length > 1)
    throw damaged(path, 'It has more than one manifest');
  const owner = await findPrincipal(database, 'owner');
  if (owner === undefined) throw damaged(path, 'It names no owner');
  return {
    events: (await chainHead(database)).seq,
    madeAt: manifest.at,
    files: await readFiles(database, path),
    owner: owner.address,
  };
}

async function readFiles(database: Sql, path: string): Promise<NamedFiles> {
  const sizes = await database.all<{ name: string; size: number }>(
    'select name, length(bytes) as size from backup_files limit 10',
  );
  const known = [...keptFiles, sealedKeysName];
  for (const { name, size } of sizes) {
    if (!known.includes(name)) throw damaged(path, 'It holds a file that is not of a home');
    // Keys are many small files in one.
    const most = name === sealedKeysName ? longestKeysBytes : longestFileBytes;
    if (size > most) throw damaged(path, `Its ${name} is too large`);
  }
  const rows = await database.all<{ name: string; bytes: Uint8Array }>(
    'select name, bytes from backup_files',
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

// A hundred thousand agents' keys.
const longestKeysBytes = 64 * 1024 * 1024;

/** What SQLite says of a file that is damaged, or was made up, is told as just that. */
async function tellingDamage<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw isDamage(failure) ? damaged(path, undefined, failure) : failure;
  }
}

const damageCodes: readonly unknown[] = [
  ...['ledger.corrupt', 'ledger.unreadable', 'ledger.read-only'],
  // A statement that does not fit the tables, and a number beyond 2^53.
  ...['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE'],
];

function isDamage(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && damageCodes.includes(failure.code);
}

function notABackup(path: string, cause?: unknown): AosError {
  return new AosError('restore.not-a-backup', {
    message: `${quote(path)} is not a backup of Agent OS`,
    fix: 'Give the file that "aos backup FILE" made',
    cause,
  });
}

export function damaged(path: string, why?: string, cause?: unknown): AosError {
  const said = `The backup ${quote(path)} is damaged, so nothing was changed`;
  return new AosError('restore.damaged', {
    message: why === undefined ? said : `${said}. ${why}`,
    fix: 'Use another copy of it',
    cause,
  });
}
