/**
 * Ripgrep over a held folder. It walks by names and may be led astray by who swaps a folder for
 * a symlink meanwhile: what it says is a proposal, and verify.ts looks for itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AosError } from '../../../kernel/errors.ts';
import { oneLine } from '../../../kernel/text/quote.ts';
import type { OpenFolder } from './held.ts';
import { type FittingFile, RgOutput } from './rg-output.ts';
import { mostTextBytes } from './text.ts';

export interface RgRequest {
  readonly program: string;
  readonly base: OpenFolder;
  readonly patterns: readonly string[];
  /** `letters`: as they stand. `any-case`: patterns, in small and capital letters. */
  readonly as: 'letters' | 'pattern' | 'any-case';
  readonly hidden: boolean;
  readonly recursive: boolean;
  readonly onFile: (file: RgFile) => void;
}

export interface RgFile {
  /** Below the base. */
  readonly parts: readonly string[];
  readonly lines: FittingFile['lines'];
}

export interface RgEnd {
  /** Below the base, those that it could not read: as it says. */
  readonly unread: readonly (readonly string[])[];
}

/** So many lines of a file say enough of it. */
const linesOfFile = 50;
const mostComplaintBytes = 64 * 1024;
const here = './';

/** Resolves when the program has ended, also when the signal ended it. */
export async function runRipgrep(request: RgRequest, signal: AbortSignal): Promise<RgEnd> {
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
    ...[`--max-filesize=${mostTextBytes}`, `--max-count=${linesOfFile}`],
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
export class NoRipgrep extends Error {
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

// A name may say anything, also this: whoever uses it has a look at the file itself.
function unreadFiles(complaints: string): string[][] {
  const pattern = /^rg: (.+): Permission denied \(os error 13\)$/gm;
  return [...complaints.matchAll(pattern)]
    .map(([, path = '']) => path)
    .filter((path) => path.startsWith(here))
    .map(partsBelow);
}
