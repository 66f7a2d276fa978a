/**
 * The files and folders of the simulated disk: what a running system sees, and what
 * is found after a power cut. It is as mean as a real disk may be:
 *
 * T1. Synced bytes stay. Of the bytes added since, any number of the first ones stays.
 * T2. Names as of the folder's last sync stay. Each change since then is kept or lost
 *     on its own, in any combination.
 * T3. A rename within one folder is one change. A rename between two folders is a
 *     change of each, so that a cut can leave both names, or neither.
 */
import { posix } from 'node:path';
import { diskError } from '../../src/kernel/disk/errors.ts';
import type { Instant, Random } from '../../src/kernel/ports.ts';
import { integerBelow } from './random.ts';

export type TreeNode = FileNode | FolderNode | SymlinkNode;

export interface FileNode {
  readonly kind: 'file';
  bytes: Uint8Array;
  syncedBytes: number;
  modifiedAt: Instant;
  mode: number;
  /** Counts the changes of its bytes, so that two within one millisecond differ. */
  version: number;
}

export interface FolderNode {
  readonly kind: 'folder';
  /** What a running system sees. */
  names: Map<string, TreeNode>;
  syncedNames: Map<string, TreeNode>;
  unsynced: NameChange[];
  modifiedAt: Instant;
  mode: number;
}

/** Never followed: all that is asked of it is to be read, refused, moved and removed. */
interface SymlinkNode {
  readonly kind: 'symlink';
  readonly target: string;
  readonly modifiedAt: Instant;
}

/** What stands under some names from now on; undefined: nothing. */
type NameChange = ReadonlyMap<string, TreeNode | undefined>;

export function emptyFile(modifiedAt: Instant, mode = 0o600): FileNode {
  const bytes = new Uint8Array();
  return { kind: 'file', bytes, syncedBytes: 0, modifiedAt, mode, version: 0 };
}

export function emptyFolder(modifiedAt: Instant): FolderNode {
  const names = { names: new Map(), syncedNames: new Map(), unsynced: [] };
  return { kind: 'folder', ...names, modifiedAt, mode: 0o700 };
}

export function nodeAt(root: FolderNode, path: string): TreeNode {
  const node = nodeIfAny(root, path);
  if (node === undefined) throw diskError('ENOENT', path);
  return node;
}

export function nodeIfAny(root: FolderNode, path: string): TreeNode | undefined {
  if (path === '') return undefined;
  return walk(root, namesIn(path), path);
}

export function folderAt(root: FolderNode, path: string): FolderNode {
  return asFolder(nodeAt(root, path), path);
}

export function addName(root: FolderNode, path: string, node: TreeNode, at: Instant): void {
  const { folder, name } = placeOf(root, path);
  if (folder.names.has(name)) throw diskError('EEXIST', path);
  changeNames(folder, new Map([[name, node]]), at);
}

export function removeName(root: FolderNode, path: string, at: Instant): void {
  const node = nodeAt(root, path);
  if (node.kind === 'folder' && node.names.size > 0) throw diskError('ENOTEMPTY', path);
  const { folder, name } = placeOf(root, path);
  changeNames(folder, new Map([[name, undefined]]), at);
}

export function moveName(root: FolderNode, from: string, to: string, at: Instant): void {
  const node = nodeAt(root, from);
  const source = placeOf(root, from);
  const target = placeOf(root, to);
  const replaced = target.folder.names.get(target.name);
  if (to.startsWith(`${from}/`)) throw diskError('EINVAL', to);
  // POSIX: a rename between two names of one file does nothing.
  if (replaced === node) return;
  if (replaced !== undefined) refuseToReplace(replaced, node, to);
  if (source.folder === target.folder) {
    const change: NameChange = new Map<string, TreeNode | undefined>([
      [source.name, undefined],
      [target.name, node],
    ]);
    changeNames(source.folder, change, at);
  } else {
    changeNames(source.folder, new Map([[source.name, undefined]]), at);
    changeNames(target.folder, new Map([[target.name, node]]), at);
  }
}

function refuseToReplace(replaced: TreeNode, node: TreeNode, path: string): void {
  if (replaced.kind !== 'folder' && node.kind === 'folder') throw diskError('ENOTDIR', path);
  if (replaced.kind !== 'folder') return;
  if (node.kind !== 'folder') throw diskError('EISDIR', path);
  if (replaced.names.size > 0) throw diskError('ENOTEMPTY', path);
}

function placeOf(root: FolderNode, path: string): { folder: FolderNode; name: string } {
  const names = namesIn(path);
  const name = names.pop();
  if (name === undefined) throw diskError('EBUSY', path);
  const folder = walk(root, names, path);
  if (folder === undefined) throw diskError('ENOENT', path);
  return { folder: asFolder(folder, path), name };
}

function walk(root: FolderNode, names: readonly string[], path: string): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const name of names) {
    if (node === undefined) return undefined;
    node = asFolder(node, path).names.get(name);
  }
  return node;
}

function asFolder(node: TreeNode, path: string): FolderNode {
  if (node.kind !== 'folder') throw diskError('ENOTDIR', path);
  return node;
}

function namesIn(path: string): string[] {
  if (path.includes('\0')) throw diskError('ERR_INVALID_ARG_VALUE', path);
  const whole = posix.resolve('/', path).slice(1);
  const names = whole === '' ? [] : whole.split('/');
  if (names.some((name) => Buffer.byteLength(name) > 255)) throw diskError('ENAMETOOLONG', path);
  return names;
}

function changeNames(folder: FolderNode, change: NameChange, at: Instant): void {
  apply(change, folder.names);
  folder.unsynced.push(change);
  folder.modifiedAt = at;
}

function apply(change: NameChange, names: Map<string, TreeNode>): void {
  for (const [name, node] of change) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}

export function syncNames(folder: FolderNode): void {
  folder.syncedNames = new Map(folder.names);
  folder.unsynced = [];
}

/** The power goes: what stands below `root` becomes what the disk has of it. */
export function losePower(root: FolderNode, random: Random): void {
  for (const node of nodesBelow(root)) {
    if (node.kind === 'file') loseBytes(node, random);
    if (node.kind === 'folder') loseNames(node, random);
  }
}

// T1
function loseBytes(file: FileNode, random: Random): void {
  const unsyncedBytes = file.bytes.length - file.syncedBytes;
  file.syncedBytes += integerBelow(random, unsyncedBytes + 1);
  file.bytes = file.bytes.slice(0, file.syncedBytes);
}

// T2
function loseNames(folder: FolderNode, random: Random): void {
  for (const change of folder.unsynced) {
    if (integerBelow(random, 2) === 0) apply(change, folder.syncedNames);
  }
  folder.unsynced = [];
  folder.names = new Map(folder.syncedNames);
}

/** A file with two names counts once. */
export function usedBytes(root: FolderNode): number {
  let sum = 0;
  for (const node of nodesBelow(root)) if (node.kind === 'file') sum += node.bytes.length;
  return sum;
}

/** How many names a file has, where a running system looks. */
export function linksOf(root: FolderNode, file: FileNode): number {
  let links = 0;
  for (const node of nodesBelow(root)) {
    if (node.kind !== 'folder') continue;
    for (const child of node.names.values()) if (child === file) links++;
  }
  return links;
}

// Each node once, a folder before what is in it: what the visitor makes of a
// folder's names is what is visited next.
function* nodesBelow(root: FolderNode): Generator<TreeNode> {
  const seen = new Set<TreeNode>([root]);
  // A Set hands out what is added to it while it is walked.
  for (const node of seen) {
    yield node;
    if (node.kind === 'folder') for (const child of node.names.values()) seen.add(child);
  }
}
