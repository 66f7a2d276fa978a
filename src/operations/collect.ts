/**
 * What an agent has left in `artifacts/` of its workspace, when its operation is done.
 *
 * C1. Everything is looked at before anything is stored: what is too much, too large or no file
 *     fails the operation with nothing of the folder stored.
 * C2. Run again after a crash, what is stored already is left as it is.
 * C3. Folders are held and files opened without following symlinks: whatever an agent has put
 *     there, nothing from elsewhere becomes an artifact.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { artifactLimits } from '../kernel/agent/operation.ts';
import { hasSameContent } from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk, FileReader } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { type ArtifactRow, artifactsOf, findArtifact } from '../ledger/operations/artifacts.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { workspaceOf } from '../security/agent-folders.ts';
import type { OperationsDeps } from './deps.ts';
import { expiryOf } from './expire.ts';
import { badName, checkArtifactName } from './folder.ts';
import { storeArtifact, tooLarge, tooMany } from './store-artifact.ts';

export async function collectArtifacts(
  deps: OperationsDeps,
  operation: OperationRow,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(workspaceOf(deps.home, operation.agent), 'artifacts');
  const entry = await deps.disk.stat(folder).catch(ignoreMissing);
  if (entry === undefined) return;
  if (entry.kind !== 'folder') throw badName(quote('artifacts'), 'it is no folder');
  // C1
  const found = await filesIn(deps.disk, folder);
  const there = new Set((await artifactsOf(deps.ledger.committed, operation.id)).map(nameOf));
  const names = new Set([...found, ...there]);
  if (names.size > artifactLimits.mostCount) throw tooMany(artifactLimits.mostCount);
  for (const name of found) {
    signal.throwIfAborted();
    await collectOne(deps, operation, { folder, name });
  }
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** Names from the folder on, in their order. */
async function filesIn(disk: Disk, folder: string, above = ''): Promise<readonly string[]> {
  await using held = await disk.holdFolder(folder);
  const found: string[] = [];
  for (const part of await disk.list(held.path)) {
    const name = `${above}${part}`;
    const path = join(held.path, part);
    checkArtifactName(name);
    const entry = await disk.stat(path);
    if (entry?.kind === 'folder') found.push(...(await filesIn(disk, path, `${name}/`)));
    else if (entry?.kind !== 'file') throw badName(quote(name), 'it is no file');
    else if (entry.sizeBytes > artifactLimits.mostBytes) throw tooLarge(name);
    else found.push(name);
    if (found.length > artifactLimits.mostCount) throw tooMany(artifactLimits.mostCount);
  }
  return found;
}

async function collectOne(
  deps: OperationsDeps,
  operation: OperationRow,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<void> {
  await using reader = await openBelow(deps.disk, folder, name.split('/'));
  // C2
  const stored = await findArtifact(deps.ledger.committed, operation.id, name);
  if (stored?.gone_at === null && stored.sha256 === (await sha256Of(reader))) return;
  const expiresAt = await expiryOf(deps, operation);
  await storeArtifact(deps, operation, { name, content: bytesOf(reader), expiresAt });
}

// C3
async function openBelow(
  disk: Disk,
  folder: string,
  parts: readonly string[],
): Promise<FileReader> {
  const [first = '', ...rest] = parts;
  await using held = await disk.holdFolder(folder);
  const path = join(held.path, first);
  return rest.length === 0 ? await disk.read(path) : await openBelow(disk, path, rest);
}

const stepBytes = 1024 * 1024;

/** All of it, of one moment: it fails at its end where the file was written to meanwhile. */
export async function* bytesOf(reader: FileReader): AsyncGenerator<Uint8Array, void, void> {
  const identity = await reader.identity();
  for (let offset = 0; ; ) {
    const bytes = await reader.readAt(offset, stepBytes);
    if (bytes.length === 0) break;
    offset += bytes.length;
    yield bytes;
  }
  if (!hasSameContent(identity, await reader.identity())) {
    throw new AosError('file.changed', {
      message: 'The file was changed while it was read, so nothing of it was stored',
      fix: 'Try again when nobody writes to it',
    });
  }
}

async function sha256Of(reader: FileReader): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of bytesOf(reader)) hash.update(bytes);
  return hash.digest('hex');
}

// The artifacts of an operation as they are told to people: seed 002's ArtifactCollection.

export interface ArtifactCollection {
  readonly count: number;
  /** Of the plain bytes of all. */
  readonly total_size: number;
  readonly artifacts: readonly ArtifactMetadata[];
}

interface ArtifactMetadata {
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: string;
  readonly download_url: string;
  readonly checksum: string;
  readonly id: string;
  readonly expires_at: string;
  readonly e2e: boolean;
  readonly encryption_key_encrypted: string | null;
}

/** With the keys for whom they are wrapped. */
export function collectionOf(rows: readonly ArtifactRow[], isOwn: boolean): ArtifactCollection {
  return {
    count: rows.length,
    total_size: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    artifacts: rows.map((row) => metadataOf(row, isOwn)),
  };
}

function metadataOf(row: ArtifactRow, isOwn: boolean): ArtifactMetadata {
  const { operation, name } = row;
  return {
    name,
    size: row.size_bytes,
    content_type: row.content_type,
    created_at: timeText(row.created_at),
    download_url: `/api/v1/operations/${operation}/artifacts/${encodeURIComponent(name)}`,
    checksum: `sha256:${row.sha256}`,
    id: row.id,
    expires_at: timeText(row.expires_at),
    e2e: row.e2e === 1,
    encryption_key_encrypted: keyFor(row, isOwn),
  };
}

/** What the server can open belongs to no grantee yet. */
export function keyFor(row: ArtifactRow, isOwn: boolean): string | null {
  return isOwn && row.server_key === null ? row.wrapped_key : null;
}
