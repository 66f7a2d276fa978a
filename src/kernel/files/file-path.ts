/**
 * Paths in calls of tools. A name is data: a newline, an escape sequence or `-rf` in it is
 * allowed. What would let one path mean two places is not, so that the place which was
 * allowed is the place that is used.
 */

import { hasSameContent, readRest } from '../disk/durable-file.ts';
import { AosError } from '../errors.ts';
import type { Clock, FileIdentity, FileReader } from '../ports.ts';
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

// A file as it was at one moment, although others write to it: half of an old text and half of a
// new one must not be taken for a text. A writer that pauses for longer than a moment between two
// pieces cannot be told from one that is done.
//
// T1. What was written to while it was read is read again.
// T2. A program that writes in pieces may be between two of them. So a file that was written to a
//     moment ago counts only when it is the same a moment later.
// T3. A file that was seen to get longer, and to change in no other way, as a log does, is what it
//     was when it was read last.

interface SteadyRead {
  readonly bytes: Uint8Array;
  /** As it was before and after. */
  readonly identity: FileIdentity;
}

const attempts = 8;
const momentMs = 15;

/** Like readRest(), of one moment; undefined where the file does not come to rest. */
export async function readSteadily(
  clock: Pick<Clock, 'now' | 'sleep'>,
  reader: FileReader,
  { offset, mostBytes }: { readonly offset: number; readonly mostBytes: number },
): Promise<SteadyRead | undefined> {
  let last: SteadyRead | undefined;
  let growth: 'unseen' | 'seen' | 'broken' = 'unseen';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const read = await readOnce(reader, offset, mostBytes);
    // T1
    if (read === undefined) continue;
    if (last !== undefined) {
      // T2
      if (isBeginning(read.bytes, last.bytes) && isBeginning(last.bytes, read.bytes)) return read;
      if (!isBeginning(read.bytes, last.bytes)) growth = 'broken';
      else if (growth === 'unseen') growth = 'seen';
    }
    const ageMs = clock.now() - read.identity.modifiedAt;
    if (ageMs < 0 || ageMs > momentMs) return read;
    last = read;
    await clock.sleep(momentMs);
  }
  // T3
  return growth === 'seen' ? last : undefined;
}

async function readOnce(
  reader: FileReader,
  offset: number,
  mostBytes: number,
): Promise<SteadyRead | undefined> {
  const identity = await reader.identity();
  const bytes = await readRest(reader, offset, mostBytes);
  return hasSameContent(identity, await reader.identity()) ? { bytes, identity } : undefined;
}

function isBeginning(whole: Uint8Array, part: Uint8Array): boolean {
  return Buffer.compare(whole.subarray(0, part.length), part) === 0;
}
