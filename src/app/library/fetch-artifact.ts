/**
 * Fetching an artifact: opened and checked as it comes, into a part that gets the name when it
 * is whole.
 *
 * A1. Nothing stands under the name that is not whole, is not what was listed, or was there
 *     before and was not to be replaced.
 * A2. A name leads below the folder that was chosen, and through no symlink there.
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { unwrapKey } from '../../blobs/seal/aosb1.ts';
import { openStream } from '../../blobs/seal/stretch.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { ensureFolder, removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { ownPrefix } from '../../kernel/files/names.ts';
import type { Disk, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { checkArtifactName } from '../../operations/folder.ts';
import type { KeyPair } from '../../security/identity/key-pair.ts';
import { makeFolders } from '../../transfer/client/targets.ts';

type Artifact = Answer<'artifacts'>['artifacts'][number];

export interface Fetching {
  readonly client: Pick<Client, 'artifactBytes'>;
  /** Of the grantee that it is sealed for. */
  readonly key: KeyPair;
  readonly operation: string;
  readonly artifact: Artifact;
  readonly signal: AbortSignal;
}

/** The plain bytes. Refused at the end where they are not those that were listed. */
export async function* openArtifact(fetching: Fetching): AsyncGenerator<Uint8Array, void, void> {
  const { client, key, operation, artifact, signal } = fetching;
  const wrapped = artifact.encryption_key_encrypted ?? '';
  const dek = unwrapKey(wrapped, { ...key, object: artifact.id });
  const { id, stream } = await client.artifactBytes(operation, artifact.name, { signal });
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const bytes of openStream(dek, sameOne(artifact, id, stream))) {
    hash.update(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes > artifact.size) throw notListed(artifact);
    yield bytes;
  }
  const isListed =
    sizeBytes === artifact.size && `sha256:${hash.digest('hex')}` === artifact.checksum;
  if (!isListed) throw notListed(artifact);
}

/** Its agent may have made another one of the same name since it was listed. */
async function* sameOne(
  { id: listed, name }: Artifact,
  id: string | undefined,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of stream) {
    if (id !== listed) throw replaced(name);
    yield bytes;
  }
}

export interface SaveDeps {
  readonly disk: Disk;
  readonly random: Random;
}

export interface SaveOptions {
  readonly dest: string;
  /** Replaces what stands there. */
  readonly force: boolean;
}

/** Where it lies then. */
export async function saveArtifact(
  deps: SaveDeps,
  fetching: Fetching,
  { dest, force }: SaveOptions,
): Promise<string> {
  const { name } = fetching.artifact;
  checkArtifactName(name);
  const folder = resolve(dest);
  await makeFolders(deps.disk, folder);
  const whole = join(folder, name);
  // The folder that was chosen may be a symlink to one.
  await inFolder(deps.disk, `${folder}/.`, name.split('/'), (held, last) =>
    saveIn(deps, fetching, { held, last, force, whole }),
  );
  return whole;
}

// A2
async function inFolder(
  disk: Disk,
  folder: string,
  [first = '', ...rest]: readonly string[],
  work: (held: string, last: string) => Promise<void>,
): Promise<void> {
  await using held = await disk.holdFolder(folder);
  if (rest.length === 0) return await work(held.path, first);
  const below = join(held.path, first);
  await ensureFolder(disk, below);
  await inFolder(disk, below, rest, work);
}

interface Place {
  readonly held: string;
  readonly last: string;
  readonly force: boolean;
  readonly whole: string;
}

// A1
async function saveIn(
  { disk, random }: SaveDeps,
  fetching: Fetching,
  { held, last, force, whole }: Place,
): Promise<void> {
  const path = join(held, last);
  if (!force && (await disk.stat(path)) !== undefined) throw taken(whole);
  const mark = Buffer.from(random.bytes(8)).toString('hex');
  const part = join(held, `${ownPrefix}${mark}.part`);
  try {
    await write(disk, part, openArtifact(fetching));
    if (force) await disk.rename(part, path);
    else await disk.link(part, path);
  } catch (failure) {
    throw !force && isTaken(failure) ? taken(whole) : failure;
  } finally {
    await removeIfThere(disk, part);
  }
  // What is held is reached by a symlink, where the system has such paths.
  await disk.syncFolder(`${held}/.`);
}

async function write(disk: Disk, path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await using writer = await disk.create(path);
  for await (const piece of bytes) await writer.append(piece);
  await writer.sync();
}

function taken(path: string): AosError {
  return new AosError('artifact.exists', {
    message: `Something stands at ${quote(path)} already, and nothing is replaced`,
    fix: 'Replace it with --force, or download it elsewhere with --dest',
  });
}

function replaced(name: string): AosError {
  return new AosError('artifact.unknown', {
    message: `The artifact ${quote(name)} was replaced by another one while it was fetched`,
    fix: 'Download it again',
  });
}

function notListed({ name }: Artifact): AosError {
  return new AosError('blob.corrupt', {
    message: `The bytes of ${quote(name)} are not those that were listed`,
    fix: 'Download it again; if that does not help, submit the operation again',
  });
}
