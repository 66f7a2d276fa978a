/** Finding a program before it is started, so that what is wrong can be said in words. */
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { ProgramOrder, ProgramPart } from '../../kernel/programs.ts';
import { quote } from '../../kernel/text/quote.ts';

/** The path of the program. Throws `program.missing`, `.not-executable` and `.bad-folder`. */
export function findProgram({
  argv,
  cwd,
  env,
}: Pick<ProgramOrder, 'argv' | 'cwd' | 'env'>): string {
  checkFolder(cwd);
  const [name] = argv;
  const places = placesOf(name, cwd, env['PATH'] ?? '');
  const found = places.map((path) => ({ path, kind: kindOf(path) }));
  const runnable = found.find(({ kind }) => kind === 'program');
  if (runnable !== undefined) return runnable.path;
  const closed = found.find(({ kind }) => kind === 'file');
  throw closed === undefined ? missing(name) : notExecutable(closed.path);
}

// A script may be run by a script; the system itself goes no further than this.
const mostParts = 5;

/** The program, then what its first line says that it is run by, and so on. Throws as above. */
export function programParts(
  order: Pick<ProgramOrder, 'argv' | 'cwd' | 'env'>,
): readonly [ProgramPart, ...ProgramPart[]] {
  const [name] = order.argv;
  const first = partAt(findProgram(order), name);
  const parts: [ProgramPart, ...ProgramPart[]] = [first];
  for (let last: ProgramPart | undefined = first; last !== undefined; ) {
    last = parts.length < mostParts ? runnerOf(last.real, order.env['PATH'] ?? '') : undefined;
    if (last !== undefined) parts.push(last);
  }
  return parts;
}

function partAt(path: string, name: string): ProgramPart {
  return { path, real: realpathSync(path), isSought: !name.includes('/') };
}

/** What is not there is told by the system when the program is started. */
function runnerOf(script: string, searchPath: string): ProgramPart | undefined {
  const [runner, argument] = firstLineWords(script);
  const name = runner === '/usr/bin/env' && argument !== undefined ? argument : runner;
  if (name === undefined) return undefined;
  const path = placesOf(name, '/', searchPath).find((place) => kindOf(place) === 'program');
  return path === undefined ? undefined : partAt(path, name);
}

// The system reads no more of it either.
const longestFirstLine = 256;

/** The words behind `#!`; of `env`, without its own option. None for what is no script. */
function firstLineWords(path: string): readonly string[] {
  const bytes = Buffer.alloc(longestFirstLine);
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      readSync(file, bytes, 0, longestFirstLine, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A program that may be run and not read is no script.
    return [];
  }
  const line = /^#!([^\n\0]*)/.exec(bytes.toString())?.[1] ?? '';
  return line.split(/\s+/).filter((word) => word !== '' && word !== '-S');
}

function placesOf(name: string, cwd: string, searchPath: string): string[] {
  if (name === '') return [];
  if (name.includes('/')) return [resolve(cwd, name)];
  // An empty place would be the working folder, whose writer would then choose the program.
  return searchPath
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name));
}

function kindOf(path: string): 'program' | 'file' | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
  } catch {
    return undefined;
  }
  return mayExecute(path) ? 'program' : 'file';
}

export function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkFolder(cwd: string): void {
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder && mayExecute(cwd)) return;
  throw new AosError('program.bad-folder', {
    message: isFolder
      ? `The working folder ${quote(cwd)} may not be entered`
      : `The working folder ${quote(cwd)} is not there, or is no folder`,
    fix: 'Make it, or name another',
  });
}

function missing(name: string): AosError {
  const where = name.includes('/') ? '' : ' on the PATH';
  return new AosError('program.missing', {
    message: `There is no program ${quote(name)}${where}`,
    fix: 'Install it, or name it by its whole path',
  });
}

function notExecutable(path: string): AosError {
  return new AosError('program.not-executable', {
    message: `${quote(path)} is there and cannot be executed`,
    fix: `chmod +x ${quote(path)}, or name the program that runs it`,
  });
}
