/**
 * A home in one file: a copy of the ledger with two tables more, one that says what the
 * file is and one that holds the small files of the home.
 *
 * B1. The copy is one moment of the ledger, taken while the daemon works.
 * B2. The file gets its name last, when it is whole and on disk, and replaces nothing.
 * B3. Keys are in it only under a passphrase.
 * B4. A backup that is killed leaves litter beside its target, which the next one of that
 *     name removes. An hour must have passed: another may be at work.
 */
import { dirname, join } from 'node:path';
import { pendingPath, pendingPrefix, readWholeFile } from '../../kernel/disk/durable-file.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { Clock, Disk, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { chainHead } from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openSqlite, type SqliteDatabase } from '../../ledger/sqlite/database.ts';
import { isKeyFileName, type KeyFiles, sealKeys } from './sealed-keys.ts';

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
  /** Ends it early, with nothing left behind. */
  readonly signal?: AbortSignal | undefined;
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
export const longestFileBytes = 1024 * 1024;
/** What a backup has and a ledger has not. */
export const backupTables = `
  create table backup_manifest (format text not null, version text not null, at integer not null) strict;
  create table backup_files (name text primary key, bytes blob not null) strict;`;

export async function backupHome(
  deps: BackupDeps,
  home: string,
  { path, passphrase, signal }: BackupRequest,
): Promise<BackupSummary> {
  const { disk, ledger } = deps;
  const folder = dirname(path);
  await refuseMissingFolder(disk, folder);
  await refuseInsideAHome(disk, path);
  await refuseTaken(disk, path);
  await removeLitter(deps, path);
  const pending = pendingPath(deps.random, path);
  // Made here, because SQLite would give it the modes that the umask leaves.
  await (await disk.create(pending))[Symbol.asyncDispose]();
  let summary: BackupSummary;
  try {
    await unlessAborted(ledger.copyTo(pending), signal);
    const keys = passphrase === undefined ? undefined : await readKeys(disk, home);
    const sealed = keys && passphrase && sealKeys(deps.random, keys, passphrase);
    const files = await readKeptFiles(disk, home);
    const events = await fill(deps, pending, sealed ? [...files, [sealedKeysName, sealed]] : files);
    signal?.throwIfAborted();
    // B2: a link, because a rename would replace what was put there meanwhile.
    await disk.link(pending, path);
    const bytes = (await disk.stat(path))?.sizeBytes ?? 0;
    summary = { path, bytes, events, keys: sealed ? 'sealed' : 'left out' };
  } finally {
    for (const suffix of ['', '-journal']) await removeQuietly(disk, `${pending}${suffix}`);
  }
  // The folder itself, should it be reached through a link.
  await disk.syncFolder(`${folder}/.`);
  return summary;
}

/** The copy itself cannot be stopped: it ends in a file that has no name any more. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function refuseMissingFolder(disk: Disk, folder: string): Promise<void> {
  try {
    if ((await disk.stat(`${folder}/.`)) !== undefined) return;
  } catch (cause) {
    if (!isDiskError(cause, 'disk.not-a-folder')) throw cause;
    throw diskError('ENOTDIR', folder, cause);
  }
  throw diskError('ENOENT', folder);
}

// More than any path that is typed has.
const deepestFolder = 64;

/** A strange file would make the home unusable, and what lies in its `tmp` is swept away. */
async function refuseInsideAHome(disk: Disk, path: string): Promise<void> {
  // Upwards by "..", as the disk sees it: a link may lead into a home.
  let folder = dirname(path);
  for (let depth = 0; depth < deepestFolder; depth++, folder += '/..') {
    if (!(await isHome(disk, folder))) continue;
    throw new AosError('usage.bad-value', {
      message: `${quote(path)} would lie in a home folder of Agent OS, where only its own files may stand`,
      fix: 'Choose a folder outside of it, best on another disk: aos backup ~/agents.backup',
    });
  }
}

async function isHome(disk: Disk, folder: string): Promise<boolean> {
  try {
    const marks = ['ledger.db', 'keys/owner.key'].map((name) => disk.stat(`${folder}/${name}`));
    return (await Promise.all(marks)).every((entry) => entry?.kind === 'file');
  } catch (failure) {
    // What may not be looked into is the home of another user, if it is one.
    if (isDiskError(failure, 'disk.denied') || isDiskError(failure, 'disk.not-a-folder')) {
      return false;
    }
    throw failure;
  }
}

function isDiskError(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof AosError && failure.code === code;
}

async function refuseTaken(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path)) === undefined) return;
  throw new AosError('disk.exists', {
    message: `The name ${quote(path)} is taken already, and a backup replaces nothing`,
    fix: `Choose another name, such as ${quote(`${path}.2`)}`,
  });
}

const hourMs = 3_600_000;

// B4
async function removeLitter({ disk, clock }: BackupDeps, path: string): Promise<void> {
  const folder = dirname(path);
  const form = new RegExp(
    `^${RegExp.escape(pendingPrefix(path))}[0-9a-f]{16}\\.pending(?:-journal)?$`,
  );
  for (const name of (await namesIn(disk, folder)).filter((each) => form.test(each))) {
    const there = await disk.stat(join(folder, name));
    const isOld = there?.kind === 'file' && there.modifiedAt < clock.now() - hourMs;
    if (isOld) await removeQuietly(disk, join(folder, name));
  }
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.list(folder);
  } catch (failure) {
    // Into some folders one may put a file and not look.
    if (isDiskError(failure, 'disk.denied')) return [];
    throw failure;
  }
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
  database.execute(backupTables);
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
    if (!isKeyFileName(name)) continue;
    found.set(name, await readWholeFile(disk, join(folder, name), longestFileBytes));
  }
  return found;
}

async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Gone already, or B4; the failure that came first is the one to hear of.
  }
}
