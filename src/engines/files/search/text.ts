/** The text of a file, as ripgrep reads it too: a mark at its beginning says how it is written. */
import { readSync } from 'node:fs';

/** Larger files are not searched. */
export const mostTextBytes = 16 * 1024 * 1024;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** In UTF-8, without the mark. At most `length` bytes from `offset`. */
export function textBytesAt(
  descriptor: number,
  { offset, length }: { readonly offset: number; readonly length: number },
): Buffer {
  const encoding = markedEncoding(bytesAt(descriptor, 0, 3));
  if (encoding === undefined) return bytesAt(descriptor, offset, length);
  // Where it is written otherwise, places are those of what comes out.
  return decoded(bytesAt(descriptor, 0, mostTextBytes), encoding).subarray(offset, offset + length);
}

/** The whole text; nothing where it is none, or too large. */
export function wholeText(descriptor: number, sizeBytes: bigint): Buffer | undefined {
  if (sizeBytes > BigInt(mostTextBytes)) return undefined;
  const bytes = bytesAt(descriptor, 0, Number(sizeBytes));
  const encoding = markedEncoding(bytes.subarray(0, 3));
  const text = encoding === undefined ? bytes : decoded(bytes, encoding);
  return text.includes(0) ? undefined : text;
}

function bytesAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function decoded(bytes: Buffer, encoding: Encoding): Buffer {
  return Buffer.from(new TextDecoder(encoding).decode(bytes));
}
