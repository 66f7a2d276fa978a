/** Finding a program before it is started, so that what is wrong can be said in words. */
import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { ProgramOrder } from '../../kernel/programs.ts';
import { quote } from '../../kernel/quote.ts';

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

function placesOf(name: string, cwd: string, searchPath: string): string[] {
  if (name === '') return [];
  if (name.includes('/')) return [resolve(cwd, name)];
  // An empty place would be the working folder: that is somebody else's choice of a program.
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

function mayExecute(path: string): boolean {
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
