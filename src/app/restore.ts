/**
 * Putting a backup back. The caller holds the home's lock, and no daemon runs.
 *
 * R1. Everything is looked at before anything is changed: whose file it is, whether it is
 *     whole, whether this program knows its schema, whether the passphrase opens the keys.
 * R2. What is replaced is kept beside its place under another name, never removed.
 * R3. The ledger takes its place by one rename, after its keys: a crash before it leaves
 *     the old ledger, one after it the new one.
 * R4. A log that belongs to the old ledger must not lie beside the new one, which would
 *     take it for its own. So the old one is closed with its log moved in, or, where it is
 *     too damaged for that, its log is moved away first.
 */
import { dirname, join } from 'node:path';
import { readWholeFile, writeFileDurably } from '../kernel/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/quote.ts';
import { chainHead } from '../ledger/events.ts';
import { readMigrations, refuseUnknownSchema } from '../ledger/migrate.ts';
import { openSqlite, type SqliteDatabase } from '../ledger/sqlite-database.ts';
import { backupFormat, keptFiles, sealedKeysName } from './backup.ts';
import { openKeys } from './sealed-keys.ts';

export interface RestoreDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Clock;
}

export interface RestoreRequest {
  readonly path: string;
  readonly passphrase?: string | undefined;
  /** Whether what the home holds already may be moved aside. */
  readonly replace: boolean;
}

export interface RestoreSummary {
  readonly events: number;
  readonly made_at: string;
  readonly keys: 'restored' | 'left as they are' | 'not in the backup';
  /** What was moved aside, by its new name. */
  readonly moved_aside: readonly string[];
}

interface Contents {
  readonly events: number;
  readonly madeAt: number;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const longestFileBytes = 1024 * 1024;

export async function restoreHome(
  deps: RestoreDeps,
  home: string,
  { path, passphrase, replace }: RestoreRequest,
): Promise<RestoreSummary> {
  const { disk, clock } = deps;
  const ledgerPath = join(home, 'ledger.db');
  const { events, madeAt, files } = await readBackup(disk, path);
  const sealed = files.get(sealedKeysName);
  const keys = sealed === undefined ? new Map() : openSealed(sealed, passphrase, path);
  const wanted = new Map<string, Uint8Array>([
    ...Array.from(keys ?? [], ([name, bytes]) => [join('keys', name), bytes] as const),
    ...keptFiles.flatMap((name) => {
      const bytes = files.get(name);
      return bytes === undefined ? [] : [[name, bytes] as const];
    }),
  ]);
  const inTheWay = await differing(disk, home, wanted);
  if ((await disk.stat(ledgerPath)) !== undefined) inTheWay.unshift('ledger.db');
  if (inTheWay.length > 0 && !replace) throw occupied(home, inTheWay);

  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
  const aside = (name: string) => `${name}.before-restore-${stamp}`;
  const staged = join(home, 'tmp', `restore-${stamp}.db`);
  await stage(disk, path, staged);
  try {
    if (inTheWay.includes('ledger.db')) await closeOldLedger(disk, ledgerPath, aside);
    for (const name of inTheWay) await disk.link(join(home, name), join(home, aside(name)));
    // R3
    for (const [name, bytes] of wanted) await writeFileDurably(deps, join(home, name), bytes);
    await disk.syncFolder(home);
    await disk.rename(staged, ledgerPath);
    await disk.syncFolder(home);
  } finally {
    if ((await disk.stat(staged)) !== undefined) await disk.remove(staged);
  }
  return {
    events,
    made_at: new Date(madeAt).toISOString(),
    keys: keysSummary(sealed !== undefined, passphrase),
    moved_aside: inTheWay.map(aside),
  };
}

function keysSummary(there: boolean, passphrase: string | undefined): RestoreSummary['keys'] {
  if (!there) return 'not in the backup';
  return passphrase === undefined ? 'left as they are' : 'restored';
}

// R1
async function readBackup(disk: Disk, path: string): Promise<Contents> {
  if ((await disk.stat(path))?.kind !== 'file') throw notABackup(path);
  using database = openBackup(path);
  refuseUnknownSchema(database, path, await readMigrations(disk));
  try {
    const check = await database.get<{ integrity_check: string }>('pragma integrity_check(1)');
    if (check?.integrity_check !== 'ok') throw damaged(path);
    const [manifest] = await database.all<{ at: number }>('select at from backup_manifest');
    const rows = await database.all<{ name: string; bytes: Uint8Array }>(
      'select name, bytes from backup_files',
    );
    return {
      events: (await chainHead(database)).seq,
      madeAt: manifest?.at ?? 0,
      files: new Map(rows.map(({ name, bytes }) => [name, bytes])),
    };
  } catch (failure) {
    throw isCorrupt(failure) ? damaged(path, failure) : failure;
  }
}

function openBackup(path: string): SqliteDatabase {
  using opened = new DisposableStack();
  try {
    const database = opened.use(openSqlite(path, { readOnly: true }));
    const row = database.getNow<{ format: string }>('select format from backup_manifest');
    if (row?.format !== backupFormat) throw notABackup(path);
    opened.move();
    return database;
  } catch (cause) {
    // No database, or one without that table; what the disk says is told as it is.
    if (cause instanceof AosError && !isCorrupt(cause)) throw cause;
    throw notABackup(path, cause);
  }
}

function isCorrupt(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'ledger.corrupt';
}

function openSealed(
  sealed: Uint8Array,
  passphrase: string | undefined,
  path: string,
): ReadonlyMap<string, Uint8Array> | undefined {
  if (passphrase === undefined) return undefined;
  const keys = openKeys(sealed, passphrase);
  // Names from a file are data: none may lead out of the folder.
  if ([...keys.keys()].every((name) => /^[\w-][\w.-]*$/.test(name))) return keys;
  throw damaged(path);
}

async function differing(
  disk: Disk,
  home: string,
  wanted: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [name, bytes] of wanted) {
    const path = join(home, name);
    if ((await disk.stat(path)) === undefined) continue;
    const there = await readWholeFile(disk, path, longestFileBytes);
    if (!Buffer.from(there).equals(bytes)) found.push(name);
  }
  return found;
}

/** The ledger of the backup as a file of its own, without what only a backup has. */
async function stage(disk: Disk, path: string, staged: string): Promise<void> {
  if ((await disk.stat(staged)) !== undefined) await disk.remove(staged);
  await (await disk.create(staged))[Symbol.asyncDispose]();
  {
    using backup = openSqlite(path, { readOnly: true });
    await backup.copyTo(staged);
  }
  {
    using copy = openSqlite(staged);
    copy.execute(`
      pragma journal_mode = delete; pragma synchronous = full;
      begin immediate; drop table backup_manifest; drop table backup_files; commit;`);
  }
  await disk.syncFolder(dirname(staged));
}

// R4
async function closeOldLedger(
  disk: Disk,
  path: string,
  aside: (name: string) => string,
): Promise<void> {
  try {
    using old = openSqlite(path);
    old.execute('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  } catch {
    // Too damaged to be opened, which may be why a backup is put back.
  }
  for (const suffix of ['-wal', '-shm']) {
    const log = `${path}${suffix}`;
    if ((await disk.stat(log)) !== undefined) await disk.rename(log, `${aside(path)}${suffix}`);
  }
}

function occupied(home: string, names: readonly string[]): AosError {
  return new AosError('restore.occupied', {
    message: `${quote(home)} holds something else already: ${names.join(', ')}`,
    fix: 'aos restore FILE --replace, which keeps what is there under other names',
    details: { names },
  });
}

function notABackup(path: string, cause?: unknown): AosError {
  return new AosError('restore.not-a-backup', {
    message: `${quote(path)} is not a backup of Agent OS`,
    fix: 'Give the file that "aos backup FILE" made',
    cause,
  });
}

function damaged(path: string, cause?: unknown): AosError {
  return new AosError('restore.damaged', {
    message: `The backup ${quote(path)} is damaged, so nothing was changed`,
    fix: 'Use another copy of it',
    cause,
  });
}
