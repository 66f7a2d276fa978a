/**
 * Storing one artifact: sealed as it is read, never whole in memory, and never plain on the disk.
 *
 * A1. Its key is made for it alone, and is nowhere but in the wrap that the row has.
 * A2. The bytes have their name and are flushed before the row is written. Who dies in between
 *     leaves bytes that cannot be opened and that are swept.
 * A3. For whom the key is wrapped is looked up in the transaction of the row: a public key that
 *     becomes known meanwhile is used, or re-wraps the row (rotate.ts); never neither.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { wrapKey } from '../blobs/seal/aosb1.ts';
import { sealStream } from '../blobs/seal/stretch.ts';
import { addressOfGrantee, artifactLimits } from '../kernel/agent/operation.ts';
import { hasSameContent } from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import { mimeTypeOf } from '../kernel/files/names.ts';
import { newId } from '../kernel/new-id.ts';
import type { Disk, FileReader, Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import {
  type ArtifactRow,
  artifactsOf,
  countArtifacts,
  findArtifact,
  insertArtifact,
  type NewArtifact,
} from '../ledger/operations/artifacts.ts';
import { findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import { addBlobReference, needBlob } from '../ledger/transfers/blobs.ts';
import { isOver } from '../runtime/submit.ts';
import { workspaceOf } from '../security/agent-folders.ts';
import type { OperationsDeps } from './deps.ts';
import { expiryOf } from './expire.ts';
import { badName, checkArtifactName, goneIn, letGo } from './folder.ts';

/** What an agent has made, before it is sealed. */
export interface ArtifactContent {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** A guess by the name where nothing is said. */
  readonly contentType?: string | undefined;
}

type StoreDeps = Pick<
  OperationsDeps,
  'ledger' | 'clock' | 'random' | 'blobs' | 'serverKeys' | 'disk' | 'home' | 'log'
>;

/** In the place of one of the same name. Throws `artifact.*` when it may not be stored. */
export async function storeArtifact(
  deps: StoreDeps,
  operation: Pick<OperationRow, 'id' | 'owner'>,
  artifact: ArtifactContent & { readonly expiresAt: Instant },
): Promise<ArtifactRow> {
  const { ledger, clock, random, blobs } = deps;
  checkArtifactName(artifact.name);
  await checkCount(ledger.committed, operation.id, artifact.name);
  const id = newId(clock.now(), random);
  // A1
  const dek = random.bytes(32);
  const tally = new Tally(artifact.name);
  const { hash, sizeBytes } = await blobs.put(sealStream(dek, tally.of(artifact.content)));
  const { name, contentType = mimeTypeOf(name) ?? 'application/octet-stream' } = artifact;
  const { replaced, stored } = await ledger.transact(async (tx) => {
    const row: NewArtifact = {
      ...{ id, operation: operation.id, name, content_type: contentType, ...tally.measured() },
      ...{ hash, stored_bytes: sizeBytes, created_at: clock.now() },
      expires_at: artifact.expiresAt,
      // A3
      ...(await wrapFor(deps, tx, operation.owner, { id, dek })),
    };
    return { stored: row, replaced: await writeRow(tx, row) };
  });
  if (replaced !== undefined) await letGo(deps, replaced);
  return { ...stored, gone_at: null, gone_why: null };
}

async function writeRow(tx: Transaction, row: NewArtifact): Promise<ArtifactRow | undefined> {
  const { id, operation, name, hash, stored_bytes, created_at: at } = row;
  const current = await findOperation(tx, operation);
  if (current === undefined || current.ended_at !== null) throw over(operation, current);
  const before = await findArtifact(tx, operation, name);
  const replaced = before?.gone_at === null ? before : undefined;
  if (replaced !== undefined) await goneIn(tx, replaced, { why: 'replaced', at });
  await checkCount(tx, operation, name);
  await checkPlace(tx, operation, name);
  await needBlob(tx, { hash, sizeBytes: stored_bytes, at });
  await addBlobReference(tx, { hash, referrer: `artifact:${id}`, at, expiresAt: row.expires_at });
  await insertArtifact(tx, row);
  await tx.record({
    actor: `agent:${current.agent}`,
    kind: 'artifact.stored',
    subject: `operation:${operation}`,
    data: { artifact: id, name, size: row.size_bytes, e2e: row.e2e === 1 },
  });
  return replaced;
}

async function checkCount(sql: Sql, operation: string, name: string): Promise<void> {
  const { mostCount } = artifactLimits;
  const before = await findArtifact(sql, operation, name);
  const others = (await countArtifacts(sql, operation)) - (before?.gone_at === null ? 1 : 0);
  if (others < mostCount) return;
  throw tooMany(mostCount);
}

/** A caller that downloads all of them has to be able to: a name is a file or a folder, and not both. */
async function checkPlace(sql: Sql, operation: string, name: string): Promise<void> {
  for (const { name: other } of await artifactsOf(sql, operation)) {
    if (!other.startsWith(`${name}/`) && !name.startsWith(`${other}/`)) continue;
    throw badName(quote(name.slice(0, 80)), `${quote(other.slice(0, 80))} is there already`);
  }
}

export function tooMany(mostCount: number): AosError {
  return new AosError('artifact.too-many', {
    message: `An operation may make ${mostCount} artifacts, and this one makes more`,
    fix: 'Pack several into one',
    details: { limit: mostCount },
  });
}

/** A grantee that has no public key yet gets it later: until then the server can open it. */
async function wrapFor(
  { random, serverKeys }: Pick<StoreDeps, 'random' | 'serverKeys'>,
  sql: Sql,
  owner: string,
  { id, dek }: { readonly id: string; readonly dek: Uint8Array },
): Promise<Pick<ArtifactRow, 'wrapped_key' | 'server_key' | 'e2e'>> {
  const principal = await findPrincipal(sql, owner);
  if (principal === undefined) throw new Error(`an operation of ${owner}, whom nobody knows`);
  const { address, public_key: publicKey } = principal;
  if (publicKey === '') {
    const wrapped_key = serverKeys.seal('artifact-key', id, dek);
    return { wrapped_key, server_key: serverKeys.keyOf(wrapped_key), e2e: 0 };
  }
  const wrapped_key = wrapKey(random, dek, { publicKey, address, object: id });
  // The keys of agents and of the owner lie in this home.
  return { wrapped_key, server_key: null, e2e: addressOfGrantee(owner) === undefined ? 0 : 1 };
}

/** Counts and hashes what passes, and stops what is too much. */
class Tally {
  readonly #name: string;
  readonly #hash = createHash('sha256');
  #sizeBytes = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async *of(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const bytes of content) {
      this.#sizeBytes += bytes.length;
      if (this.#sizeBytes > artifactLimits.mostBytes) throw tooLarge(this.#name);
      this.#hash.update(bytes);
      yield bytes;
    }
  }

  measured(): Pick<ArtifactRow, 'size_bytes' | 'sha256'> {
    return { size_bytes: this.#sizeBytes, sha256: this.#hash.copy().digest('hex') };
  }
}

export function tooLarge(name: string): AosError {
  const { mostBytes } = artifactLimits;
  return new AosError('artifact.too-large', {
    message: `The artifact ${quote(name.slice(0, 80))} has more than the ${mostBytes} bytes that one may have`,
    fix: 'Divide it, or compress it',
    details: { limit_bytes: mostBytes },
  });
}

function over(id: string, row: OperationRow | undefined): AosError {
  if (row !== undefined) return isOver(row);
  return new AosError('operation.unknown', { message: `There is no operation ${quote(id)}` });
}

// What an agent has left in `artifacts/` of its workspace, when its operation is done.
//
// C1. Everything is looked at before anything is stored: what is too much, too large or no file
//     fails the operation with nothing of the folder stored.
// C2. Run again after a crash, what is stored already is left as it is.
// C3. Folders are held and files opened without following symlinks: whatever an agent has put
//     there, nothing from elsewhere becomes an artifact.

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
