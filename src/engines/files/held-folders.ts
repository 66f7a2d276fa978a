/**
 * The folders of a walk, in which another process may swap things meanwhile.
 *
 * H1. Each folder is opened from the one above it, which is held, and never through a symlink.
 * H2. Few are held at a time, however deep and wide the tree: a folder that was closed is opened
 *     again from the nearest one above that is held, and has to be the same as before.
 * H3. The disk stays the same: what is mounted below is not entered.
 *
 * A weaker form where the system has no paths into a held folder (macOS): there, names are looked
 * up again at each step.
 */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import { platform } from 'node:os';
import type { LookBase, SkippedFile } from '../../kernel/files/look.ts';
import { bytesOf } from '../disk/owners.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** H2 */
const mostHeld = 64;

/** A folder of the tree; it is there as long as it may be asked for what is below it. */
export class TreeFolder {
  readonly above: TreeFolder | undefined;
  readonly name: string;
  readonly depth: number;
  /** How many folders below are still to be opened. */
  waiting = 0;
  held: HeldDescriptor | undefined;
  inode: bigint | undefined;

  constructor(above: TreeFolder | undefined, name: string) {
    this.above = above;
    this.name = name;
    this.depth = above === undefined ? 0 : above.depth + 1;
  }

  /** From the base; none for the base itself. */
  parts(): string[] {
    const names: string[] = [];
    for (let at: TreeFolder = this; at.above !== undefined; at = at.above) names.push(at.name);
    return names.reverse();
  }
}

interface HeldDescriptor {
  readonly descriptor: number;
  /** Under which the folder is reached. */
  readonly path: string;
}

export interface OpenWalkFolder extends HeldDescriptor {
  readonly stats: BigIntStats;
}

/** Why a folder is not looked into. */
export class NotEntered extends Error {
  readonly why: SkippedFile['why'];

  constructor(why: SkippedFile['why'], options?: ErrorOptions) {
    super(`A folder is not looked into: ${why}`, options);
    this.why = why;
  }
}

export class WalkFolders implements Disposable {
  readonly #base: LookBase;
  readonly #device: bigint;
  readonly root = new TreeFolder(undefined, '');
  /** But for the root; the one that was opened last comes last. */
  readonly #held = new Set<TreeFolder>();

  constructor(base: LookBase) {
    this.#base = base;
    // Not O_NOFOLLOW: the way to a held folder is a link of the system's own.
    const root = this.#opened(base.held, O_RDONLY | O_DIRECTORY);
    this.#device = root.stats.dev;
    this.root.held = root;
    this.root.inode = root.stats.ino;
  }

  /** Throws `NotEntered`. */
  open(folder: TreeFolder): OpenWalkFolder {
    try {
      const held = this.#hold(folder);
      return { ...held, stats: fstatSync(held.descriptor, { bigint: true }) };
    } catch (failure) {
      throw failure instanceof NotEntered ? failure : notEntered(failure);
    }
  }

  close(folder: TreeFolder): void {
    if (folder.held === undefined || folder === this.root) return;
    closeSync(folder.held.descriptor);
    folder.held = undefined;
    this.#held.delete(folder);
  }

  [Symbol.dispose](): void {
    for (const folder of [...this.#held]) this.close(folder);
    if (this.root.held !== undefined) closeSync(this.root.held.descriptor);
    this.root.held = undefined;
  }

  #hold(folder: TreeFolder): HeldDescriptor {
    const path: TreeFolder[] = [];
    let at: TreeFolder | undefined = folder;
    for (; at !== undefined && at.held === undefined; at = at.above) path.push(at);
    let held = at?.held;
    for (const next of path.reverse()) {
      if (held === undefined) break;
      held = this.#openBelow(held, next);
    }
    if (held === undefined) throw new NotEntered('gone');
    return held;
  }

  /** H1 */
  #openBelow(above: HeldDescriptor, folder: TreeFolder): HeldDescriptor {
    const opened = this.#opened(`${above.path}/${folder.name}`, folderFlags);
    const { dev, ino } = opened.stats;
    const isOther = folder.inode !== undefined && folder.inode !== ino;
    if (isOther || dev !== this.#device) {
      closeSync(opened.descriptor);
      // H3
      throw new NotEntered(isOther ? 'gone' : 'other-disk');
    }
    folder.inode = ino;
    folder.held = opened;
    this.#held.add(folder);
    const [oldest] = this.#held;
    if (this.#held.size > mostHeld && oldest !== undefined) this.close(oldest);
    return opened;
  }

  #opened(path: string, flags: number): OpenWalkFolder {
    const descriptor = openSync(bytesOf(path), flags);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      return { descriptor, path: this.#reached(descriptor, path), stats };
    } catch (failure) {
      closeSync(descriptor);
      throw failure;
    }
  }

  #reached(descriptor: number, path: string): string {
    return ownDescriptors === undefined || !this.#base.held.startsWith('/proc/')
      ? path
      : `${ownDescriptors}/${descriptor}`;
  }
}

// `/proc/self` is a link to this: to leave it away makes each look a tenth cheaper.
const ownDescriptors =
  platform() === 'linux' ? `/proc/${readlinkSync('/proc/self')}/fd` : undefined;

const gone = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function notEntered(failure: unknown): NotEntered {
  const code = failure instanceof Error && 'code' in failure ? failure.code : '';
  return new NotEntered(gone.has(String(code)) ? 'gone' : 'unreadable', { cause: failure });
}
