/** A file or a folder of a disk, as bytes to be sent. */
import { basename, join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import {
  type FolderEntry,
  folderLimits,
  printFolderList,
  staysInside,
} from '../../kernel/files/folder-list.ts';
import { checkFileName } from '../../kernel/files/names.ts';
import type { DiskEntry, DiskView, FileReader } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { ByteSource } from './options.ts';

export interface SourceOptions {
  /** The name under which it arrives; its own where nothing is said. */
  readonly name?: string | undefined;
  readonly links?: 'keep' | 'skip' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What stands at that path. A symlink there is not followed: what it leads to has a name too. */
export async function openSource(
  view: DiskView,
  path: string,
  options: SourceOptions = {},
): Promise<ByteSource> {
  const filename = options.name ?? basename(path);
  checkFileName(filename);
  const entry = await view.stat(path);
  if (entry?.kind === 'folder') return folderSource(view, path, filename, options);
  if (entry === undefined || entry.kind === 'file') return fileSource(view, path, filename);
  throw badSource(
    `${quote(path)} is ${entry.kind === 'symlink' ? 'a symlink' : 'neither a file nor a folder'}`,
    entry.kind === 'symlink' ? 'Send what it leads to, by its own path' : 'Send a file or a folder',
  );
}

async function fileSource(view: DiskView, path: string, filename: string): Promise<ByteSource> {
  const reader = await view.read(path);
  try {
    return {
      kind: 'file',
      filename,
      sizeBytes: await reader.sizeBytes(),
      read: async (offset, into) => (await reader.readAt(offset, into.length, into)).length,
      [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
    };
  } catch (failure) {
    await reader[Symbol.asyncDispose]();
    throw failure;
  }
}

async function folderSource(
  view: DiskView,
  path: string,
  filename: string,
  options: SourceOptions,
): Promise<ByteSource> {
  const entries: FolderEntry[] = [];
  await walk(view, path, '', entries, options);
  const list = printFolderList(entries);
  const files = placed(entries, list.length);
  const last = files.at(-1);
  const reader = new FilesReader(view, path, files);
  return {
    kind: 'folder',
    filename,
    entries: entries.length,
    sizeBytes: last === undefined ? list.length : last.offset + last.sizeBytes,
    read: async (offset, into) => {
      if (offset >= list.length) return reader.read(offset, into);
      const part = list.subarray(offset, offset + into.length);
      into.set(part);
      if (part.length === into.length) return part.length;
      return part.length + (await reader.read(list.length, into.subarray(part.length)));
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

async function walk(
  view: DiskView,
  root: string,
  below: string,
  found: FolderEntry[],
  options: SourceOptions,
): Promise<void> {
  for (const name of await view.list(join(root, below))) {
    options.signal?.throwIfAborted();
    const path = below === '' ? name : `${below}/${name}`;
    const entry = await view.stat(join(root, path));
    // Gone since it was listed.
    if (entry === undefined) continue;
    const listed = await listedAs(view, join(root, path), path, entry, options);
    if (listed === undefined) continue;
    checkFileName(name);
    found.push(listed);
    if (found.length > folderLimits.entries) throw tooMany(root);
    if (listed.kind === 'folder') await walk(view, root, path, found, options);
  }
}

async function listedAs(
  view: DiskView,
  whole: string,
  path: string,
  { kind, mode, sizeBytes, modifiedAt }: DiskEntry,
  { links = 'keep' }: SourceOptions,
): Promise<FolderEntry | undefined> {
  if (kind === 'file') return { kind, path, sizeBytes, mode, modifiedAt };
  if (kind === 'folder') return { kind, path, mode, modifiedAt };
  if (kind === 'other') {
    throw badSource(`${quote(whole)} is neither a file nor a folder`, 'Send the others without it');
  }
  if (links === 'skip') return undefined;
  const target = await view.readLink(whole);
  if (staysInside(path, target)) return { kind: 'link', path, target };
  throw badSource(
    `The symlink ${quote(whole)} leads out of the folder, to ${quote(target)}`,
    'Leave symlinks out with --links skip, or send what it leads to',
  );
}

interface PlacedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Of its first byte in all that is sent. */
  readonly offset: number;
}

function placed(entries: readonly FolderEntry[], first: number): PlacedFile[] {
  let offset = first;
  const files: PlacedFile[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'file' || entry.sizeBytes === 0) continue;
    files.push({ path: entry.path, sizeBytes: entry.sizeBytes, offset });
    offset += entry.sizeBytes;
  }
  return files;
}

/** The files one behind the other, of which one is open at a time. */
class FilesReader implements AsyncDisposable {
  readonly #view: DiskView;
  readonly #root: string;
  readonly #files: readonly PlacedFile[];
  #index = 0;
  #open: FileReader | undefined;

  constructor(view: DiskView, root: string, files: readonly PlacedFile[]) {
    this.#view = view;
    this.#root = root;
    this.#files = files;
  }

  async read(offset: number, into: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const file = await this.#at(offset + filled);
      if (file === undefined) break;
      const { reader, offset: from, sizeBytes } = file;
      const start = offset + filled - from;
      const wanted = Math.min(into.length - filled, sizeBytes - start);
      const part = await reader.readAt(start, wanted, into.subarray(filled, filled + wanted));
      filled += part.length;
      // Shorter than it was: what is missing is noticed by the caller, who counts.
      if (part.length < wanted) break;
    }
    return filled;
  }

  async #at(offset: number): Promise<(PlacedFile & { readonly reader: FileReader }) | undefined> {
    const current = this.#files[this.#index];
    if (current === undefined || offset < current.offset) await this.#go(0);
    for (;;) {
      const file = this.#files[this.#index];
      if (file === undefined) return undefined;
      if (offset < file.offset + file.sizeBytes) {
        this.#open ??= await this.#view.read(join(this.#root, file.path));
        return { ...file, reader: this.#open };
      }
      await this.#go(this.#index + 1);
    }
  }

  async #go(index: number): Promise<void> {
    await this.#open?.[Symbol.asyncDispose]();
    this.#open = undefined;
    this.#index = index;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open?.[Symbol.asyncDispose]();
  }
}

function tooMany(root: string): AosError {
  return badSource(
    `${quote(root)} has more than ${folderLimits.entries} files and folders in it`,
    'Pack it into one file first, for example with tar, or send its parts',
  );
}

function badSource(message: string, fix: string): AosError {
  return new AosError('transfer.bad-source', { message, fix });
}
