/**
 * The names in a folder, a batch at a time: of a folder with a million of them never all are in
 * memory at once.
 */
import { type Dirent, opendirSync, readdirSync } from 'node:fs';
import type { FileKind } from '../../kernel/files/look.ts';
import { textOf } from '../disk/owners.ts';
import type { OpenWalkFolder } from './held-folders.ts';

/** As it was read; what it is called is in `nameOf`. */
export type NamedEntry = Dirent | Dirent<NonSharedBuffer>;

// A folder that takes no more room than this has some thousand names at most, and to read them
// all at once is quicker.
const smallFolderBytes = 64n * 1024n;
const batchSize = 1024;

// Each byte a character: names that are no UTF-8 are not lost, and plain ones are read quickest.
const options = { encoding: 'latin1', withFileTypes: true } as const;

export function* namesIn({ path, stats }: OpenWalkFolder): Generator<readonly NamedEntry[]> {
  if (stats.size > smallFolderBytes) yield* manyNames(path);
  else yield fewNames(path);
}

function fewNames(path: string): readonly NamedEntry[] {
  try {
    return readdirSync(path, options);
  } catch (failure) {
    // Where the disk does not say what each is, it is looked up by name, and a name that is not
    // plain has to be told by its bytes.
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'ENOENT'))
      throw failure;
    return readdirSync(path, { encoding: 'buffer', withFileTypes: true });
  }
}

function* manyNames(path: string): Generator<readonly NamedEntry[]> {
  const folder = opendirSync(path, { encoding: 'latin1', bufferSize: batchSize });
  try {
    for (let batch = readBatch(folder); batch.length > 0; batch = readBatch(folder)) yield batch;
  } finally {
    folder.closeSync();
  }
}

function readBatch(folder: ReturnType<typeof opendirSync>): readonly NamedEntry[] {
  const batch: Dirent[] = [];
  while (batch.length < batchSize) {
    const entry = folder.readSync();
    if (entry === null) break;
    batch.push(entry);
  }
  return batch;
}

export function nameOf({ name }: NamedEntry): string {
  if (typeof name !== 'string') return textOf(name);
  return /[^\x00-\x7f]/.test(name) ? textOf(Buffer.from(name, 'latin1')) : name;
}

export function kindOf(entry: NamedEntry): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
