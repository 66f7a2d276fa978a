/**
 * A disk in memory on which a test decides what goes wrong, and when. Which of the
 * states that a power cut may leave is found afterwards follows from the seed.
 */
import { posix } from 'node:path';
import { diskError } from '../../src/kernel/disk/errors.ts';
import type {
  Clock,
  CreateOptions,
  Disk,
  DiskEntry,
  FileIdentity,
  FileReader,
  FileWriter,
  HeldFolder,
  Random,
} from '../../src/kernel/ports.ts';
import {
  addName,
  emptyFile,
  emptyFolder,
  type FileNode,
  type FolderNode,
  folderAt,
  linksOf,
  losePower,
  moveName,
  nodeAt,
  nodeIfAny,
  removeName,
  syncNames,
  type TreeNode,
  usedBytes,
} from './disk-tree.ts';
import { integerBelow, seededRandom } from './random.ts';

/** What a call gets from a machine without power; no AosError, for nobody is there to read it. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

export const simulatedOwnerUid = 1000;

/** Hears of every change that a running system sees: a name that came, went or was written. */
export type DiskListener = (path: string) => void;

interface SimulatedDiskOptions {
  readonly seed: number;
  readonly capacityBytes?: number;
  /** Where `modifiedAt` comes from; without it, nothing is ever older than the rest. */
  readonly clock?: Pick<Clock, 'now'>;
}

export class SimulatedDisk implements Disk {
  readonly #root: FolderNode;
  readonly #random: Random;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #capacityBytes: number;
  readonly #failures = new Map<number, string>();
  readonly #listeners = new Set<DiskListener>();
  readonly #inodes = new WeakMap<TreeNode, number>();
  readonly #mounts: string[] = ['/'];
  #lastInode = 1;
  #calls = 0;
  #crashAtCall: number | undefined;
  #power: 'on' | 'off' = 'on';
  #starts = 0;

  constructor({ seed, capacityBytes, clock }: SimulatedDiskOptions) {
    this.#random = seededRandom(`disk ${seed}`);
    this.#capacityBytes = capacityBytes ?? Number.POSITIVE_INFINITY;
    this.#clock = clock ?? { now: () => 0 };
    this.#root = emptyFolder(this.#clock.now());
  }

  /** How many calls were made so far, those on open files too. Closing is no call. */
  get calls(): number {
    return this.#calls;
  }

  /** Lets that call fail without any effect; the first call ever is number 1. */
  failCall(call: number, osCode: string): void {
    this.#failures.set(call, osCode);
  }

  /** Cuts the power in the middle of that call, unless it goes before. */
  crashAtCall(call: number): void {
    this.#crashAtCall = call;
  }

  /** Cuts the power now: every call is a SimulatedCrash until restart(). */
  crash(): void {
    this.#power = 'off';
    this.#crashAtCall = undefined;
    losePower(this.#root, this.#random);
  }

  /** Files that were open before the crash stay dead. */
  restart(): void {
    this.#power = 'on';
    this.#starts++;
  }

  /** What the port cannot make but somebody else may have put there. */
  plantSymlink(path: string, target = '/nowhere'): void {
    const modifiedAt = this.#clock.now();
    addName(this.#root, path, { kind: 'symlink', target, modifiedAt }, modifiedAt);
  }

  /** Another disk, mounted there: what is there and below is on it. */
  plantMount(path: string): void {
    this.#mounts.push(path);
  }

  /** A folder or file that somebody left open to others. */
  plantMode(path: string, mode: number): void {
    const node = nodeAt(this.#root, path);
    if (node.kind !== 'symlink') node.mode = mode;
  }

  /** Tells of changes until what it returns is called. */
  listen(listener: DiskListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  read(path: string): Promise<FileReader> {
    return this.#call(path, () => this.#reader(path, fileIn(nodeAt(this.#root, path), path)));
  }

  list(path: string): Promise<readonly string[]> {
    return this.#call(path, () => [...folderAt(this.#root, path).names.keys()].sort());
  }

  stat(path: string): Promise<DiskEntry | undefined> {
    return this.#call(path, () => {
      const node = nodeIfAny(this.#root, path);
      return node === undefined ? undefined : this.#entryOf(node, path);
    });
  }

  readLink(path: string): Promise<string> {
    return this.#call(path, () => {
      const node = nodeAt(this.#root, path);
      if (node.kind !== 'symlink') throw diskError('EINVAL', path);
      return node.target;
    });
  }

  create(path: string, { mode = 0o600, keepBytes }: CreateOptions = {}): Promise<FileWriter> {
    return this.#call(path, () => {
      if (keepBytes !== undefined) return this.#writeOn(path, keepBytes);
      const file = emptyFile(this.#clock.now(), mode);
      addName(this.#root, path, file, this.#clock.now());
      this.#tell(path);
      return this.#writer(path, file);
    });
  }

  #writeOn(path: string, keepBytes: number): FileWriter {
    const file = fileIn(nodeAt(this.#root, path), path);
    if (file.bytes.length < keepBytes) throw diskError('EINVAL', path);
    file.bytes = file.bytes.slice(0, keepBytes);
    file.syncedBytes = Math.min(file.syncedBytes, keepBytes);
    file.modifiedAt = this.#clock.now();
    file.version++;
    this.#tell(path);
    return this.#writer(path, file);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call(from, () => {
      moveName(this.#root, from, to, this.#clock.now());
      this.#tell(from, to);
    });
  }

  link(from: string, to: string): Promise<void> {
    return this.#call(from, () => {
      const node = nodeAt(this.#root, from);
      if (node.kind === 'folder') throw diskError('EPERM', to);
      addName(this.#root, to, node, this.#clock.now());
      this.#tell(to);
    });
  }

  remove(path: string): Promise<void> {
    return this.#call(path, () => {
      removeName(this.#root, path, this.#clock.now());
      this.#tell(path);
    });
  }

  makeFolder(path: string): Promise<void> {
    return this.#call(path, () => {
      addName(this.#root, path, emptyFolder(this.#clock.now()), this.#clock.now());
      this.#tell(path);
    });
  }

  syncFolder(path: string): Promise<void> {
    return this.#call(path, () => syncNames(folderAt(this.#root, path)));
  }

  makePrivate(path: string): Promise<void> {
    return this.#call(path, () => {
      const node = nodeAt(this.#root, path);
      if (node.kind === 'symlink') throw diskError('ELOOP', path);
      node.mode = modes[node.kind];
    });
  }

  // By its name: nobody swaps anything between two calls of a simulated disk.
  holdFolder(path: string): Promise<HeldFolder> {
    return this.#call(path, () => {
      folderAt(this.#root, path);
      const facts = { device: this.#deviceAt(path), ownerUid: simulatedOwnerUid };
      return { path, ...facts, [Symbol.asyncDispose]: async () => {} };
    });
  }

  #tell(...paths: readonly string[]): void {
    for (const path of paths) for (const listener of this.#listeners) listener(path);
  }

  // Which mount it is, by its number.
  #deviceAt(path: string): string {
    const whole = `${posix.resolve('/', path)}/`;
    const isOn = (mount: string) => mount === '/' || whole.startsWith(`${mount}/`);
    return String(this.#mounts.findLastIndex(isOn));
  }

  #identityOf(file: FileNode, path: string): FileIdentity {
    return { ...this.#standing(file, path), links: linksOf(this.#root, file) };
  }

  #standing(node: TreeNode, path: string): Omit<FileIdentity, 'links'> {
    const inode = this.#inodes.get(node) ?? this.#lastInode++;
    this.#inodes.set(node, inode);
    const { bytes, version } = node.kind === 'file' ? node : { bytes: [], version: 0 };
    return {
      sizeBytes: bytes.length,
      modifiedNs: `${node.modifiedAt}${String(version % 1_000_000).padStart(6, '0')}`,
      modifiedAt: node.modifiedAt,
      inode: String(inode),
      device: this.#deviceAt(path),
    };
  }

  #entryOf(node: TreeNode, path: string): DiskEntry {
    return {
      ...this.#standing(node, path),
      kind: node.kind,
      mode: node.kind === 'symlink' ? modes.symlink : node.mode,
      ownerUid: simulatedOwnerUid,
      ownerGid: simulatedOwnerUid,
    };
  }

  #reader(path: string, file: FileNode): FileReader {
    const handle = this.#openHandle(path);
    return {
      readAt: (offset, length, into) =>
        handle.call(() => {
          const bytes = file.bytes.slice(offset, offset + length);
          into?.set(bytes);
          return into?.subarray(0, bytes.length) ?? bytes;
        }),
      sizeBytes: () => handle.call(() => file.bytes.length),
      identity: () => handle.call(() => this.#identityOf(file, path)),
      [Symbol.asyncDispose]: handle.close,
    };
  }

  #writer(path: string, file: FileNode): FileWriter {
    const handle = this.#openHandle(path);
    const sync = (): void => {
      file.syncedBytes = file.bytes.length;
    };
    return {
      append: (bytes) => handle.call(() => this.#append(path, file, bytes)),
      sync: () => handle.call(sync),
      [Symbol.asyncDispose]: handle.close,
    };
  }

  #append(path: string, file: FileNode, bytes: Uint8Array): void {
    const roomBytes = Math.max(0, this.#capacityBytes - usedBytes(this.#root));
    // Copied: the caller may use its buffer again.
    file.bytes = new Uint8Array(Buffer.concat([file.bytes, bytes.subarray(0, roomBytes)]));
    file.modifiedAt = this.#clock.now();
    file.version++;
    this.#tell(path);
    if (bytes.length > roomBytes) throw diskError('ENOSPC', path);
  }

  #openHandle(path: string) {
    const openedInStart = this.#starts;
    let closed = false;
    return {
      call: <T>(perform: () => T): Promise<T> =>
        this.#call(path, () => {
          if (openedInStart !== this.#starts) throw new SimulatedCrash('The file was open then');
          if (closed) throw diskError('EBADF', path);
          return perform();
        }),
      close: async (): Promise<void> => {
        closed = true;
      },
    };
  }

  async #call<T>(path: string, perform: () => T): Promise<T> {
    if (this.#power === 'off') throw new SimulatedCrash('There is no power');
    const call = ++this.#calls;
    if (call === this.#crashAtCall) {
      this.#crashDuring(perform);
      throw new SimulatedCrash('The power went during this call');
    }
    const osCode = this.#failures.get(call);
    if (osCode !== undefined) throw diskError(osCode, path);
    return perform();
  }

  // The call in which the power goes may have done its work: nobody got the answer.
  #crashDuring(perform: () => unknown): void {
    try {
      if (integerBelow(this.#random, 2) === 0) perform();
    } catch {
      // A refusal is lost like any other answer.
    }
    this.crash();
  }
}

function fileIn(node: TreeNode, path: string): FileNode {
  if (node.kind === 'symlink') throw diskError('ELOOP', path);
  if (node.kind === 'folder') throw diskError('EISDIR', path);
  return node;
}

const modes = { file: 0o600, folder: 0o700, symlink: 0o777 } as const;
