/**
 * The walk of one thread through a tree: which folder comes next. What is done in each of them is
 * the caller's.
 */
import type { LookBase, SkippedFile } from '../../kernel/files/look.ts';
import { type TreeView, treeViewOf, type ViewRequest } from '../../kernel/files/reach.ts';
import { NotEntered, type OpenWalkFolder, TreeFolder, WalkFolders } from './held-folders.ts';
import { type FolderParts, InodeClaims, type SharedWalk } from './shared-walk.ts';

/** Deeper than this nothing is looked at. */
const mostDepth = 5000;
const mostSkipped = 100;
/** At a time, to the other thread. */
const mostGiven = 64;
const deepestGiven = 30;

export interface WalkFolder {
  readonly tree: TreeFolder;
  readonly open: OpenWalkFolder;
  readonly view: TreeView;
}

interface WaitingFolder {
  readonly tree: TreeFolder;
  readonly view: TreeView;
}

export interface Walked {
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
  readonly deniedTotal: number;
}

export interface TreeWalkOptions {
  readonly request: ViewRequest;
  readonly share: SharedWalk;
  /** Of folders that either thread has been in. */
  readonly claims: SharedArrayBuffer;
  /** Whether this thread begins it; else it waits until it is given folders. */
  readonly begins: boolean;
}

/** Thrown when the caller has asked to stop, and waits for no answer. */
export class WalkStopped extends Error {
  override readonly message = 'The walk was stopped';
}

export class TreeWalk implements Disposable {
  readonly #base: LookBase;
  readonly #share: SharedWalk;
  readonly claims: InodeClaims;
  readonly folders: WalkFolders;
  readonly #view: TreeView;
  readonly #waiting: WaitingFolder[] = [];
  readonly #skipped: SkippedFile[] = [];
  #skippedTotal = 0;
  deniedTotal = 0;

  constructor({ request, share, claims, begins }: TreeWalkOptions) {
    this.#base = request.base;
    this.#share = share;
    this.claims = new InodeClaims(claims);
    this.#view = treeViewOf(request);
    this.folders = new WalkFolders(request.base);
    if (begins) this.#waiting.push({ tree: this.folders.root, view: this.#view });
  }

  get walked(): Walked {
    const { deniedTotal } = this;
    return { skipped: this.#skipped, skippedTotal: this.#skippedTotal, deniedTotal };
  }

  [Symbol.dispose](): void {
    this.folders[Symbol.dispose]();
  }

  /** One folder after the other, until none is left. */
  async each(look: (folder: WalkFolder) => Promise<void>): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const open = this.#enter(next.tree);
      try {
        if (open !== undefined) await look({ ...next, open });
      } catch (failure) {
        // The system may refuse to list what it let us open.
        if (failure instanceof WalkStopped || !isOfDisk(failure)) throw failure;
        this.skip(next.tree, undefined, 'unreadable');
      }
      if (next.tree.waiting === 0) this.folders.close(next.tree);
      this.#share.finished();
    }
    this.checkStopped();
  }

  /** To be walked later. Whether it will be. */
  add({ tree, view }: WalkFolder, name: string): boolean {
    const into = view.into(name);
    if (into === undefined) return false;
    if (tree.depth >= mostDepth) {
      this.skip(tree, name, 'too-deep');
      return true;
    }
    this.#share.found(1);
    tree.waiting++;
    this.#waiting.push({ tree: new TreeFolder(tree, name), view: into });
    return true;
  }

  skip(folder: TreeFolder, name: string | undefined, why: SkippedFile['why']): void {
    this.#skippedTotal++;
    if (this.#skipped.length >= mostSkipped) return;
    this.#skipped.push({ path: pathOf(this.#base, folder, name), why });
  }

  checkStopped(): void {
    if (this.#share.isStopped) throw new WalkStopped();
  }

  #next(): WaitingFolder | undefined {
    this.checkStopped();
    if (this.#isWorthGiving() && this.#share.isAskedFor) this.#giveHalf();
    if (this.#waiting.length === 0) this.#put(this.#share.take());
    return this.#waiting.pop();
  }

  // The thread that gets a folder opens the path to it again: deep down that is most of the work.
  #isWorthGiving(): boolean {
    const [upper] = this.#waiting;
    return upper !== undefined && this.#waiting.length > 1 && upper.tree.depth <= deepestGiven;
  }

  // The upper ones, below which there is most.
  #giveHalf(): void {
    const given = this.#waiting.splice(0, Math.min(mostGiven, Math.ceil(this.#waiting.length / 2)));
    this.#share.give(given.map(({ tree }) => tree.parts()));
    for (const { tree } of given) this.#opened(tree);
  }

  /** What the other thread had; its folders are opened here once more, from the base. */
  #put(folders: readonly FolderParts[]): void {
    // Folders on the path to one are often on the path to the next.
    let path: WaitingFolder[] = [];
    for (const parts of folders) {
      const known = path.findIndex(({ tree }, index) => tree.name !== parts[index]);
      if (known !== -1) path = path.slice(0, known);
      for (const name of parts.slice(path.length)) {
        const above = path.at(-1) ?? { tree: this.folders.root, view: this.#view };
        const view = above.view.into(name);
        if (view !== undefined) path.push({ tree: new TreeFolder(above.tree, name), view });
      }
      const last = path.length === parts.length ? path.at(-1) : undefined;
      if (last === undefined) this.#share.finished();
      else this.#waiting.push(last);
    }
  }

  #enter(tree: TreeFolder): OpenWalkFolder | undefined {
    try {
      const open = this.folders.open(tree);
      return this.claims.isFirst(open.stats.ino) ? open : undefined;
    } catch (failure) {
      if (!(failure instanceof NotEntered)) throw failure;
      this.skip(tree, undefined, failure.why);
      return undefined;
    } finally {
      this.#opened(tree);
    }
  }

  #opened({ above }: TreeFolder): void {
    if (above === undefined) return;
    above.waiting--;
    if (above.waiting <= 0) this.folders.close(above);
  }
}

export function pathOf(base: LookBase, folder: TreeFolder, name?: string): string {
  const parts = name === undefined ? folder.parts() : [...folder.parts(), name];
  if (parts.length === 0) return base.path;
  return `${base.path === '/' ? '' : base.path}/${parts.join('/')}`;
}

function isOfDisk(failure: unknown): boolean {
  return failure instanceof Error && 'syscall' in failure;
}
