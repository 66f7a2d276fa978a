/** What a file is, by its content. Only ordinary files are opened, and never through a symlink. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { emptyType, exactType, unknownType } from '../../kernel/files/types.ts';
import { bytesOf } from '../disk/owners.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** As much as is needed to tell the type. */
const headBytes = 4100;

/** Undefined where it cannot be read, or is no ordinary file any more. */
export async function contentType(heldPath: string, name: string): Promise<string | undefined> {
  const head = readHead(`${heldPath}/${name}`, headBytes);
  return head && exactType(await foundType(head), name);
}

/** The beginning of a file. */
export function readHead(path: string, most: number): Uint8Array | undefined {
  try {
    return withFile(path, (descriptor, sizeBytes) => {
      const head = new Uint8Array(Math.min(most, sizeBytes));
      return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
    });
  } catch (failure) {
    // It was taken away, or is closed to us. What cannot be looked into has no type.
    if (failure instanceof Error && 'syscall' in failure) return undefined;
    throw failure;
  }
}

/** Throws what the system says; undefined where it is no ordinary file. */
export function withFile<Result>(
  path: string,
  work: (descriptor: number, sizeBytes: number) => Result,
): Result | undefined {
  // O_NONBLOCK: without it, opening a FIFO waits until another process writes to it.
  const descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const info = fstatSync(descriptor);
    return info.isFile() ? work(descriptor, info.size) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

async function foundType(head: Uint8Array): Promise<string> {
  if (head.length === 0) return emptyType;
  // Loaded when a type is first asked for.
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head).catch(() => undefined);
  if (known !== undefined) return known.mime;
  return isText(head) ? 'text/plain' : unknownType;
}

/** Signs that no text has; tabs, line ends and what colours a terminal are none of them. */
const unlikely = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

function isText(head: Uint8Array): boolean {
  const [first, second] = head;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || !unlikely.test(Buffer.from(head).toString('latin1'));
}
