/** Whether bytes are text, and what they are when they are not. */
import { must } from '../kernel/must.ts';

/** The text, or undefined where the bytes are not UTF-8. Keeps a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // That is how it says so.
    return undefined;
  }
}

/** Without the halves of characters that a cut left at either end. */
export function wholeCharacters(
  bytes: Uint8Array,
  cut: { readonly start: boolean; readonly end: boolean },
): Uint8Array {
  const start = cut.start ? bytes.findIndex((byte) => !isContinuation(byte)) : 0;
  const isFar = start === -1 || start > longestTail;
  const rest = isFar ? bytes : bytes.subarray(start);
  return cut.end ? rest.subarray(0, rest.length - openTail(rest)) : rest;
}

// A character has one byte that begins it, and at most three that go on.
const longestTail = 3;

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many bytes at the end are of a character that is not whole. */
function openTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(longestTail, bytes.length); back++) {
    const byte = must(bytes[bytes.length - back], 'a byte near the end');
    if (!isContinuation(byte)) return back < characterBytes(byte) ? back : 0;
  }
  return 0;
}

function characterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

const beginnings: readonly (readonly [hex: string, type: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['1f8b', 'application/gzip'],
  ['7f454c46', 'application/x-elf'],
  ['53514c69746520666f726d6174203300', 'application/vnd.sqlite3'],
];

/** A guess by the first bytes. */
export function typeOfBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  const known = beginnings.find(([beginning]) => hex.startsWith(beginning));
  return known?.[1] ?? 'application/octet-stream';
}
