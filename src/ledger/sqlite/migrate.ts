/**
 * Bringing a ledger up to the newest schema. Migrations are numbered files that are
 * never edited after a release; each runs in a transaction of its own.
 */
import { dirname, join } from 'node:path';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Disk, DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { SqliteDatabase } from './database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}

// "AOS1": what a SQLite file says about whose it is.
const applicationId = 0x41_4f_53_31;
const longestMigrationBytes = 1024 * 1024;

/** The migrations for SQLite, in order, which lie beside this program. */
export async function readMigrations(view: DiskView): Promise<Migration[]> {
  const folder = join(import.meta.dirname, 'sql');
  const names = (await view.list(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    names.map(async (name, place) => {
      const number = Number(/^(\d{4})-/.exec(name)?.[1]);
      if (number !== place + 1) throw new Error(`migration "${name}" is out of order`);
      const bytes = await readWholeFile(view, join(folder, name), longestMigrationBytes);
      return { number, name, text: new TextDecoder().decode(bytes) };
    }),
  );
}

export interface MigrateDeps {
  readonly database: SqliteDatabase;
  readonly disk: Disk;
  readonly path: string;
}

/** Runs what has not been run yet, after a copy of the ledger as it was. */
export async function migrate(
  { database, disk, path }: MigrateDeps,
  migrations: readonly Migration[],
): Promise<void> {
  const version = schemaVersion(database);
  const missing = migrations.filter(({ number }) => number > version);
  if (version > 0 && missing.length > 0) await copyAside({ database, disk, path }, version);
  for (const migration of missing) apply(database, migration);
}

/** A file that holds the tables of another program, or newer ones of ours, is left alone. */
export function refuseUnknownSchema(
  database: SqliteDatabase,
  path: string,
  migrations: readonly Migration[],
): void {
  const version = schemaVersion(database);
  const newest = migrations.at(-1)?.number ?? 0;
  if (version > newest) throw newer(path, version, newest);
  if (version === 0 && !isEmpty(database)) throw foreign(path);
}

/** 0 for a file that is not ours yet. */
function schemaVersion(database: SqliteDatabase): number {
  const owner = database.getNow<{ application_id: number }>('pragma application_id');
  if (owner?.application_id !== applicationId) return 0;
  const version = database.getNow<{ user_version: number }>('pragma user_version');
  return must(version, 'the version of the schema').user_version;
}

function isEmpty(database: SqliteDatabase): boolean {
  const tables = database.getNow<{ count: number }>('select count(*) as count from sqlite_schema');
  return tables?.count === 0;
}

function apply(database: SqliteDatabase, { number, text }: Migration): void {
  database.execute('begin immediate');
  try {
    database.execute(text);
    // Both are part of the transaction: they live in the file's first page.
    database.execute(`pragma user_version = ${number}`);
    database.execute(`pragma application_id = ${applicationId}`);
    database.execute('commit');
  } catch (failure) {
    if (database.inTransaction) database.execute('rollback');
    throw failure;
  }
}

async function copyAside({ database, disk, path }: MigrateDeps, version: number): Promise<void> {
  const copy = `${path}.before-${String(version + 1).padStart(4, '0')}`;
  // What is left of a try that was interrupted: the ledger itself is still as it was.
  if ((await disk.stat(copy)) !== undefined) await disk.remove(copy);
  await (await disk.create(copy))[Symbol.asyncDispose]();
  await database.copyTo(copy);
  await disk.syncFolder(dirname(path));
}

function foreign(path: string): AosError {
  return new AosError('ledger.foreign', {
    message: `${quote(path)} is the database of another program`,
    fix: 'Choose a home folder of its own: export AOS_HOME=~/.agent-relay',
  });
}

function newer(path: string, version: number, newest: number): AosError {
  return new AosError('ledger.newer', {
    message: `The ledger ${quote(path)} was written by a newer Agent OS (schema ${version}, this one knows ${newest})`,
    fix: 'Install the newer Agent OS again, or put an older backup back: aos restore FILE --replace',
    details: { schema: version, known: newest },
  });
}
