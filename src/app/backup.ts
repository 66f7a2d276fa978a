/**
 * A home in one file: a copy of the ledger with two tables more, one that says what the
 * file is and one that holds the small files of the home.
 *
 * B1. The copy is one moment of the ledger, taken while the daemon works.
 * B2. The file gets its name last, when it is whole and on disk, and takes nobody's place.
 * B3. Keys are in it only under a passphrase.
 */
import { basename, dirname, join } from 'node:path';
import { readWholeFile } from '../kernel/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/quote.ts';
import { chainHead } from '../ledger/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openSqlite, type SqliteDatabase } from '../ledger/sqlite-database.ts';
import { type KeyFiles, sealKeys } from './sealed-keys.ts';

export interface BackupDeps {
  readonly ledger: Pick<Ledger, 'copyTo'>;
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Clock;
  readonly version: string;
}

export interface BackupRequest {
  readonly path: string;
  readonly passphrase?: string | undefined;
}

export interface BackupSummary {
  readonly path: string;
  readonly bytes: number;
  readonly events: number;
  readonly keys: 'sealed' | 'left out';
}

/** What makes a file a backup of this kind. */
export const backupFormat = 'agent-os backup 1';
/** The files that a home has besides its ledger and keys, and that are worth keeping. */
export const keptFiles = ['config.json'];
export const sealedKeysName = 'keys';

const longestFileBytes = 1024 * 1024;

export async function backupHome(
  deps: BackupDeps,
  home: string,
  { path, passphrase }: BackupRequest,
): Promise<BackupSummary> {
  const { disk, ledger } = deps;
  await refuseTaken(disk, path);
  const pending = join(dirname(path), `.${basename(path)}.${hex(deps.random)}.pending`);
  // Made here, because SQLite would give it the modes that the umask leaves.
  await (await disk.create(pending))[Symbol.asyncDispose]();
  try {
    await ledger.copyTo(pending);
    const keys = passphrase === undefined ? undefined : await readKeys(disk, home);
    const sealed = keys && passphrase && sealKeys(deps.random, keys, passphrase);
    const files = await readKeptFiles(disk, home);
    const events = await fill(deps, pending, sealed ? [...files, [sealedKeysName, sealed]] : files);
    // B2: a link, because a rename would replace what somebody put there meanwhile.
    await disk.link(pending, path);
    const bytes = (await disk.stat(path))?.sizeBytes ?? 0;
    return { path, bytes, events, keys: sealed ? 'sealed' : 'left out' };
  } finally {
    await removeQuietly(disk, pending);
    await disk.syncFolder(dirname(path));
  }
}

async function refuseTaken(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path)) === undefined) return;
  throw new AosError('disk.exists', {
    message: `The name ${quote(path)} is taken already, and a backup replaces nothing`,
    fix: `Choose another name, such as ${quote(`${path}.2`)}`,
  });
}

type NamedBytes = readonly [name: string, bytes: Uint8Array];

async function fill(
  { clock, version }: BackupDeps,
  path: string,
  files: readonly NamedBytes[],
): Promise<number> {
  using database = openSqlite(path);
  // One file, with no log beside it; and each commit flushed.
  database.execute('pragma journal_mode = delete; pragma synchronous = full; begin immediate');
  database.execute(`
      create table backup_manifest (format text not null, version text not null, at integer not null) strict;
      create table backup_files (name text primary key, bytes blob not null) strict;`);
  database.runNow('insert into backup_manifest values ($1, $2, $3)', [
    backupFormat,
    version,
    clock.now(),
  ]);
  for (const [name, bytes] of files) insertFile(database, name, bytes);
  database.execute('commit');
  return (await chainHead(database)).seq;
}

function insertFile(database: SqliteDatabase, name: string, bytes: Uint8Array): void {
  database.runNow('insert into backup_files values ($1, $2)', [name, bytes]);
}

async function readKeptFiles(disk: Disk, home: string): Promise<NamedBytes[]> {
  const found: NamedBytes[] = [];
  for (const name of keptFiles) {
    const path = join(home, name);
    if ((await disk.stat(path)) === undefined) continue;
    found.push([name, await readWholeFile(disk, path, longestFileBytes)]);
  }
  return found;
}

async function readKeys(disk: Disk, home: string): Promise<KeyFiles> {
  const folder = join(home, 'keys');
  const found = new Map<string, Uint8Array>();
  for (const name of await disk.list(folder)) {
    if (name.endsWith('.pending')) continue;
    found.set(name, await readWholeFile(disk, join(folder, name), longestFileBytes));
  }
  return found;
}

function hex(random: Random): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Litter that `aos gc` knows; the failure that came first is the one to hear of.
  }
}
