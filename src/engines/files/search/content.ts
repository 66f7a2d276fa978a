/** Which files have it in their text: by ripgrep, or by our own scan where there is none. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Matcher } from '../../../files/search/matcher.ts';
import { AosError } from '../../../kernel/errors.ts';
import type { SkippedFile } from '../../../kernel/files/look.ts';
import { oneLine } from '../../../kernel/text/quote.ts';
import type { HeldTree, OpenSearchFolder, SearchStop } from './held.ts';
import {
  type FittingFile,
  type FittingLine,
  mostTextBytes,
  RgOutput,
  wholeText,
} from './rg-output.ts';
import { type PathFilter, walkFolders, whySkipped } from './walk.ts';

export interface ContentSearch {
  readonly tree: HeldTree;
  readonly matcher: Matcher;
  readonly filter: PathFilter;
  readonly hidden: boolean;
  readonly recursive: boolean;
  /** The program; nothing where there is none. */
  readonly ripgrep: string | undefined;
  readonly stop: SearchStop;
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

const mostLinesOfFile = 50;
const longestLine = 1024 * 1024;
const lineEnd = 10;

export function scanLines(text: Buffer, script: RegExp): FittingLine[] {
  // One look at the whole is cheaper than one at each line; most files do not fit at all.
  if (!mayFit(text, script)) return [];
  const lines: FittingLine[] = [];
  let number = 1;
  for (let offset = 0; offset < text.length && lines.length < mostLinesOfFile; number++) {
    const end = text.indexOf(lineEnd, offset);
    const next = end === -1 ? text.length : end + 1;
    const found = next - offset > longestLine ? [] : stretchesIn(text, offset, next, script);
    if (found.length > 0) {
      lines.push({ number, offset, bytes: text.subarray(offset, next), found });
    }
    offset = next;
  }
  return lines;
}

// A `$` or a `^` means an end of a line here too.
function mayFit(text: Buffer, script: RegExp): boolean {
  return new RegExp(script.source, script.flags.replace('g', 'm')).test(text.toString());
}

function stretchesIn(text: Buffer, start: number, end: number, script: RegExp): string[] {
  const line = text.toString('utf8', start, end).replace(/\n$/, '');
  return [...line.matchAll(script)].map(([found]) => found).filter((found) => found !== '');
}

interface RgRequest {
  readonly program: string;
  readonly base: OpenSearchFolder;
  readonly patterns: readonly string[];
  /** `letters`: as they stand. `any-case`: patterns, in small and capital letters. */
  readonly as: 'letters' | 'pattern' | 'any-case';
  readonly hidden: boolean;
  readonly recursive: boolean;
  readonly onFile: (file: RgFile) => void;
}

interface RgFile {
  /** Below the base. */
  readonly parts: readonly string[];
  readonly lines: FittingFile['lines'];
}

interface RgEnd {
  /** Below the base, those that it could not read: as it says. */
  readonly unread: readonly (readonly string[])[];
}
const mostComplaintBytes = 64 * 1024;
const here = './';

/**
 * Ripgrep over a held folder. It walks by names and may be led astray by a process that swaps a
 * folder for a symlink meanwhile: what it says is a proposal, and verify.ts looks for itself.
 * Resolves when the program has ended, also when the signal ended it.
 */
async function runRipgrep(request: RgRequest, signal: AbortSignal): Promise<RgEnd> {
  if (signal.aborted) return { unread: [] };
  const child = spawn(request.program, [...argumentsOf(request), '--', here], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
    // It stands in the held folder, whatever that is called by now. As a path that leads through
    // a descriptor, each file would cost it twice as much.
    cwd: request.base.path,
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await readAll(child, request, signal);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readAll(
  child: ChildProcess,
  { onFile }: RgRequest,
  signal: AbortSignal,
): Promise<RgEnd> {
  const output = new RgOutput(({ path, lines }) => {
    if (!signal.aborted) onFile({ parts: partsBelow(path), lines });
  });
  let complaints = '';
  child.stdout?.on('data', (chunk: Buffer) => output.take(chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (complaints.length < mostComplaintBytes) complaints += chunk;
  });
  await once(child, 'close');
  if (!output.isWhole && !signal.aborted) throw whyEnded(complaints);
  return { unread: unreadFiles(complaints) };
}

function argumentsOf({ patterns, as, hidden, recursive }: RgRequest): string[] {
  return [
    ...['--json', '--no-config', '--no-ignore', '--no-follow', '--sort=none', '--one-file-system'],
    ...[`--max-filesize=${mostTextBytes}`, `--max-count=${mostLinesOfFile}`],
    ...(hidden ? ['--hidden'] : []),
    ...(recursive ? [] : ['--max-depth=1']),
    ...(as === 'letters' ? ['--fixed-strings'] : []),
    ...(as === 'any-case' ? ['--ignore-case'] : []),
    ...patterns.map((pattern) => `--regexp=${pattern}`),
  ];
}

function partsBelow(path: string): string[] {
  return path.slice(here.length).split('/');
}

/** What was started is not ripgrep, or is not made for this machine. */
class NoRipgrep extends Error {
  override readonly message = 'the program is not ripgrep';
}

function whyEnded(complaints: string): Error {
  if (!complaints.includes('rg: ')) return new NoRipgrep();
  const why = /^error: (.*)$/m.exec(complaints)?.[1] ?? complaints.split('\n', 1)[0] ?? '';
  return new AosError('files.invalid-input', {
    message: `The regular expression is not understood: ${oneLine(why.slice(0, 200))}`,
    fix: 'Write it otherwise, or search for the text as it stands',
  });
}

// A name may say anything, also this: the caller has a look at the file itself.
function unreadFiles(complaints: string): string[][] {
  const pattern = /^rg: (.+): Permission denied \(os error 13\)$/gm;
  return [...complaints.matchAll(pattern)]
    .map(([, path = '']) => path)
    .filter((path) => path.startsWith(here))
    .map(partsBelow);
}
