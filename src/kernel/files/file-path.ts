/**
 * Paths in calls of tools. A name is data: a newline, an escape sequence or `-rf` in it is
 * allowed. What would let one path mean two places is not, so that the place which was
 * allowed is the place that is used.
 */
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

export const longestPathBytes = 4096;
const longestNameBytes = 255;

/** The names on the path from the root; none for the root itself. Throws `file.bad-path`. */
export function parseFilePath(text: string): readonly string[] {
  const fault = faultOf(text);
  if (fault !== undefined) throw badPath(text, fault);
  return text === '/' ? [] : text.slice(1).split('/');
}

export function printFilePath(parts: readonly string[]): string {
  return `/${parts.join('/')}`;
}

/** The folder that a path lies in; `/` for what lies in the root. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a path is that folder, or lies in it. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

interface PathFault {
  readonly why: string;
  readonly fix: string;
}

function faultOf(text: string): PathFault | undefined {
  if (!text.startsWith('/')) {
    return { why: 'does not begin with "/"', fix: 'Write the whole path, from the root' };
  }
  if (text.includes('\0')) return { why: 'has a NUL byte in it', fix: 'Leave it out' };
  if (!text.isWellFormed()) {
    return { why: 'has half a character in it', fix: 'Write it in whole Unicode characters' };
  }
  if (Buffer.byteLength(text) > longestPathBytes) {
    return { why: `has more than ${longestPathBytes} bytes`, fix: 'Use a shorter path' };
  }
  if (text === '/') return undefined;
  for (const name of text.slice(1).split('/')) {
    const fault = faultOfName(name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfName(name: string): PathFault | undefined {
  if (name === '') {
    return { why: 'has two slashes in a row, or one at its end', fix: 'Write one between names' };
  }
  if (name === '.' || name === '..') {
    return { why: `has a part "${name}"`, fix: 'Write the path that it leads to' };
  }
  if (Buffer.byteLength(name) > longestNameBytes) {
    return { why: `has a name of more than ${longestNameBytes} bytes`, fix: 'Use a shorter name' };
  }
  return undefined;
}

const shownCharacters = 200;

function badPath(text: string, { why, fix }: PathFault): AosError {
  const shown =
    text.length > shownCharacters ? `${quote(text.slice(0, shownCharacters))}…` : quote(text);
  return new AosError('file.bad-path', { message: `The path ${shown} ${why}`, fix });
}
