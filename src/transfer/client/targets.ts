/** Where plain bytes go: one file, or the files of a folder. */
import { dirname, join } from 'node:path';
import { ensureFolder } from '../../kernel/disk/durable-file.ts';
import { isMissing, isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import {
  type FolderEntry,
  headLineBytes,
  parseFolderList,
  parseListHead,
} from '../../kernel/files/folder-list.ts';
import type { Disk, FileWriter, TreeDisk } from '../../kernel/ports.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import { type BodyParts, openBody } from './open-body.ts';
import type { ReceiveOptions } from './options.ts';
import { bytesIn, flushedAlong } from './upload.ts';

/** Takes bytes in their order, from where it says. */
export interface ReceiveTarget extends AsyncDisposable {
  /** What is there already is in front of it. */
  readonly position: number;
  /** How much of that a try before this one has left. */
  readonly keptBytes: number;
  /** All that is in front. */
  kept(): AsyncGenerator<Uint8Array, void, void>;
  write(bytes: Uint8Array): Promise<void>;
  /** Everything is there, and safe from power loss under the name of the part. */
  end(): Promise<void>;
}

/** One file. What is not a whole stretch is written again. */
export async function fileTarget(
  disk: Disk,
  path: string,
  isBegun: boolean,
): Promise<ReceiveTarget> {
  const size = isBegun ? ((await disk.stat(path))?.sizeBytes ?? 0) : 0;
  const position = Math.floor(size / stretchBytes) * stretchBytes;
  const options = isBegun ? { keepBytes: position } : {};
  const writer = flushedAlong(await disk.create(path, options));
  return {
    position,
    keptBytes: position,
    kept: () => bytesIn(disk, path, position),
    write: (bytes) => writer.append(bytes),
    end: () => writer.sync(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

export interface FolderTargetDeps {
  readonly disk: Disk;
  readonly tree: TreeDisk;
}

type FileEntry = Extract<FolderEntry, { kind: 'file' }>;

// The system writes several at once better than one after another.
const mostSyncs = 32;

/**
 * The files of a folder, one behind the other. They are written in their order, so after a
 * crash all before the last one are whole.
 */
export class FolderTarget implements ReceiveTarget {
  readonly position: number;
  readonly keptBytes: number;
  readonly #deps: FolderTargetDeps;
  readonly #list: Uint8Array;
  readonly #root: string;
  readonly #entries: readonly FolderEntry[];
  readonly #files: readonly FileEntry[];
  readonly #syncs = new Set<Promise<void>>();
  #index: number;
  #written: number;
  #writer: FileWriter | undefined;

  private constructor(
    deps: FolderTargetDeps,
    root: string,
    { entries, list }: FolderList,
    start: { readonly index: number; readonly written: number; readonly position: number },
  ) {
    this.#deps = deps;
    this.#root = root;
    this.#entries = entries;
    this.#files = filesIn(entries);
    this.#index = start.index;
    this.#written = start.written;
    this.position = start.position;
    this.#list = list;
    this.keptBytes = start.position - list.length;
  }

  static async open(deps: FolderTargetDeps, root: string, list: FolderList): Promise<FolderTarget> {
    const { disk } = deps;
    const { entries } = list;
    await ensureFolder(disk, root);
    for (const { kind, path } of entries) {
      if (kind === 'folder') await ensureFolder(disk, join(root, path));
    }
    let position = list.list.length;
    const files = filesIn(entries);
    for (const [index, { path, sizeBytes }] of files.entries()) {
      const found = (await disk.stat(join(root, path)))?.sizeBytes;
      if (found === sizeBytes) {
        position += sizeBytes;
        continue;
      }
      const written = Math.min(found ?? 0, sizeBytes);
      const start = { index, written, position: position + written };
      return new FolderTarget(deps, root, list, start);
    }
    return new FolderTarget(deps, root, list, { index: files.length, written: 0, position });
  }

  async *kept(): AsyncGenerator<Uint8Array, void, void> {
    yield this.#list;
    let left = this.keptBytes;
    for (const { path, sizeBytes } of this.#files) {
      if (left === 0) return;
      const wanted = Math.min(left, sizeBytes);
      yield* bytesIn(this.#deps.disk, join(this.#root, path), wanted);
      left -= wanted;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const file = this.#files[this.#index];
      if (file === undefined) throw new Error('more bytes came than the list has files for');
      this.#writer ??= await this.#openFile(file);
      const part = rest.subarray(0, file.sizeBytes - this.#written);
      await this.#writer.append(part);
      this.#written += part.length;
      rest = rest.subarray(part.length);
      if (this.#written === file.sizeBytes) await this.#closeFile();
    }
  }

  async #openFile({ path }: FileEntry): Promise<FileWriter> {
    const whole = join(this.#root, path);
    if (this.#written === 0) {
      try {
        return await this.#deps.disk.create(whole);
      } catch (failure) {
        if (!isTaken(failure)) throw failure;
      }
    }
    return this.#deps.disk.create(whole, { keepBytes: this.#written });
  }

  async #closeFile(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    this.#index++;
    this.#written = 0;
    if (writer === undefined) return;
    await this.#later(async () => {
      await using open = writer;
      await open.sync();
    });
  }

  async #later(work: () => Promise<void>): Promise<void> {
    while (this.#syncs.size >= mostSyncs) await Promise.race(this.#syncs);
    const running = work().finally(() => this.#syncs.delete(running));
    // Heard of at the end, where all are waited for.
    running.catch(() => {});
    this.#syncs.add(running);
  }

  async end(): Promise<void> {
    const { disk, tree } = this.#deps;
    await Promise.all(this.#syncs);
    for (const entry of this.#entries) {
      if (entry.kind === 'file' && entry.sizeBytes === 0) await this.#emptyFile(entry);
      else if (entry.kind === 'link') await this.#link(entry.path, entry.target);
    }
    // The deepest first: what is put into a folder changes its time.
    for (const entry of [...this.#entries].reverse()) {
      if (entry.kind === 'link') continue;
      const whole = join(this.#root, entry.path);
      if (entry.kind === 'folder') await disk.syncFolder(whole);
      await tree.dress(whole, entry);
    }
    await disk.syncFolder(this.#root);
  }

  async #emptyFile({ path }: FileEntry): Promise<void> {
    try {
      await using _writer = await this.#deps.disk.create(join(this.#root, path));
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
  }

  async #link(path: string, target: string): Promise<void> {
    try {
      await this.#deps.tree.makeLink(join(this.#root, path), target);
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer?.[Symbol.asyncDispose]();
    await Promise.allSettled(this.#syncs);
  }
}

function filesIn(entries: readonly FolderEntry[]): FileEntry[] {
  return entries.filter(
    (entry): entry is FileEntry => entry.kind === 'file' && entry.sizeBytes > 0,
  );
}

/** With all folders above it that are not there. */
export async function makeFolders(disk: Disk, path: string): Promise<void> {
  try {
    await ensureFolder(disk, path);
  } catch (failure) {
    if (!isMissing(failure) || dirname(path) === path) throw failure;
    await makeFolders(disk, dirname(path));
    await ensureFolder(disk, path);
  }
}

// The list of a folder that is to be received, which stands before its files.

interface FolderList {
  readonly entries: readonly FolderEntry[];
  /** As it was sent; the first file begins behind it. */
  readonly list: Uint8Array;
}

export async function readFolderList(
  body: BodyParts,
  { signal, allowCaseClash }: ReceiveOptions,
): Promise<FolderList> {
  const { file_size_bytes: size } = body.opened.transfer;
  const head = parseListHead(await plainBytes(body, 0, Math.min(headLineBytes, size), signal));
  const listBytes = head.headBytes + head.listBytes;
  if (listBytes > size) throw tooShort();
  const list = await plainBytes(body, 0, listBytes, signal);
  const entries = parseFolderList(head, list.subarray(head.headBytes), { allowCaseClash });
  const files = entries.reduce(
    (sum, entry) => sum + (entry.kind === 'file' ? entry.sizeBytes : 0),
    0,
  );
  if (listBytes + files !== size) throw tooShort();
  return { entries, list };
}

/** In memory: `folderLimits` says how many at most. */
async function plainBytes(
  body: BodyParts,
  from: number,
  to: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, to - from));
  if (bytes.length === 0) return bytes;
  const take = async (part: Uint8Array, offset: number) => bytes.set(part, offset - from);
  await openBody(body, { from, to, signal, take });
  return bytes;
}

function tooShort(): AosError {
  return new AosError('transfer.bad-folder', {
    message: 'The folder cannot be received: its files are not as large as its list says',
    fix: 'Ask the sender what it is; nothing of it was written under its name',
  });
}
