/**
 * What is going to be done, step by step, before any of it is. A plan holds what each file was
 * when it was made: a step whose file is another one by then is not done.
 */
import { hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { FileAction } from '../../kernel/files/request.ts';
import type { DiskEntry } from '../../kernel/ports.ts';
import { canonicalJson } from '../../kernel/text/quote.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { isRootOrAbove, partsOf } from '../paths.ts';

/** What stood under a name: equal ones mean that nothing was changed or put in its place. */
export interface Was {
  readonly kind: DiskEntry['kind'];
  readonly device: string;
  readonly inode: string;
  readonly sizeBytes: number;
  readonly modifiedNs: string;
  readonly mode: number;
  /** Of a folder: all that is in it, to tell whether that has changed. */
  readonly tree?: TreeFacts | undefined;
}

export interface TreeFacts {
  readonly files: number;
  readonly bytes: number;
  /** Over the names, sizes, times and inodes of everything below. */
  readonly digest: string;
  /** What could not be looked into. */
  readonly unseen?: number | undefined;
}

export type PlanStep =
  | { readonly do: 'make-folder'; readonly to: string }
  | MoveStep
  | CopyStep
  | { readonly do: 'trash'; readonly from: string; readonly was: Was }
  /** For ever. */
  | { readonly do: 'remove'; readonly from: string; readonly was: Was }
  | WriteStep
  | RestoreStep
  /** When it is empty; else it stays. */
  | { readonly do: 'remove-folder'; readonly from: string };

export interface MoveStep {
  readonly do: 'move';
  readonly from: string;
  readonly to: string;
  readonly was: Was;
  /** What goes to the trash so that this gets its name. */
  readonly replaces?: Was | undefined;
}

interface CopyStep extends Omit<MoveStep, 'do'> {
  readonly do: 'copy';
}

/** The bytes lie beside the journal until they are written. */
export interface WriteStep {
  readonly do: 'write';
  readonly to: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly replaces?: Was | undefined;
  /** How many hard links what is replaced has besides this name; they keep what they have. */
  readonly otherNames?: number | undefined;
}

/** Out of the trash. */
interface RestoreStep {
  readonly do: 'restore';
  readonly from: string;
  /** What the trash says of it, which goes with it. */
  readonly info: string;
  readonly to: string;
  readonly was: Was;
}

/** What could be asked for and is not done, with the reason; nothing of it is a step. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** A folder as it was before anything in it is touched. */
export interface FolderTime {
  readonly path: string;
  readonly modifiedNs: string;
}

export interface Plan {
  readonly action: FileAction | 'undo_plan' | 'restore_file';
  readonly steps: readonly PlanStep[];
  readonly leftOut: readonly LeftOut[];
  /** Whose names are changed: their times change with that, and an undo brings them back. */
  readonly folders: readonly FolderTime[];
  readonly files: number;
  readonly bytes: number;
  readonly onError: 'stop' | 'continue';
  /** Anything is deleted or replaced, for which the owner's yes is always needed. */
  readonly isDestructive: boolean;
  readonly isPermanent: boolean;
  /** Of an undo: for each step, which one of the other plan it takes back. */
  readonly takesBack?: readonly number[] | undefined;
  /** Of an undo: times that folders get back, because only the plan has changed them. */
  readonly times?: readonly FolderTime[] | undefined;
}

/** Equal only when the same would be done to the same files. */
export function hashOfPlan({ action, steps, onError }: Plan): string {
  return hash('sha256', canonicalJson({ action, steps, onError }));
}

export function wasOf(entry: DiskEntry, tree?: TreeFacts): Was {
  const { kind, device, inode, sizeBytes, modifiedNs, mode } = entry;
  // What a folder takes on the disk differs from one system to the next, and means nothing.
  const facts = { kind, device, inode, sizeBytes: kind === 'folder' ? 0 : sizeBytes };
  return { ...facts, modifiedNs, mode, ...(tree === undefined ? {} : { tree }) };
}

/** Whether it is still the same file, unchanged. What is in a folder is not looked at. */
export function isStill(was: Was, entry: DiskEntry | undefined): boolean {
  if (entry === undefined) return false;
  const now = wasOf(entry);
  return (
    isSame(was, entry) &&
    now.kind === was.kind &&
    now.sizeBytes === was.sizeBytes &&
    (now.kind === 'folder' || now.modifiedNs === was.modifiedNs)
  );
}

/** Whether it is that very file, changed or not. */
export function isSame(
  one: Pick<Was, 'device' | 'inode'>,
  other: Pick<Was, 'device' | 'inode'> | undefined,
): boolean {
  return other !== undefined && one.device === other.device && one.inode === other.inode;
}

type ProtectedDeps = Pick<FilesDeps, 'home' | 'trash'>;

/** What it is, where it is protected: the root, what is above it, the trash, and our own home. */
export function whyProtected(
  { home, trash }: ProtectedDeps,
  { roots }: Pick<FileCaller, 'roots'>,
  path: string,
): string | undefined {
  const parts = partsOf(path);
  if (isRootOrAbove(roots, parts)) return 'the folder that everything else is in';
  // The workspace of an agent is its own, wherever the home is.
  const isOwn = roots.slice(1).some((root) => isWithin(root, path) && path !== root);
  if (!isOwn && (isRootOrAbove([home], parts) || isWithin(home, path))) {
    return 'where Agent OS keeps its own things';
  }
  return isRootOrAbove([trash], parts) || isWithin(trash, path) ? 'where the trash is' : undefined;
}

export function checkUnprotected(
  deps: ProtectedDeps,
  caller: Pick<FileCaller, 'roots'>,
  path: string,
): void {
  const what = whyProtected(deps, caller, path);
  if (what === undefined) return;
  throw new AosError('files.protected', {
    message: `That is ${what}, which I never move, change or delete`,
    fix: 'Name something inside it',
  });
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
