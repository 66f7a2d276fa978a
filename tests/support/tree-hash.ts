/**
 * What a tree looks like, to the last nanosecond: before and after are the same where nothing was
 * touched. Names are bytes. Symlinks are read and never followed.
 */
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { textOf } from '../../src/engines/disk/owners.ts';

export interface TreeEntry {
  /** Below the root; '' is the root itself. Bytes that are no UTF-8 are as in `owners.ts`. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly mode: number;
  /** Left out of folders where that was asked for. */
  readonly modifiedNs?: string;
  readonly sha256?: string;
  readonly target?: string;
  /** There, and whoever looks may not look into it; root may. */
  readonly isUnreadable?: true;
}

export interface TreeOptions {
  /** Something was made in a folder and taken away again, and that is all right. */
  readonly folderTimes?: 'kept' | 'left-out';
}

/** One text for the whole tree. */
export async function treeHash(root: string, options: TreeOptions = {}): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of await treeEntries(root, options)) hash.update(`${JSON.stringify(entry)}\n`);
  return hash.digest('hex');
}

/** Every folder before what is in it, names in the order of their bytes. */
export async function treeEntries(
  root: string,
  { folderTimes = 'kept' }: TreeOptions = {},
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const open: { readonly place: Buffer; readonly path: Buffer }[] = [
    { place: Buffer.from(root), path: Buffer.of() },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { place, path } = next;
    const { entry, names } = look(place, textOf(path), folderTimes);
    entries.push(entry);
    for (const name of names.sort(Buffer.compare).reverse()) {
      open.push({ place: below(place, name), path: path.length === 0 ? name : below(path, name) });
    }
  }
  return entries;
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}

function look(
  place: Buffer,
  path: string,
  folderTimes: TreeOptions['folderTimes'],
): { readonly entry: TreeEntry; readonly names: Buffer[] } {
  const stats = lstatSync(place, { bigint: true });
  const kind = kindOf(stats);
  const isTimed = kind !== 'folder' || folderTimes === 'kept';
  const entry = {
    path,
    kind,
    mode: Number(stats.mode) & 0o7777,
    ...(isTimed ? { modifiedNs: String(stats.mtimeNs) } : {}),
  };
  try {
    const names = kind === 'folder' ? readdirSync(place, 'buffer') : [];
    return { entry: { ...entry, ...inside(place, kind) }, names };
  } catch (failure) {
    if (!isDenied(failure)) throw failure;
    return { entry: { ...entry, isUnreadable: true }, names: [] };
  }
}

function kindOf(stats: Stats | BigIntStats): TreeEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

function inside(place: Buffer, kind: TreeEntry['kind']): Pick<TreeEntry, 'sha256' | 'target'> {
  if (kind === 'file') {
    return { sha256: createHash('sha256').update(readFileSync(place)).digest('hex') };
  }
  return kind === 'symlink' ? { target: textOf(readlinkSync(place, 'buffer')) } : {};
}

function isDenied(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'EACCES';
}
