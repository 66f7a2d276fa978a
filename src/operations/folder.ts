/**
 * What lies in `artifacts/operations/{id}`: the sealed bytes under their names, what is known of
 * them (sealed with the server's key), and who has had them. All of it is written from rows, and
 * none of it is read by us: it can be written again at any time.
 */
import { dirname, join } from 'node:path';
import { addressOfGrantee, artifactLimits } from '../kernel/agent/operation.ts';
import {
  ensureFolder,
  removeIfThere,
  removeTree,
  writeFileDurably,
} from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import { checkFileName } from '../kernel/files/names.ts';
import type { Disk, Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { readAccesses, type SealedEvent } from '../ledger/events.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import {
  type ArtifactRow,
  artifactsOf,
  type GoneWhy,
  markGone,
  markSwept,
  operationsWithArtifacts,
  unsweptArtifacts,
} from '../ledger/operations/artifacts.ts';
import { finishAgain, loggedSeq, setLoggedSeq } from '../ledger/operations/finish.ts';
import { findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import { deleteUnneededBlob, dropReferencesOf } from '../ledger/transfers/blobs.ts';
import type { OperationsDeps } from './deps.ts';

type FolderDeps = Pick<
  OperationsDeps,
  'disk' | 'random' | 'home' | 'ledger' | 'blobs' | 'serverKeys'
>;

/** Makes it say what the rows say, and tells of which: by the ids of the artifacts. */
export async function writeFolder(
  deps: FolderDeps,
  operation: OperationRow,
): Promise<readonly string[]> {
  const { disk, home, ledger } = deps;
  const rows = await artifactsOf(ledger.committed, operation.id);
  const folder = operationFolder(home, operation.id);
  if (rows.length === 0 && (await disk.stat(folder).catch(ignoreMissing)) === undefined) return [];
  await makeFolders(disk, home, sealedFolder(home, operation.id));
  for (const row of rows) await linkSealed(deps, row);
  await removeOthers(deps, operation.id, new Set(rows.map(({ name }) => `${name}${ending}`)));
  await writeMetadata(deps, operation, rows);
  await writeAccessLog(deps, operation.id);
  await disk.syncFolder(folder);
  return rows.map(({ id }) => id);
}

/** Where there is a file of the bytes, a second name of it. */
async function linkSealed({ disk, home, blobs }: FolderDeps, row: ArtifactRow): Promise<void> {
  const where = await blobs.presign(row.hash);
  if (where.kind !== 'file') return;
  const path = join(sealedFolder(home, row.operation), `${row.name}${ending}`);
  await makeFolders(disk, home, dirname(path));
  const [own, there] = [await disk.stat(where.path), await disk.stat(path)];
  if (there !== undefined && there.inode === own?.inode) return;
  // One that was replaced by another of its name.
  await removeIfThere(disk, path);
  await disk.link(where.path, path);
  await disk.syncFolder(dirname(path));
}

async function removeOthers(
  { disk, home }: FolderDeps,
  operation: string,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const root = sealedFolder(home, operation);
  const look = async (folder: string, above: string): Promise<void> => {
    for (const name of await disk.list(folder)) {
      const path = join(folder, name);
      const entry = await disk.stat(path);
      if (entry?.kind === 'folder') {
        await look(path, `${above}${name}/`);
        if ((await disk.list(path)).length === 0) await disk.remove(path);
      } else if (!wanted.has(`${above}${name}`)) await removeTree(disk, path);
    }
  };
  await look(root, '');
}

export function metadataPath(home: string, operation: string): string {
  return join(operationFolder(home, operation), 'metadata.json');
}

/** What the label of a sealed metadata.json says. */
export function metadataLabel(operation: string): string {
  return `metadata ${operation}`;
}

async function writeMetadata(
  deps: FolderDeps,
  operation: OperationRow,
  rows: readonly ArtifactRow[],
): Promise<void> {
  const { home, serverKeys } = deps;
  const { id } = operation;
  const plain = JSON.stringify(await metadataOf(deps.ledger.committed, operation, rows));
  const sealed = serverKeys.seal('metadata', metadataLabel(id), Buffer.from(plain));
  const file = { version: 1, operation_id: id, sealed };
  await writeFileDurably(deps, metadataPath(home, id), Buffer.from(`${JSON.stringify(file)}\n`));
}

async function metadataOf(
  sql: Sql,
  { id, owner, created_at }: OperationRow,
  rows: readonly ArtifactRow[],
): Promise<object> {
  const address = addressOfGrantee(owner) ?? (await findPrincipal(sql, owner))?.address;
  const ends = rows.map(({ expires_at }) => expires_at);
  return {
    operation_id: id,
    grantee_address: address,
    created_at: timeText(created_at),
    expires_at: ends.length === 0 ? null : timeText(Math.max(...ends)),
    total_size: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    artifacts: rows.map((row) => ({
      name: row.name,
      path: `artifacts/${row.name}${ending}`,
      size: row.size_bytes,
      content_type: row.content_type,
      checksum: `sha256:${row.sha256}`,
      created_at: timeText(row.created_at),
      expires_at: timeText(row.expires_at),
      id: row.id,
      e2e: row.e2e === 1,
      // One for each, because each has its own key.
      encryption_key_encrypted: row.server_key === null ? row.wrapped_key : null,
    })),
  };
}

async function folderNames(disk: Disk, home: string): Promise<readonly string[]> {
  const root = dirname(operationFolder(home, 'any'));
  return (await disk.stat(root).catch(ignoreMissing)) ? await disk.list(root) : [];
}

/** Folders of operations that are no longer known. */
export async function sweepFolders({ disk, home, ledger }: FolderDeps): Promise<void> {
  for (const id of await folderNames(disk, home)) {
    if ((await findOperation(ledger.committed, id)) !== undefined) continue;
    await removeTree(disk, operationFolder(home, id));
  }
}

/** Removes what a process that died while writing such a file has left. While none writes. */
export async function sweepPending({ disk, home }: FolderDeps): Promise<void> {
  for (const id of await folderNames(disk, home)) {
    const folder = operationFolder(home, id);
    if ((await disk.stat(folder))?.kind !== 'folder') continue;
    const names = (await disk.list(folder)).filter((name) => /^\..+\.pending$/.test(name));
    for (const name of names) await removeIfThere(disk, join(folder, name));
  }
}

const mostLogged = 1000;

/** The latest accesses, from the events; the events themselves are all of them. */
async function writeAccessLog(deps: FolderDeps, operation: string): Promise<void> {
  const { home, ledger } = deps;
  const page = { after: 0, limit: mostLogged };
  const events = (await readAccesses(ledger.committed, operation, page)).toReversed();
  const text = `${JSON.stringify({ operation_id: operation, accesses: events.map(accessOf) }, null, 2)}\n`;
  const path = join(operationFolder(home, operation), 'access_log.json');
  await writeFileDurably(deps, path, Buffer.from(text));
  const last = events.at(-1)?.seq;
  if (last !== undefined) await ledger.transact((tx) => setLoggedSeq(tx, operation, last));
}

function accessOf({ at, actor, kind, data, seq }: SealedEvent): object {
  return {
    timestamp: timeText(at),
    address: addressOfGrantee(actor) ?? actor,
    action: kind.replace(/^artifact\./, ''),
    event: seq,
    // Only we write it, as an object.
    ...(typeof data === 'string' ? (JSON.parse(data) as object) : {}),
  };
}

/** Every folder from the home on, each flushed into the one above it. */
async function makeFolders(disk: Disk, home: string, folder: string): Promise<void> {
  if (folder === home) return;
  await makeFolders(disk, home, dirname(folder));
  if (await ensureFolder(disk, folder)) await disk.syncFolder(dirname(folder));
}

// What an artifact may be called: the parts of a path below the operation's own folder.

/** Throws `artifact.bad-name`. */
export function checkArtifactName(name: string): void {
  const parts = name.split('/');
  if (parts.length > artifactLimits.nameParts) {
    throw badName(quote(name.slice(0, 80)), `it has more than ${artifactLimits.nameParts} parts`);
  }
  for (const part of parts) checkFileName(part, badName);
  if (parts.slice(0, -1).some((folder) => folder.toLowerCase().endsWith(ending))) {
    // It would stand where the sealed bytes of another one stand.
    throw badName(quote(name.slice(0, 80)), `a folder in it ends with "${ending}"`);
  }
  // A part becomes a file of its own, with an ending behind it.
  if (Buffer.byteLength(name) > artifactLimits.nameLength - ending.length) {
    throw badName(quote(name.slice(0, 80)), `it is longer than ${artifactLimits.nameLength} bytes`);
  }
}

/** Of the sealed bytes. */
const ending = '.enc';

export function badName(shown: string, rule: string): AosError {
  return new AosError('artifact.bad-name', {
    message: `${shown} cannot be an artifact: ${rule}`,
    fix: 'Give it a plain name, and leave out what is no file',
  });
}

// An artifact goes: first its row says so, with its key and who needed its bytes; then its bytes.
//
// B1. Its bytes are its own: sealed with a key that no other has, they equal no others. So they
//     need not wait to be found unneeded.
// B2. Who dies before the bytes are gone leaves a row that is not swept, and is swept later.

type GoneDeps = Pick<OperationsDeps, 'ledger' | 'blobs' | 'disk' | 'home' | 'log'>;

/** False when it is gone already. */
export async function goneIn(
  tx: Transaction,
  { id, operation, hash }: ArtifactRow,
  { why, at }: { readonly why: GoneWhy; readonly at: Instant },
): Promise<boolean> {
  if (!(await markGone(tx, id, { why, at }))) return false;
  await dropReferencesOf(tx, `artifact:${id}`);
  await deleteUnneededBlob(tx, hash);
  // What its folder says has changed.
  await finishAgain(tx, operation);
  return true;
}

/** B1. What fails is left for the next sweep. */
export async function letGo(
  { ledger, blobs, disk, home, log }: GoneDeps,
  { id, operation, name, hash }: ArtifactRow,
): Promise<void> {
  try {
    await removeIfThere(disk, join(sealedFolder(home, operation), `${name}${ending}`));
    await blobs.delete(hash);
    await ledger.transact((tx) => markSwept(tx, id));
  } catch (failure) {
    log.error({ err: failure, artifact: id }, 'the bytes of an artifact that is gone are left');
  }
}

const batchRows = 100;

// B2
export async function sweepGone(deps: GoneDeps): Promise<void> {
  for (;;) {
    const rows = await unsweptArtifacts(deps.ledger.committed, batchRows);
    for (const row of rows) await letGo(deps, row);
    if (rows.length < batchRows) return;
    const left = await unsweptArtifacts(deps.ledger.committed, 1);
    // What cannot be removed now must not be tried for ever.
    if (left[0]?.id === rows[0]?.id) return;
  }
}

function operationFolder(home: string, operation: string): string {
  return join(home, 'artifacts', 'operations', operation);
}

function sealedFolder(home: string, operation: string): string {
  return join(operationFolder(home, operation), 'artifacts');
}

// access_log.json of every operation that was accessed since it was written.

const logBatchRows = 200;

export async function writeAccessLogs(deps: OperationsDeps): Promise<void> {
  const sql = deps.ledger.committed;
  for (let after = ''; ; ) {
    const ids = await operationsWithArtifacts(sql, { after, limit: logBatchRows });
    for (const id of ids) await writeIfNew(deps, id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < logBatchRows) return;
    after = last;
  }
}

/** False where nothing was to be written. */
export async function writeIfNew(deps: OperationsDeps, id: string): Promise<boolean> {
  const sql = deps.ledger.committed;
  const page = { after: await loggedSeq(sql, id), limit: 1 };
  if ((await readAccesses(sql, id, page)).length === 0) return false;
  const folder = await deps.disk.stat(operationFolder(deps.home, id)).catch(() => undefined);
  if (folder?.kind !== 'folder') return false;
  await writeAccessLog(deps, id);
  return true;
}
