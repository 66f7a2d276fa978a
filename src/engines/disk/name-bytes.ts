/**
 * Names that are no UTF-8. In memory each byte that does not fit is half of a character
 * (U+DC80 to U+DCFF), which no real name has, so that every name of the disk is one text, and the
 * text leads back to the very name.
 */
import { readdirSync } from 'node:fs';
import { must } from '../../kernel/must.ts';

/** The names in a folder, sorted by code units. */
export function namesIn(path: string): string[] {
  const names = readdirSync(bytesOf(path));
  // What stands for bytes that are no text may also be a character of a name.
  const isPlain = !names.some((name) => name.includes('\uFFFD'));
  const all = isPlain ? names : readdirSync(bytesOf(path), 'buffer').map(textOf);
  return all.sort();
}

/** What the system takes for a path: the text itself wherever that is one. */
export function bytesOf(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  return Buffer.concat(Array.from(path, (character) => bytesOfCharacter(character)));
}

function bytesOfCharacter(character: string): Buffer {
  const code = character.charCodeAt(0);
  const isByte = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
  return isByte ? Buffer.of(code - 0xdc00) : Buffer.from(character);
}

export function textOf(name: Buffer): string {
  const text = name.toString();
  if (Buffer.from(text).equals(name)) return text;
  let written = '';
  for (let place = 0; place < name.length; ) {
    const length = lengthOfCharacter(name, place);
    if (length === 0)
      written += String.fromCharCode(0xdc00 + must(name[place], 'a byte of the name'));
    else written += name.toString('utf8', place, place + length);
    place += Math.max(1, length);
  }
  return written;
}

/** How many bytes the character here has; 0 where there is none. */
function lengthOfCharacter(name: Buffer, place: number): number {
  for (let length = 1; length <= 4 && place + length <= name.length; length++) {
    const text = name.toString('utf8', place, place + length);
    if (!text.includes('\uFFFD')) return length;
    // Written so, it is one.
    if (text === '\uFFFD' && Buffer.from(text).equals(name.subarray(place, place + length))) {
      return length;
    }
  }
  return 0;
}

/** Linux: opens a file without reading it, also one that is closed to us. Node has no name for it. */
export const O_PATH = 0o10000000;
