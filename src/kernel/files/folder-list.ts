/**
 * What a folder is sent as: a line that says how many entries there are, a line of JSON for
 * each of them, and then the bytes of all files, one behind the other, in the same order.
 *
 * F1. A list is data of another principal. Nothing in it leads out of the folder that is received:
 *     every part of a path is a name, and a link leads to something inside.
 * F2. A folder stands before what is in it, and no path comes twice; so nothing is written
 *     through something that came before as a link or a file.
 */
import { AosError } from '../errors.ts';
import type { Instant } from '../ports.ts';
import { quote } from '../text/quote.ts';
import { checkFileName } from './names.ts';

export type FolderEntry =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly sizeBytes: number;
      readonly mode: number;
      readonly modifiedAt: Instant;
    }
  | {
      readonly kind: 'folder';
      readonly path: string;
      readonly mode: number;
      readonly modifiedAt: Instant;
    }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

export const folderLimits = {
  entries: 100_000,
  listBytes: 64 * 1024 * 1024,
  pathBytes: 4096,
  depth: 100,
} as const;

const magic = 'AOSF1';
/** The first line is never longer. */
export const headLineBytes = 64;

/** As bytes; what comes behind it are the files. */
export function printFolderList(entries: readonly FolderEntry[]): Uint8Array {
  const lines = Buffer.from(entries.map((entry) => `${JSON.stringify(wireOf(entry))}\n`).join(''));
  if (lines.length > folderLimits.listBytes) throw badFolder('its list is too long');
  return Buffer.concat([Buffer.from(`${magic} ${entries.length} ${lines.length}\n`), lines]);
}

function wireOf(entry: FolderEntry): object {
  if (entry.kind === 'link') return { path: entry.path, link: entry.target };
  const { path, mode, modifiedAt: mtime_ms } = entry;
  if (entry.kind === 'folder') return { path, folder: true, mode, mtime_ms };
  return { path, size: entry.sizeBytes, mode, mtime_ms };
}

export interface ListHead {
  readonly entries: number;
  /** Of the first line. */
  readonly headBytes: number;
  readonly listBytes: number;
}

/** What the first line says; refused when it says too much. */
export function parseListHead(bytes: Uint8Array): ListHead {
  const text = Buffer.from(bytes.subarray(0, headLineBytes)).toString('latin1');
  const line = /^AOSF1 (\d{1,9}) (\d{1,9})\n/.exec(text);
  if (line === null) throw badFolder('it does not begin with a list');
  const [head, entries, listBytes] = [line[0], Number(line[1]), Number(line[2])];
  if (entries > folderLimits.entries) {
    throw badFolder(`it has ${entries} entries, and at most ${folderLimits.entries} are taken`);
  }
  if (listBytes > folderLimits.listBytes) throw badFolder('its list is too long');
  return { entries, headBytes: head.length, listBytes };
}

export interface ListOptions {
  readonly allowCaseClash?: boolean | undefined;
}

/** F1, F2: the entries, each of them safe; refused in words when one is not. */
export function parseFolderList(
  head: ListHead,
  list: Uint8Array,
  { allowCaseClash = false }: ListOptions = {},
): FolderEntry[] {
  const text = utf8(list);
  const lines = text === '' ? [] : text.slice(0, -1).split('\n');
  if ((text !== '' && !text.endsWith('\n')) || lines.length !== head.entries) {
    throw badFolder('its list is cut off');
  }
  const seen = new Map<string, FolderEntry>();
  const folded = new Map<string, string>();
  return lines.map((line) => {
    const entry = entryIn(line);
    checkPlace(entry, seen);
    if (!allowCaseClash) checkCase(entry.path, folded);
    return entry;
  });
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badFolder('its list is no text');
  }
}

function entryIn(line: string): FolderEntry {
  const found = jsonIn(line);
  const { path, link, folder, size, mode, mtime_ms } = found;
  if (typeof path !== 'string') throw badFolder('an entry has no path');
  checkPath(path);
  if (typeof link === 'string') {
    checkLinkTarget(path, link);
    return { kind: 'link', path, target: link };
  }
  if (!isCount(mode) || !isTime(mtime_ms)) throw badFolder(`${quote(path)} has no mode or time`);
  const facts = { path, mode: mode & 0o777, modifiedAt: mtime_ms };
  if (folder === true) return { kind: 'folder', ...facts };
  if (!isCount(size)) throw badFolder(`${quote(path)} has no size`);
  return { kind: 'file', ...facts, sizeBytes: size };
}

function jsonIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(line);
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return { ...found };
  } catch {
    // Said below, in the same words.
  }
  throw badFolder('an entry is not JSON');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** What is from before 1970 is below nothing. */
function isTime(value: unknown): value is Instant {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function checkPath(path: string): void {
  const parts = path.split('/');
  if (Buffer.byteLength(path) > folderLimits.pathBytes || parts.length > folderLimits.depth) {
    throw badFolder('a path in it is too long');
  }
  for (const part of parts) checkFileName(part, (shown, rule) => badFolder(`of ${shown}, ${rule}`));
}

/** Relative, and never above the folder that is sent. */
export function checkLinkTarget(path: string, target: string): void {
  if (!staysInside(path, target)) {
    throw badFolder(`the link ${quote(path)} leads to ${quote(target.slice(0, 200))}, outside it`);
  }
}

export function staysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  if (Buffer.byteLength(target) > folderLimits.pathBytes) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const names = ups === -1 ? [] : parts.slice(ups);
  // Behind a name there may be another link, and what is above that cannot be told from here.
  if (names.includes('..')) return false;
  return parts.length - names.length <= path.split('/').length - 1;
}

// F2
function checkPlace(entry: FolderEntry, seen: Map<string, FolderEntry>): void {
  const { path } = entry;
  if (seen.has(path)) throw badFolder(`${quote(path)} is in it twice`);
  const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (above !== '' && seen.get(above)?.kind !== 'folder') {
    throw badFolder(`${quote(path)} stands in something that is no folder`);
  }
  seen.set(path, entry);
}

function checkCase(path: string, folded: Map<string, string>): void {
  const key = path.normalize('NFC').toLowerCase();
  const other = folded.get(key);
  if (other !== undefined) {
    throw new AosError('transfer.bad-folder', {
      message: `The folder has ${quote(other)} and ${quote(path)}, which are one name on some disks`,
      fix: 'Where yours tells them apart: --allow-case-clash',
    });
  }
  folded.set(key, path);
}

/** `why` goes on where "The folder cannot be received: " ends. */
function badFolder(why: string): AosError {
  return new AosError('transfer.bad-folder', {
    message: `The folder cannot be received: ${why}`,
    fix: 'Ask the sender what it is; nothing of it was written under its name',
  });
}
