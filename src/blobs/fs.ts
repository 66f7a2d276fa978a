/**
 * Bytes under the SHA-256 of what they are, as files: `{root}/{ab}/{sha256}`.
 *
 * R1. A file under such a name is whole and safe from power loss before put() answers: it is
 *     written elsewhere, flushed, and then gets its name.
 * R2. Bytes that are there already are put again in place of the old file, which they equal:
 *     so whoever removes what nobody has asked for lately sees how young it is.
 * R3. What is read is hashed on the way. The last bytes are handed out only when all were
 *     right, so that nobody takes damaged bytes for the whole.
 */
import { createHash } from 'node:crypto';
import { isMissing, isTaken } from '../kernel/disk-errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk, FileReader, Instant, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/quote.ts';

export interface FileBlobsDeps {
  readonly disk: Disk;
  readonly random: Random;
}

export interface FileBlobsPlace {
  readonly root: string;
  /** For what is not whole yet; on the same file system as the root. */
  readonly temporary: string;
}

export interface StoredBlob {
  /** 64 hex digits. */
  readonly hash: string;
  readonly sizeBytes: number;
}

export interface ListedBlob extends StoredBlob {
  /** When it was put last. */
  readonly putAt: Instant;
}

export interface OpenBlob {
  readonly sizeBytes: number;
  /** Throws `blob.corrupt` at its end when the bytes are not those of the hash (R3). */
  readonly stream: AsyncGenerator<Uint8Array, void, void>;
}

const stepBytes = 1024 * 1024;

export class FileBlobs {
  readonly #deps: FileBlobsDeps;
  readonly #place: FileBlobsPlace;

  constructor(deps: FileBlobsDeps, place: FileBlobsPlace) {
    this.#deps = deps;
    this.#place = place;
  }

  async put(source: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const { disk, random } = this.#deps;
    const name = Buffer.from(random.bytes(16)).toString('hex');
    const pending = `${this.#place.temporary}/${name}.blob`;
    try {
      const stored = await this.#fill(pending, source);
      await this.#name(pending, stored.hash);
      return stored;
    } catch (failure) {
      // What is left there is swept at the start; the first failure is the one to hear of.
      await disk.remove(pending).catch(() => {});
      throw failure;
    }
  }

  async #fill(path: string, source: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    await using writer = await this.#deps.disk.create(path);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of source) {
      hash.update(bytes);
      await writer.append(bytes);
      sizeBytes += bytes.length;
    }
    // R1
    await writer.sync();
    return { hash: hash.digest('hex'), sizeBytes };
  }

  // R1, R2
  async #name(pending: string, hash: string): Promise<void> {
    const { disk } = this.#deps;
    const folder = this.#folderOf(hash);
    await ensureFolder(disk, folder);
    // A held folder is no symlink, whoever may have put one there.
    await using held = await disk.holdFolder(folder);
    await disk.rename(pending, `${held.path}/${hash}`);
    await disk.syncFolder(folder);
    // Also when the folder was there: who made it may have died before this line.
    await disk.syncFolder(this.#place.root);
  }

  async open(hash: string): Promise<OpenBlob> {
    const stored = await this.stat(hash);
    if (stored === undefined) throw missing(hash);
    return { sizeBytes: stored.sizeBytes, stream: this.#read(hash) };
  }

  async *#read(hash: string): AsyncGenerator<Uint8Array, void, void> {
    await using reader = await this.#reader(hash);
    const found = createHash('sha256');
    let held: Uint8Array | undefined;
    for (let offset = 0; ; ) {
      const bytes = await reader.readAt(offset, stepBytes);
      if (bytes.length === 0) break;
      offset += bytes.length;
      found.update(bytes);
      if (held !== undefined) yield held;
      held = bytes;
    }
    // R3
    if (found.digest('hex') !== hash) throw corrupt(hash);
    if (held !== undefined) yield held;
  }

  async #reader(hash: string): Promise<FileReader> {
    try {
      return await this.#deps.disk.read(`${this.#folderOf(hash)}/${hash}`);
    } catch (failure) {
      throw isMissing(failure) ? missing(hash) : failure;
    }
  }

  /** Undefined when there is none, or something else than a file stands there. */
  async stat(hash: string): Promise<ListedBlob | undefined> {
    if (!isHash(hash)) return undefined;
    const entry = await this.#deps.disk.stat(`${this.#folderOf(hash)}/${hash}`);
    if (entry?.kind !== 'file') return undefined;
    return { hash, sizeBytes: entry.sizeBytes, putAt: entry.modifiedAt };
  }

  /** False when it was not there. */
  async remove(hash: string): Promise<boolean> {
    if ((await this.stat(hash)) === undefined) return false;
    try {
      await this.#deps.disk.remove(`${this.#folderOf(hash)}/${hash}`);
      return true;
    } catch (failure) {
      if (isMissing(failure)) return false;
      throw failure;
    }
  }

  /** In the order of their hashes; in memory are the names of one folder at a time. */
  async *list(): AsyncGenerator<ListedBlob, void, void> {
    const { disk } = this.#deps;
    for (const folder of await namesIn(disk, this.#place.root)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for (const hash of await namesIn(disk, `${this.#place.root}/${folder}`)) {
        if (!hash.startsWith(folder)) continue;
        const found = await this.stat(hash);
        if (found !== undefined) yield found;
      }
    }
  }

  #folderOf(hash: string): string {
    return `${this.#place.root}/${hash.slice(0, 2)}`;
  }
}

/** Before it becomes part of a path. */
function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

async function ensureFolder(disk: Disk, path: string): Promise<void> {
  try {
    await disk.makeFolder(path);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
  }
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  // A symlink could lead anywhere.
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

function missing(hash: string): AosError {
  return new AosError('blob.missing', {
    message: `No bytes with the SHA-256 ${quote(hash.slice(0, 80))} are stored here`,
    fix: 'Check the hash, or send the bytes again',
  });
}

function corrupt(hash: string): AosError {
  return new AosError('blob.corrupt', {
    message: `The bytes stored as ${quote(hash)} are damaged: they have another SHA-256 now`,
    fix: 'Restore them from a backup, or send them again, which mends them',
    details: { hash },
  });
}
