/** One entry of a tar archive (POSIX ustar): its header, its bytes, and what fills the block. */

const blockBytes = 512;
const longestNameBytes = 100;

export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** In seconds since 1970. */
  readonly modified: number;
}

export function tarEntry({ name, bytes, modified }: TarFile): Uint8Array[] {
  const fits = Buffer.byteLength(name) <= longestNameBytes;
  const plain = fits ? name : 'long-name';
  return [
    ...(fits ? [] : longName(name, modified)),
    header(plain, bytes.length, modified, '0'),
    bytes,
    filling(bytes.length),
  ];
}

// A name that does not fit stands in an entry of its own before the file's.
function longName(name: string, modified: number): Uint8Array[] {
  const record = ` path=${name}\n`;
  const bytes = Buffer.byteLength(record);
  // The length counts its own digits.
  const digits = String(bytes + String(bytes + 4).length).length;
  const text = Buffer.from(`${bytes + digits}${record}`);
  return [header('long-name', text.length, modified, 'x'), text, filling(text.length)];
}

function header(name: string, sizeBytes: number, modified: number, type: '0' | 'x'): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0);
  block.write(octal(0o600, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(sizeBytes, 11), 124);
  block.write(octal(modified, 11), 136);
  // The sum is taken with blanks in its own place.
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0').slice(-digits);
}

function filling(sizeBytes: number): Uint8Array {
  return new Uint8Array((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}
