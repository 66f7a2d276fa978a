/** Which files have it in their text: by ripgrep, or by our own scan where there is none. */

import type { Matcher } from '../../../files/search/matcher.ts';
import type { SkippedFile } from '../../../kernel/files/look.ts';
import type { PathFilter } from './filter.ts';
import type { HeldTree } from './held.ts';
import type { FittingLine } from './rg-output.ts';
import { NoRipgrep, runRipgrep } from './rg-run.ts';
import { scanLines } from './scan.ts';
import type { Stop } from './stop.ts';
import { wholeText } from './text.ts';
import { walkFolders, whySkipped } from './walk.ts';

export interface ContentSearch {
  readonly tree: HeldTree;
  readonly matcher: Matcher;
  readonly filter: PathFilter;
  readonly hidden: boolean;
  readonly recursive: boolean;
  /** The program; nothing where there is none. */
  readonly ripgrep: string | undefined;
  readonly stop: Stop;
  readonly onFile: (parts: readonly string[], lines: readonly FittingLine[]) => void;
  readonly onSkipped: (parts: readonly string[], why: SkippedFile['why']) => void;
}

export async function searchContent(search: ContentSearch): Promise<void> {
  if (search.ripgrep === undefined) return scanAll(search);
  try {
    await byRipgrep(search, search.ripgrep);
  } catch (failure) {
    if (!isNotStarted(failure)) throw failure;
    scanAll(search);
  }
}

async function byRipgrep(search: ContentSearch, program: string): Promise<void> {
  const { tree, matcher, filter, hidden, recursive, stop } = search;
  const { unread } = await runRipgrep(
    {
      program,
      base: tree.root,
      ...matcher.ripgrep,
      hidden,
      recursive,
      onFile: ({ parts, lines }) => {
        if (isShown(filter, parts)) search.onFile(parts, lines);
      },
    },
    stop.signal,
  );
  for (const parts of unread) noteUnread(search, parts);
}

// The program says which, but a name can say anything: so the file itself is asked.
function noteUnread({ tree, onSkipped }: ContentSearch, parts: readonly string[]): void {
  try {
    tree.read(parts, () => undefined);
  } catch (failure) {
    if (whySkipped(failure) === 'unreadable') onSkipped(parts, 'unreadable');
  }
}

function isShown(filter: PathFilter, parts: readonly string[]): boolean {
  return filter.shows(parts.slice(0, -1), parts.at(-1) ?? '', 'file');
}

/** The program is not there, or is none for this machine. */
function isNotStarted(failure: unknown): boolean {
  if (failure instanceof NoRipgrep) return true;
  if (!(failure instanceof Error) || !('syscall' in failure)) return false;
  return String(failure.syscall).startsWith('spawn');
}

function scanAll(search: ContentSearch): void {
  const { tree, filter, onSkipped, stop } = search;
  const script = search.matcher.script();
  const enters: PathFilter['enters'] = (folders, name) => filter.enters(folders, name);
  for (const { parts, entries } of walkFolders(tree, { enters, onSkipped })) {
    for (const { name, kind } of entries) {
      if (stop.isOver()) return;
      if (kind === 'file' && filter.shows(parts, name, kind))
        scanFile(search, [...parts, name], script);
    }
  }
}

function scanFile(search: ContentSearch, parts: readonly string[], script: RegExp): void {
  try {
    const text = search.tree.read(parts, (file, { size }) => wholeText(file, size));
    const lines = text === undefined ? [] : scanLines(text, script);
    if (lines.length > 0) search.onFile(parts, lines);
  } catch (failure) {
    search.onSkipped(parts, whySkipped(failure));
  }
}
