/**
 * Calls on many small files at once, for which a disk may have a quicker way than one call after
 * another. The answers come in the order of the files.
 */

import { AosError } from '../errors.ts';
import type { Disk, DiskEntry, FileIdentity } from '../ports.ts';
import { removeQuietly } from './durable-file.ts';

export interface BulkDisk {
  /** Whole files from the first on, as many as the limits allow, and at least one. */
  takeFiles(paths: readonly string[], limits: TakeLimits): Promise<readonly TakenOrFailed[]>;
  /**
   * Makes new files with mode 600, all of them or none, unless the process that makes them dies.
   */
  writeFiles(files: readonly NewFile[]): Promise<void>;
  moveFiles(moves: readonly BulkMove[], options?: MoveOptions): Promise<readonly Moved[]>;
}

export interface MoveOptions {
  /** None is moved behind one that could not be, and that one's is the last answer. */
  readonly inTurn?: boolean;
  /** Tells what stands under the new name then. */
  readonly look?: boolean;
}

export interface TakeLimits {
  /** Of a file with more nothing is read. */
  readonly eachBytes: number;
  /** Nothing more is read after so much. */
  readonly allBytes: number;
}

export type TakenOrFailed = TakenFile | { readonly failure: AosError };

export interface TakenFile {
  /** As it stood before it was read. */
  readonly identity: FileIdentity;
  readonly bytes: Uint8Array;
  /** Another process wrote to it, or put another in its place, while it was read. */
  readonly changed: boolean;
  readonly failure?: undefined;
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

export interface BulkMove {
  readonly from: string;
  readonly to: string;
}

export type Moved =
  | { readonly entry?: DiskEntry | undefined; readonly failure?: undefined }
  | { readonly failure: AosError };

/** One call after another. */
export function bulkOver(disk: Disk): BulkDisk {
  return {
    async takeFiles(paths, { eachBytes, allBytes }) {
      const answers: TakenOrFailed[] = [];
      let bytes = 0;
      for (const path of paths) {
        const taken = await answered(() => takeFile(disk, path, eachBytes));
        answers.push(taken);
        bytes += taken.failure === undefined ? taken.bytes.length : 0;
        if (bytes >= allBytes) break;
      }
      return answers;
    },
    async writeFiles(files) {
      for (const [index, { path, text }] of files.entries()) {
        try {
          await writeFile(disk, path, text);
        } catch (failure) {
          for (const made of files.slice(0, index)) await removeQuietly(disk, made.path);
          throw failure;
        }
      }
    },
    async moveFiles(moves, { inTurn = false, look = false } = {}) {
      const answers: Moved[] = [];
      for (const { from, to } of moves) {
        const moved: Moved = await answered<Moved>(async () => {
          await disk.rename(from, to);
          return look ? { entry: await disk.stat(to) } : {};
        });
        answers.push(moved);
        if (inTurn && moved.failure !== undefined) break;
      }
      return answers;
    },
  };
}

async function takeFile(disk: Disk, path: string, mostBytes: number): Promise<TakenFile> {
  await using reader = await disk.read(path);
  const identity = await reader.identity();
  if (identity.sizeBytes > mostBytes) return { identity, bytes: new Uint8Array(), changed: false };
  const bytes = await reader.readAt(0, identity.sizeBytes);
  return { identity, bytes, changed: !isSame(identity, await reader.identity()) };
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.modifiedNs === other.modifiedNs &&
    one.sizeBytes === other.sizeBytes &&
    one.inode === other.inode &&
    one.links === other.links
  );
}

async function writeFile(disk: Disk, path: string, text: string): Promise<void> {
  const writer = await disk.create(path);
  try {
    await writer.append(Buffer.from(text));
  } catch (failure) {
    await removeQuietly(disk, path);
    throw failure;
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}

async function answered<Answer>(
  work: () => Promise<Answer>,
): Promise<Answer | { readonly failure: AosError }> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof AosError) return { failure };
    throw failure;
  }
}
