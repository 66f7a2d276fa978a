/**
 * Names of files that come from another principal: what could do harm where they arrive is refused.
 */

import {
  folded,
  secretNames,
  secretPlaces,
  sensitiveNames,
  userPlaces,
} from '../capability/sensitive-path.ts';
import { AosError, type ErrorCode } from '../errors.ts';
import type { DiskView } from '../ports.ts';
import { quote } from '../text/quote.ts';

const mostBytes = 255;
/** Of our own files, which lie beside what is received. */
export const ownPrefix = '.aos-';

/**
 * Refuses a name, with the rule that is broken. What is thrown is a `transfer.bad-name` for the
 * sender, or what `refuse` makes of the name, quoted, and the rule.
 */
export function checkFileName(
  name: string,
  refuse: (shown: string, rule: string) => AosError = notSent,
): void {
  const broken = brokenRule(name);
  if (broken === undefined) return;
  throw refuse(quote(name.length > 80 ? `${name.slice(0, 80)}…` : name), broken);
}

function notSent(shown: string, rule: string): AosError {
  return new AosError('transfer.bad-name', {
    message: `A file cannot be sent as ${shown}: ${rule}`,
    fix: 'Rename it, or give it another name with --name',
  });
}

function brokenRule(name: string): string | undefined {
  if (name === '') return 'a name has at least one character';
  if (name === '.' || name === '..') return 'that is a folder and not a name';
  if (name.includes('/')) return 'a name has no "/" in it';
  if (name.includes('\0')) return 'a name has no NUL in it';
  if (!name.isWellFormed()) return 'half of a character is in it';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'a control character or a line end is in it';
  if (name.startsWith(ownPrefix)) return `names that begin with "${ownPrefix}" are taken`;
  const sizeBytes = new TextEncoder().encode(name).length;
  return sizeBytes > mostBytes
    ? `a name has at most ${mostBytes} bytes, and this one has ${sizeBytes}`
    : undefined;
}

// It may be written to all the same; or it is gone.
const unknown: readonly ErrorCode[] = ['disk.denied', 'disk.missing'];

/** How many hard links a file has besides this name; of one that may not be read none are known. */
export async function countOtherNames(view: DiskView, path: string): Promise<number> {
  try {
    await using reader = await view.read(path);
    return Math.max(0, (await reader.identity()).links - 1);
  } catch (failure) {
    if (failure instanceof AosError && unknown.includes(failure.code)) return 0;
    throw failure;
  }
}

/** What is said of them where a new file takes the name of the one that has them. */
export function otherNamesWords(count: number): string {
  return count === 1
    ? 'another name (a hard link), which keeps what was in it'
    : `${count} other names (hard links), which keep what was in it`;
}

// Which names in a walk may be one of the tables of sensitive-path.ts, told without comparing
// each name with each of them. It may say yes too often, and never no wrongly.

const places = [...userPlaces, ...sensitiveNames, ...secretPlaces, ...secretNames].map((place) =>
  place.split('/'),
);

/** Of a name anywhere but in a folder that continues a place: see below. */
export function specialNames(aosHome: readonly string[]): (name: string) => boolean {
  const starts = places.map(([first = '']) => first).filter((name) => !name.startsWith('.'));
  const patterns = [...new Set([...starts, ...aosHome.map((name) => name.toLowerCase())])];
  // What begins with a dot is few, and mostly in the tables. What is no plain ASCII may be
  // folded to one of them.
  const special = new RegExp(`^\\.|[^\\x00-\\x7f]|${patterns.map(ofName).join('|')}`, 'i');
  return (name) => special.test(name);
}

function ofName(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star === -1) return `^${RegExp.escape(pattern)}$`;
  // Where it has a beginning, that alone tells enough.
  if (star > 0) return `^${RegExp.escape(pattern.slice(0, star))}`;
  return `${RegExp.escape(pattern.slice(1))}$`;
}

const middles = new Set(places.flatMap((place) => place.slice(0, -1)));
const [middleStarts, middleNames] = [
  [...middles].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
  [...middles].filter((name) => !name.endsWith('*')),
];

/** From the root: what is in these may be a place of the system, up to so deep. */
const systemFolders = new Set([undefined, 'etc', 'var', 'usr', 'private', 'run', 'sys', 'dev']);
const deepestSystemPlace = 5;

/**
 * Whether what a name stands for in this folder depends on the folder: it is inside our own home,
 * in a folder of the system, or behind the beginning of a place such as `.config`.
 */
export function continuesPlace(parts: readonly string[], aosHome: readonly string[]): boolean {
  const first = parts[0] === undefined ? undefined : folded(parts[0]);
  if (first === 'proc') return true;
  if (systemFolders.has(first) && parts.length <= deepestSystemPlace) return true;
  if (aosHome.every((name, index) => folded(name) === folded(parts[index] ?? ''))) return true;
  const name = folded(parts.at(-1) ?? '');
  return middleNames.includes(name) || middleStarts.some((start) => name.startsWith(start));
}

/** What kind of file a name stands for; a guess by its end, which proves nothing. */
const types: Readonly<Record<string, string>> = {
  ...{ txt: 'text/plain', log: 'text/plain', md: 'text/markdown', csv: 'text/csv' },
  ...{ html: 'text/html', htm: 'text/html', css: 'text/css', js: 'text/javascript' },
  ...{ mjs: 'text/javascript', xml: 'application/xml', json: 'application/json' },
  ...{ jsonl: 'application/jsonl', yaml: 'application/yaml', yml: 'application/yaml' },
  ...{ pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip' },
  ...{ tgz: 'application/gzip', tar: 'application/x-tar', '7z': 'application/x-7z-compressed' },
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif' },
  ...{ webp: 'image/webp', svg: 'image/svg+xml', mp3: 'audio/mpeg', wav: 'audio/wav' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', sqlite: 'application/vnd.sqlite3' },
};

/** Undefined where the extension is not known. */
export function mimeTypeOf(filename: string): string | undefined {
  const end = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, end) ? types[end] : undefined;
}
