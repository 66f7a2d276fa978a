/** The folders of a walk, opened one below the other (W1 and W2 of watch-walk.ts). */
import { accessSync, chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { O_PATH } from '../../engines/disk/owners.ts';
import { osCodeOf } from '../../kernel/disk/errors.ts';

export interface Folder {
  /** Undefined for the one that the walk began in. */
  readonly above: Folder | undefined;
  readonly name: string;
  readonly rights: Rights;
}

interface Rights {
  readonly uid: number;
  readonly mode: number;
}

export interface RootFolder extends Folder {
  readonly device: number;
}

const mostOpen = 64;
const searchable = 0o500;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, R_OK, X_OK } = constants;
const hasHandles = process.platform === 'linux';

export class WatchedFolders implements Disposable {
  readonly #path: string;
  readonly #opensShut: boolean;
  /** The one that was used last stands last. */
  readonly #open = new Map<Folder, number>();
  #root: number | undefined;

  constructor({ path, opensShut = false }: { path: string; opensShut?: boolean }) {
    this.#path = path;
    this.#opensShut = opensShut;
  }

  root(): RootFolder | undefined {
    const handle = unlessSkipped(() => openSync(this.#path, O_RDONLY | O_DIRECTORY));
    if (handle === undefined) return undefined;
    this.#root = handle;
    const { dev, uid, mode } = fstatSync(handle);
    return { above: undefined, name: '', rights: { uid, mode }, device: dev };
  }

  /** A path, each byte as one character, that leads to this very folder; undefined when it is gone. */
  open(folder: Folder): string | undefined {
    if (!hasHandles) return plainPath(this.#path, folder);
    const closed: Folder[] = [];
    let at = folder;
    for (; at.above !== undefined && !this.#open.has(at); at = at.above) closed.push(at);
    let handle = this.#use(at);
    for (const next of closed.reverse()) {
      if (handle === undefined) return undefined;
      handle = this.#openBelow(handle, next);
    }
    return handle === undefined ? undefined : pathOf(handle);
  }

  [Symbol.dispose](): void {
    for (const handle of this.#open.values()) closeSync(handle);
    this.#open.clear();
    if (this.#root !== undefined) closeSync(this.#root);
    this.#root = undefined;
  }

  #use(folder: Folder): number | undefined {
    const handle = this.#open.get(folder);
    if (handle === undefined) return this.#root;
    this.#open.delete(folder);
    this.#open.set(folder, handle);
    return handle;
  }

  #openBelow(above: number, folder: Folder): number | undefined {
    const path = bytes(`${pathOf(above)}/${folder.name}`);
    if (this.#opensShut && isShut(folder, path)) openShut(path);
    const handle = unlessSkipped(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (handle === undefined) return undefined;
    this.#open.set(folder, handle);
    const [oldest] = this.#open;
    if (this.#open.size > mostOpen && oldest !== undefined) {
      this.#open.delete(oldest[0]);
      closeSync(oldest[1]);
    }
    return handle;
  }
}

function isShut({ rights: { uid, mode } }: Folder, path: Buffer): boolean {
  if (uid !== process.geteuid?.() || (mode & searchable) === searchable) return false;
  try {
    // For one who may do anything, nothing is shut.
    accessSync(path, R_OK | X_OK);
    return false;
  } catch {
    return true;
  }
}

// By a handle of the folder itself: the name may be a symlink by now.
function openShut(path: Buffer): void {
  const handle = unlessSkipped(() => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  if (handle === undefined) return;
  try {
    unlessSkipped(() => chmodSync(pathOf(handle), 0o700));
  } finally {
    closeSync(handle);
  }
}

function pathOf(handle: number): string {
  return `/proc/self/fd/${handle}`;
}

// For systems without paths to handles.
function plainPath(root: string, folder: Folder): string {
  const names: string[] = [];
  for (let at: Folder | undefined = folder; at?.above !== undefined; at = at.above) {
    names.push(at.name);
  }
  return [Buffer.from(root).toString('latin1'), ...names.reverse()].join('/');
}

/** A name need not be text: of each byte, one character was made. */
export function bytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

const skipped = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
  'ESTALE',
  'ESRCH',
];

/** W3 of watch-walk.ts: undefined for what is gone, or not ours to read. */
export function unlessSkipped<Seen>(look: () => Seen): Seen | undefined {
  try {
    return look();
  } catch (failure) {
    if (skipped.includes(osCodeOf(failure) ?? '')) return undefined;
    throw failure;
  }
}
