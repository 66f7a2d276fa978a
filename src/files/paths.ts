/**
 * Paths as people and agents write them. `~` is the root, and what does not begin with a slash is
 * below it. Names are data; what would lead out of the root is refused before the disk is asked, so
 * that no caller learns whether it is there.
 */
import { AosError } from '../kernel/errors.ts';
import { printFilePath } from '../kernel/files/file-path.ts';

const longestPathBytes = 4096;
const longestNameBytes = 255;

/** Real paths, without symlinks. The first one is `~`. */
export type Roots = readonly [string, ...string[]];

/** The parts from the root of the machine. Throws `files.invalid-path` or `files.outside-root`. */
export function parsePath(roots: Roots, text: string): readonly string[] {
  const fault = faultOf(text);
  if (fault !== undefined) throw invalidPath(fault);
  const parts = withoutDots(absolute(roots, text));
  if (parts === undefined || !isInside(roots, parts)) throw outsideRoot();
  if (bytesOnDisk(printFilePath(parts)) > longestPathBytes) throw invalidPath(tooLong);
  return parts;
}

export function isInside(roots: Roots, parts: readonly string[]): boolean {
  return roots.some((root) => {
    const above = partsOf(root);
    return above.every((name, index) => parts[index] === name);
  });
}

/** Whether it is a root, or above one. */
export function isRootOrAbove(roots: Roots, parts: readonly string[]): boolean {
  return roots.some((root) => {
    const below = partsOf(root);
    return parts.length <= below.length && parts.every((name, index) => below[index] === name);
  });
}

/** For people: below the root as `~/…`. */
export function shownPath(roots: Roots, path: string): string {
  const [home] = roots;
  if (path === home) return '~';
  const prefix = home === '/' ? '/' : `${home}/`;
  return home !== '/' && path.startsWith(prefix) ? `~/${path.slice(prefix.length)}` : path;
}

export function partsOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

const tooLong = `has more than ${longestPathBytes} bytes`;

function faultOf(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.includes('\0')) return 'has a NUL byte in it';
  if (!isWritten(text)) return 'has half a character in it';
  if (text.length > longestPathBytes) return tooLong;
  const names = text.split('/');
  if (names.some((name) => bytesOnDisk(name) > longestNameBytes)) {
    return `has a name of more than ${longestNameBytes} bytes`;
  }
  return undefined;
}

/** Bytes that are no UTF-8 come as U+DC80 to U+DCFF. */
const loneBytes = /[\uDC80-\uDCFF]/gu;

/** Any other half of a character is none. */
function isWritten(text: string): boolean {
  return text.replace(loneBytes, '').isWellFormed();
}

/** How long a name or a path is there. */
export function bytesOnDisk(text: string): number {
  const lone = text.match(loneBytes)?.length ?? 0;
  return Buffer.byteLength(text.replace(loneBytes, '')) + lone;
}

function absolute([home]: Roots, text: string): readonly string[] {
  if (text === '~' || text.startsWith('~/')) return [...partsOf(home), ...partsOf(text.slice(1))];
  // The home of another user is never inside the root.
  if (/^~[^/]+/.test(text) && !text.startsWith('~/')) {
    if (isUserName(text)) throw outsideRoot();
  }
  return text.startsWith('/') ? partsOf(text) : [...partsOf(home), ...partsOf(text)];
}

// `~jean/x` is the home of jean; a file `~draft.txt` is a file.
function isUserName(text: string): boolean {
  return /^~[a-z_][a-z0-9_-]*(?:\/|$)/i.test(text);
}

/** Undefined where it leads above the root of the machine. */
function withoutDots(parts: readonly string[]): readonly string[] | undefined {
  const kept: string[] = [];
  for (const name of parts) {
    if (name === '.') continue;
    if (name !== '..') kept.push(name);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept;
}

function invalidPath(why: string): AosError {
  return new AosError('files.invalid-path', {
    message: `That path ${why}`,
    fix: 'Write the path of a file or a folder, as ~/Documents/report.txt',
  });
}

export function outsideRoot(): AosError {
  return new AosError('files.outside-root', {
    message: 'That path leads out of the folder that I may work in',
    fix: 'Name something below it; "aos config show" tells which one it is (filesRoot)',
  });
}
