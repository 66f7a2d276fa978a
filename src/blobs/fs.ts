/**
 * Bytes under the SHA-256 of what they are, as files: `{root}/{ab}/{sha256}`.
 *
 * R1. A file under such a name is whole and safe from power loss before put() answers: it is
 *     written elsewhere, flushed, and then gets its name.
 * R2. Bytes that are there already are put again in place of the old file, which they equal: so the
 *     sweep, which removes what no row needs, sees how young it is.
 * R3. What is read as a whole is hashed on the way. The last bytes are handed out only when all
 *     were right, so that no reader takes damaged bytes for the whole.
 * R4. Of one hash, naming and deleting happen one after the other: what delete() has found to be
 *     old is not replaced by something young before it is gone. So a root has one FileBlobs.
 */
import { createHash } from 'node:crypto';
import { ensureFolder } from '../kernel/disk/durable-file.ts';
import { ignoreMissing, isMissing } from '../kernel/disk/errors.ts';
import type { Disk, FileReader, Random } from '../kernel/ports.ts';
import {
  type Blobs,
  type ByteRange,
  corruptBlob,
  type DeleteOptions,
  isHash,
  type ListedBlob,
  missingBlob,
  type OpenBlob,
  type Presigned,
  type StoredBlob,
} from './blobs.ts';

export interface FileBlobsDeps {
  readonly disk: Disk;
  readonly random: Random;
}

export interface FileBlobsPlace {
  readonly root: string;
  /** For what is not whole yet; on the same file system as the root. */
  readonly temporary: string;
}

const stepBytes = 1024 * 1024;

export class FileBlobs implements Blobs {
  readonly #deps: FileBlobsDeps;
  readonly #place: FileBlobsPlace;
  /** R4: for each hash the last that was begun. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(deps: FileBlobsDeps, place: FileBlobsPlace) {
    this.#deps = deps;
    this.#place = place;
  }

  put(source: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    return this.#named(async (pending) => {
      const stored = await this.#fill(pending, source);
      await this.#name(pending, stored.hash);
      return stored;
    });
  }

  /**
   * Gives a file that lies elsewhere on this file system, and is flushed, its name here too; its
   * old name stays. What was changed in it later would be changed here.
   */
  async adopt(path: string, hash: string): Promise<void> {
    if (!isHash(hash)) throw missingBlob(hash);
    await this.#named(async (pending) => {
      await this.#deps.disk.link(path, pending);
      await this.#name(pending, hash);
      // To rename one name of a file over another name of it leaves both.
      await this.#deps.disk.remove(pending).catch(ignoreMissing);
    });
  }

  /** Whether adopt() would put that file in the place of another one. */
  async wouldReplace(path: string, hash: string): Promise<boolean> {
    if (!isHash(hash)) throw missingBlob(hash);
    const there = await this.#deps.disk.stat(this.#pathOf(hash)).catch(ignoreMissing);
    const own = await this.#deps.disk.stat(path);
    return there !== undefined && there.inode !== own?.inode;
  }

  async #named<T>(work: (pending: string) => Promise<T>): Promise<T> {
    const { disk, random } = this.#deps;
    const name = Buffer.from(random.bytes(16)).toString('hex');
    const pending = `${this.#place.temporary}/${name}.blob`;
    try {
      return await work(pending);
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
  #name(pending: string, hash: string): Promise<void> {
    return this.#inTurn(hash, async () => {
      const { disk } = this.#deps;
      const folder = this.#folderOf(hash);
      await ensureFolder(disk, folder);
      // A held folder is no symlink, even where another process has put one there.
      await using held = await disk.holdFolder(folder);
      await disk.rename(pending, `${held.path}/${hash}`);
      await disk.syncFolder(folder);
      // Also when the folder was there: who made it may have died before this line.
      await disk.syncFolder(this.#place.root);
    });
  }

  async get(hash: string, range: ByteRange = {}): Promise<OpenBlob> {
    const stored = await this.stat(hash);
    if (stored === undefined) throw missingBlob(hash);
    const { sizeBytes } = stored;
    const from = Math.min(range.from ?? 0, sizeBytes);
    const to = Math.min(range.to ?? sizeBytes, sizeBytes);
    const isWhole = from === 0 && to === sizeBytes;
    return { sizeBytes, stream: isWhole ? this.#read(hash) : this.#readPart(hash, from, to) };
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
    if (found.digest('hex') !== hash) throw corruptBlob(hash);
    if (held !== undefined) yield held;
  }

  async *#readPart(hash: string, from: number, to: number) {
    await using reader = await this.#reader(hash);
    for (let offset = from; offset < to; ) {
      const bytes = await reader.readAt(offset, Math.min(stepBytes, to - offset));
      if (bytes.length === 0) throw corruptBlob(hash, 'some of them are missing');
      offset += bytes.length;
      yield bytes;
    }
  }

  async #reader(hash: string): Promise<FileReader> {
    try {
      return await this.#deps.disk.read(this.#pathOf(hash));
    } catch (failure) {
      throw isMissing(failure) ? missingBlob(hash) : failure;
    }
  }

  /** Undefined also when something else than a file stands there. */
  async stat(hash: string): Promise<ListedBlob | undefined> {
    if (!isHash(hash)) return undefined;
    const entry = await this.#deps.disk.stat(this.#pathOf(hash));
    if (entry?.kind !== 'file') return undefined;
    return { hash, sizeBytes: entry.sizeBytes, putAt: entry.modifiedAt };
  }

  delete(hash: string, { putBefore = Number.POSITIVE_INFINITY }: DeleteOptions = {}) {
    return this.#inTurn(hash, async (): Promise<boolean> => {
      const stored = await this.stat(hash);
      if (stored === undefined || stored.putAt >= putBefore) return false;
      try {
        await this.#deps.disk.remove(this.#pathOf(hash));
        return true;
      } catch (failure) {
        if (isMissing(failure)) return false;
        throw failure;
      }
    });
  }

  /** In memory are the names of one folder at a time. */
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

  async presign(hash: string): Promise<Presigned> {
    if ((await this.stat(hash)) === undefined) throw missingBlob(hash);
    return { kind: 'file', path: this.#pathOf(hash) };
  }

  // R4
  async #inTurn<T>(hash: string, work: () => Promise<T>): Promise<T> {
    const before = this.#underWay.get(hash) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#underWay.set(hash, turn);
    try {
      return await turn;
    } finally {
      if (this.#underWay.get(hash) === turn) this.#underWay.delete(hash);
    }
  }

  #pathOf(hash: string): string {
    return `${this.#folderOf(hash)}/${hash}`;
  }

  #folderOf(hash: string): string {
    return `${this.#place.root}/${hash.slice(0, 2)}`;
  }
}

export async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  // A symlink could lead anywhere.
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}
