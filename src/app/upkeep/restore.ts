/**
 * Putting a backup back. The caller holds the home's lock, and no daemon runs.
 *
 * R1. Everything is looked at before anything is changed, and in the copy that will take
 *     the ledger's place: whose file it is, whether it is whole, whether it is what this
 *     program writes, whether the owner's key will be there. Any program may have written it.
 * R2. What is replaced is kept beside its place under another name, never removed.
 * R3. The ledger takes its place by one rename, after its keys: a crash before it leaves
 *     the old ledger, one after it the new one.
 * R4. A log that belongs to an old ledger must not lie beside the new one, which would
 *     take it for its own, also where that old ledger itself is gone. So an old ledger is
 *     closed with its log moved in; a log that is left after that is moved away last.
 */
import { join } from 'node:path';
import { readWholeFile, writeFileDurably } from '../../kernel/disk/durable-file.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskView, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { openSqlite } from '../../ledger/sqlite/database.ts';
import { keysFolder, loadKey } from '../../security/identity/key-file.ts';
import { loadConfig } from '../config/config.ts';
import { longestFileBytes, sealedKeysName } from './backup.ts';
import { damaged, examineBackup, type NamedFiles, stageBackup } from './read-backup.ts';
import { type KeyFiles, openKeys } from './sealed-keys.ts';

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
  /** What was not put back, and why, in sentences. */
  readonly warnings: readonly string[];
}

const logSuffixes = ['-wal', '-shm', '-journal'];

export async function restoreHome(
  deps: RestoreDeps,
  home: string,
  { path, passphrase, replace }: RestoreRequest,
): Promise<RestoreSummary> {
  const { disk, clock } = deps;
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
  const staged = join(home, 'tmp', `restore-${stamp}.db`);
  try {
    // R1
    await stageBackup(disk, path, staged);
    const { events, madeAt, files, owner } = await examineBackup(deps, staged, path);
    const sealed = files.get(sealedKeysName);
    const keys = sealed && passphrase !== undefined ? openKeys(sealed, passphrase) : undefined;
    await refuseWithoutKey(disk, home, { path, owner, keys, sealed });
    const config = await checkConfig(files, path);
    const wanted = new Map([...underKeys(keys), ...config.good]);
    const ledgerFiles = await present(disk, home, ledgerNames);
    const differing = await differingFrom(disk, home, wanted);
    const inTheWay = [...ledgerFiles, ...differing];
    if (inTheWay.length > 0 && !replace) throw occupied(home, inTheWay);

    dropBackupTables(staged);
    const place = { home, staged, wanted, differing, suffix: `.before-restore-${stamp}` };
    return {
      events,
      made_at: new Date(madeAt).toISOString(),
      keys: keysSummary(sealed !== undefined, passphrase),
      moved_aside: await putInPlace(deps, place),
      warnings: config.warnings,
    };
  } finally {
    for (const suffix of ['', ...logSuffixes]) {
      if ((await disk.stat(staged + suffix)) !== undefined) await disk.remove(staged + suffix);
    }
  }
}

const ledgerNames = ['ledger.db', ...logSuffixes.map((suffix) => `ledger.db${suffix}`)];

function keysSummary(there: boolean, passphrase: string | undefined): RestoreSummary['keys'] {
  if (!there) return 'not in the backup';
  return passphrase === undefined ? 'left as they are' : 'restored';
}

function underKeys(keys: KeyFiles | undefined): [string, Uint8Array][] {
  return Array.from(keys ?? [], ([name, bytes]) => [join('keys', name), bytes]);
}

interface KeyFacts {
  readonly path: string;
  readonly owner: string;
  /** As far as the passphrase opened them. */
  readonly keys: KeyFiles | undefined;
  readonly sealed: Uint8Array | undefined;
}

/** Without its owner's key the home would not open any more. */
async function refuseWithoutKey(
  disk: Disk,
  home: string,
  { path, owner, keys, sealed }: KeyFacts,
): Promise<void> {
  const fromBackup = keys?.get('owner.key');
  if (fromBackup !== undefined) return refuseOtherKey(fromBackup, owner, path);
  const key = await loadKey(disk, keysFolder(home), 'owner');
  if (key?.address === owner) return;
  const put = `put the owner's key back as ${quote(join(home, 'keys', 'owner.key'))} first`;
  throw new AosError('restore.no-key', {
    message: `The home in ${quote(path)} belongs to ${owner}, whose key is not here, so nothing was changed`,
    fix:
      sealed === undefined
        ? `The backup holds no keys: ${put}`
        : `Give --passphrase-file FILE, which opens the keys in the backup, or ${put}`,
    details: { owner },
  });
}

async function refuseOtherKey(bytes: Uint8Array, owner: string, path: string): Promise<void> {
  try {
    if ((await loadKey(viewOf(bytes), '', 'owner'))?.address === owner) return;
  } catch (cause) {
    throw damaged(path, 'Its key of the owner is none', cause);
  }
  throw damaged(path, 'Its key of the owner is of somebody else');
}

interface CheckedConfig {
  readonly good: readonly (readonly [string, Uint8Array])[];
  readonly warnings: readonly string[];
}

/** Settings that this program does not understand would stop every command; the ledger matters more. */
async function checkConfig(files: NamedFiles, path: string): Promise<CheckedConfig> {
  const bytes = files.get('config.json');
  if (bytes === undefined) return { good: [], warnings: [] };
  const flags = [{ key: 'home', text: path, flag: '--home' }] as const;
  try {
    await loadConfig({ view: viewOf(bytes), environment: {}, flags });
    return { good: [['config.json', bytes]], warnings: [] };
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    return { good: [], warnings: [`config.json was not put back. ${failure.message}`] };
  }
}

/** A disk that holds these bytes under every name. */
function viewOf(bytes: Uint8Array): DiskView {
  const sizeBytes = bytes.length;
  const identity = { sizeBytes, modifiedNs: '0', modifiedAt: 0, inode: '0', device: '0', links: 1 };
  return {
    list: async () => [],
    readLink: async (path) => Promise.reject(diskError('EINVAL', path)),
    stat: async () => ({ ...identity, kind: 'file', mode: 0o600, ownerUid: 0, ownerGid: 0 }),
    read: async () => ({
      readAt: async (offset, length) => bytes.subarray(offset, offset + length),
      sizeBytes: async () => sizeBytes,
      identity: async () => identity,
      [Symbol.asyncDispose]: async () => {},
    }),
  };
}

async function present(disk: Disk, home: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    if ((await disk.stat(join(home, name))) !== undefined) found.push(name);
  }
  return found;
}

async function differingFrom(disk: Disk, home: string, wanted: NamedFiles): Promise<string[]> {
  const found: string[] = [];
  for (const name of await present(disk, home, [...wanted.keys()])) {
    const there = await readWholeFile(disk, join(home, name), longestFileBytes);
    if (!Buffer.from(there).equals(wanted.get(name) ?? there)) found.push(name);
  }
  return found;
}

function dropBackupTables(staged: string): void {
  using copy = openSqlite(staged);
  copy.execute(`
    pragma synchronous = full;
    begin immediate; drop table backup_manifest; drop table backup_files; commit;`);
}

interface Placing {
  readonly home: string;
  readonly staged: string;
  readonly wanted: NamedFiles;
  /** What of the wanted stands there with other bytes. */
  readonly differing: readonly string[];
  /** Behind the names of what is moved aside. */
  readonly suffix: string;
}

/** Resolves to what was moved aside, by its new name. */
async function putInPlace(
  deps: RestoreDeps,
  { home, staged, wanted, differing, suffix }: Placing,
): Promise<string[]> {
  const { disk } = deps;
  const ledger = join(home, 'ledger.db');
  await closeOldLedger(disk, ledger);
  const linked = [...(await present(disk, home, ['ledger.db'])), ...differing];
  for (const name of linked) await disk.link(join(home, name), join(home, name + suffix));
  // R3
  for (const [name, bytes] of wanted) await writeFileDurably(deps, join(home, name), bytes);
  await disk.syncFolder(`${home}/.`);
  const logs = await moveLogsAside(disk, home, suffix);
  await disk.syncFolder(`${home}/.`);
  await disk.rename(staged, ledger);
  await disk.syncFolder(`${home}/.`);
  return [...linked.map((name) => name + suffix), ...logs];
}

// R4
async function closeOldLedger(disk: Disk, path: string): Promise<void> {
  // SQLite would remove the log of a ledger that is empty.
  if (((await disk.stat(path))?.sizeBytes ?? 0) === 0) return;
  try {
    using old = openSqlite(path);
    old.execute('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  } catch (failure) {
    // Else it is too damaged to be opened, which may be why a backup is put back.
    if (failure instanceof AosError && canBeMended.includes(failure.code)) throw failure;
  }
}

const canBeMended: readonly string[] = ['ledger.busy', 'ledger.full'];

// R4: beside the ledger that it belongs to, under whose new name SQLite finds it.
async function moveLogsAside(disk: Disk, home: string, suffix: string): Promise<string[]> {
  const moved: string[] = [];
  for (const log of logSuffixes) {
    if ((await disk.stat(join(home, `ledger.db${log}`))) === undefined) continue;
    const aside = `ledger.db${suffix}${log}`;
    await disk.rename(join(home, `ledger.db${log}`), join(home, aside));
    moved.push(aside);
  }
  return moved;
}

function occupied(home: string, names: readonly string[]): AosError {
  return new AosError('restore.occupied', {
    message: `${quote(home)} holds something else already: ${names.join(', ')}`,
    fix: 'aos restore FILE --replace, which keeps what is there under other names',
    details: { names },
  });
}
