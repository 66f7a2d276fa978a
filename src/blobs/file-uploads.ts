/**
 * Uploads as files: `{root}/.uploads/{id}`.
 *
 * P1. Bytes are appended, and nothing is flushed before finish(): after a power cut the caller
 *     begins anew, after a crash of the program the system still has every byte.
 * P2. One append at a time: two that write behind each other would mix their bytes.
 * P3. The running hash belongs to exactly the bytes that were appended here. Once the file has
 *     another size, it is worked out from the file.
 * P4. finish() opens the file for writing, which makes it young: the sweep of the store sees that a
 *     row is about to refer to it.
 * P5. A hash that was only said is believed where nothing is stored under it. What others may
 *     refer to is not replaced before it is worked out from the bytes.
 * P6. What finish() has stored is never written to again: others may refer to it by now.
 */
import { createHash, type Hash } from 'node:crypto';
import { ensureFolder } from '../kernel/disk/durable-file.ts';
import { ignoreMissing, isMissing, isTaken } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import { type Disk, type EventLoop, endOfTurn, type FileWriter } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import {
  corruptBlob,
  type FinishOptions,
  type ListedUpload,
  type StoredBlob,
  type UploadInStore,
  type Uploads,
} from './blobs.ts';
import { type FileBlobs, namesIn } from './fs.ts';

export interface FileUploadsDeps {
  readonly disk: Disk;
  readonly eventLoop: EventLoop;
  /** Where what is finished goes; on the same file system. */
  readonly blobs: Pick<FileBlobs, 'adopt' | 'wouldReplace'>;
}

interface RunningHash {
  readonly hash: Hash;
  readonly sizeBytes: number;
}

const stepBytes = 1024 * 1024;
// Beyond them, the oldest is worked out from its file again.
const mostRunning = 1000;

export class FileUploads implements Uploads {
  readonly #deps: FileUploadsDeps;
  readonly #root: string;
  readonly #running = new Map<string, RunningHash>();
  readonly #busy = new Set<string>();

  /** The root is that of the store. */
  constructor(deps: FileUploadsDeps, root: string) {
    this.#deps = deps;
    this.#root = root;
  }

  async open(id: string): Promise<UploadInStore> {
    const path = this.#pathOf(id);
    await this.#ensureFolder();
    try {
      await using _made = await this.#deps.disk.create(path);
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
    return { path, sizeBytes: await this.#sizeOf(id) };
  }

  append(id: string, from: number, source: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#alone(id, async () => {
      await using writer = await this.#writerAt(id, from);
      let running = this.#runningAt(id, from);
      let endBytes = from;
      for await (const bytes of source) {
        await writer.append(bytes);
        endBytes += bytes.length;
        // P3
        if (running !== undefined) {
          running = { hash: running.hash.update(bytes), sizeBytes: endBytes };
          this.#keep(id, running);
        }
      }
      return endBytes;
    });
  }

  async #writerAt(id: string, from: number): Promise<FileWriter> {
    const { disk } = this.#deps;
    const path = this.#pathOf(id);
    const sizeBytes = await this.#sizeOf(id);
    if (from > sizeBytes) throw gap(from, sizeBytes);
    if (!(await hasTwoNames(disk, path))) return disk.create(path, { keepBytes: from });
    // P6
    if (from > 0) throw finished(sizeBytes);
    await disk.remove(path);
    return disk.create(path);
  }

  #runningAt(id: string, from: number): RunningHash | undefined {
    const running = this.#running.get(id);
    this.#running.delete(id);
    if (from === 0) return { hash: createHash('sha256'), sizeBytes: 0 };
    return running?.sizeBytes === from ? running : undefined;
  }

  #keep(id: string, running: RunningHash): void {
    this.#running.delete(id);
    this.#running.set(id, running);
    const [oldest] = this.#running.keys();
    if (this.#running.size > mostRunning && oldest !== undefined) this.#running.delete(oldest);
  }

  finish(id: string, { hash: said }: FinishOptions = {}): Promise<StoredBlob> {
    return this.#alone(id, async () => {
      const sizeBytes = await this.#sizeOf(id);
      const path = this.#pathOf(id);
      // P4
      await using writer = await this.#deps.disk.create(path, { keepBytes: sizeBytes });
      const hash = await this.#checkedHash(id, sizeBytes, said);
      await writer.sync();
      await this.#deps.blobs.adopt(path, hash);
      return { hash, sizeBytes };
    });
  }

  // P5
  async #checkedHash(id: string, sizeBytes: number, said: string | undefined): Promise<string> {
    const isTrusted =
      said !== undefined && !(await this.#deps.blobs.wouldReplace(this.#pathOf(id), said));
    if (isTrusted) return said;
    const hash = await this.#hashOf(id, sizeBytes);
    if (said === undefined || said === hash) return hash;
    throw corruptBlob(said, 'what was uploaded has another SHA-256');
  }

  // P3: a copy of the running hash, because finish() may have to be done again.
  async #hashOf(id: string, sizeBytes: number): Promise<string> {
    const running = this.#running.get(id);
    if (running?.sizeBytes === sizeBytes) return running.hash.copy().digest('hex');
    const { disk, eventLoop } = this.#deps;
    await using reader = await disk.read(this.#pathOf(id));
    const hash = createHash('sha256');
    const buffer = new Uint8Array(stepBytes);
    for (let offset = 0; offset < sizeBytes; ) {
      const bytes = await reader.readAt(offset, Math.min(stepBytes, sizeBytes - offset), buffer);
      if (bytes.length === 0) throw noUpload(id);
      hash.update(bytes);
      offset += bytes.length;
      // Other work of this process gets a turn.
      await endOfTurn(eventLoop);
    }
    return hash.digest('hex');
  }

  async move(from: string, to: string): Promise<boolean> {
    const running = this.#running.get(from);
    try {
      await this.#deps.disk.rename(this.#pathOf(from), this.#pathOf(to));
    } catch (failure) {
      if (isMissing(failure)) return false;
      throw failure;
    }
    this.#running.delete(from);
    if (running !== undefined) this.#keep(to, running);
    return true;
  }

  async discard(id: string): Promise<void> {
    this.#running.delete(id);
    await this.#deps.disk.remove(this.#pathOf(id)).catch(ignoreMissing);
  }

  async *list(): AsyncGenerator<ListedUpload, void, void> {
    const { disk } = this.#deps;
    for (const id of await namesIn(disk, this.#folder)) {
      if (!isUploadId(id)) continue;
      const entry = await disk.stat(this.#pathOf(id));
      if (entry?.kind !== 'file') continue;
      yield { id, sizeBytes: entry.sizeBytes, touchedAt: entry.modifiedAt };
    }
  }

  // P2
  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id)) throw busy();
    this.#busy.add(id);
    try {
      return await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  async #sizeOf(id: string): Promise<number> {
    const entry = await this.#deps.disk.stat(this.#pathOf(id)).catch(ignoreMissing);
    if (entry?.kind !== 'file') throw noUpload(id);
    return entry.sizeBytes;
  }

  async #ensureFolder(): Promise<void> {
    const { disk } = this.#deps;
    await ensureFolder(disk, this.#folder);
    // A symlink is refused here.
    await using _held = await disk.holdFolder(this.#folder);
  }

  get #folder(): string {
    return `${this.#root}/.uploads`;
  }

  #pathOf(id: string): string {
    if (!isUploadId(id)) throw noUpload(id);
    return `${this.#folder}/${id}`;
  }
}

/** Before it becomes part of a path. */
function isUploadId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id);
}

async function hasTwoNames(disk: Disk, path: string): Promise<boolean> {
  await using reader = await disk.read(path);
  return (await reader.identity()).links > 1;
}

function finished(storedBytes: number): AosError {
  return new AosError('transfer.wrong-state', {
    message: `The upload is finished with its ${storedBytes} bytes: nothing can be added to it`,
    fix: 'Finish it, or begin it again',
    details: { stored_bytes: storedBytes },
  });
}

function noUpload(id: string): AosError {
  return new AosError('blob.missing', {
    message: `There is no upload ${quote(id.slice(0, 100))}, or it has become shorter`,
    fix: 'Begin it again',
  });
}

function gap(from: number, storedBytes: number): AosError {
  return new AosError('transfer.wrong-state', {
    message: `The upload has ${storedBytes} bytes, and cannot go on behind byte ${from}`,
    fix: `Go on behind byte ${storedBytes}`,
    details: { stored_bytes: storedBytes },
  });
}

function busy(): AosError {
  return new AosError('transfer.busy', {
    message: 'Somebody is adding bytes to this upload just now',
    fix: 'Try again in a moment',
  });
}
