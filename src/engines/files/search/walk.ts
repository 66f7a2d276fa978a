/**
 * Every name below a held folder, folder by folder. Nothing is looked at but names and kinds:
 * of very many files only few are of interest, and those are looked at later.
 */
import type { FileKind, SkippedFile } from '../../../kernel/files/look.ts';
import { kindOf, nameOf, namesIn } from '../folder-names.ts';
import { type HeldTree, type OpenFolder, OtherDisk } from './held.ts';

/** Deeper than this nothing is looked for. */
const mostLevels = 4000;

export interface WalkedFolder {
  /** Below the base. */
  readonly parts: readonly string[];
  readonly folder: OpenFolder;
  readonly entries: readonly WalkedEntry[];
}

export interface WalkedEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface WalkOptions {
  /** The folder to begin with; the base itself where nothing is said. */
  readonly from?: readonly string[];
  /** Whether to look into this folder, or at it at all. */
  readonly enters: (parts: readonly string[], name: string) => boolean;
  /** Told of what could not be looked into. */
  readonly onSkipped: (parts: readonly string[], why: SkippedFile['why']) => void;
}

/** The folders, each before those below it. */
export function* walkFolders(tree: HeldTree, options: WalkOptions): Generator<WalkedFolder> {
  const seen = new Set<bigint>();
  const waiting: (readonly string[])[] = [options.from ?? []];
  for (let parts = waiting.pop(); parts !== undefined; parts = waiting.pop()) {
    const walked = lookInto(tree, parts, options);
    if (walked === undefined || seen.has(walked.folder.stats.ino)) continue;
    seen.add(walked.folder.stats.ino);
    yield walked;
    for (const { name, kind } of walked.entries) {
      if (kind !== 'folder' || !options.enters(parts, name)) continue;
      if (parts.length < mostLevels) waiting.push([...parts, name]);
      else options.onSkipped([...parts, name], 'too-deep');
    }
  }
}

export function lookInto(
  tree: HeldTree,
  parts: readonly string[],
  { onSkipped }: Pick<WalkOptions, 'onSkipped'>,
): WalkedFolder | undefined {
  try {
    const folder = parts.length === 0 ? tree.root : tree.folder(parts);
    return { parts, folder, entries: entriesOf(folder) };
  } catch (failure) {
    onSkipped(parts, whySkipped(failure));
    return undefined;
  }
}

/** What kept a folder or a file from being looked into. */
export function whySkipped(failure: unknown): SkippedFile['why'] {
  if (failure instanceof OtherDisk) return 'other-disk';
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return code === 'EACCES' || code === 'EPERM' || code === 'EIO' ? 'unreadable' : 'gone';
}

function entriesOf(folder: OpenFolder): WalkedEntry[] {
  const entries: WalkedEntry[] = [];
  for (const batch of namesIn(folder)) {
    for (const entry of batch) entries.push({ name: nameOf(entry), kind: kindOf(entry) });
  }
  return entries;
}
