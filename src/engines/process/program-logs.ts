/**
 * What programs write, in files that stay within their share of the disk. A program holds its
 * file open, so the file stays and what is in it moves: NAME.log is copied to NAME.log.1 and
 * cut to nothing, and the program, which adds at the end, goes on at the beginning.
 *
 * P1. Nothing is cut off before it stands in the copy. The very last piece is copied and the
 *     file cut in one go without a pause; what a program writes between these two calls is
 *     lost. Only the program could prevent that, by opening its file again.
 * P2. Dying at any line loses nothing; at most the same lines are in two files.
 * P3. A program may write more between two looks than is kept: then the end of it is kept.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import { must } from '../../kernel/must.ts';
import type { ProgramLogs } from '../../runtime/command/deps.ts';
import { openShut } from '../disk/disk.ts';
import { statusPath } from './programs-shim.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

export interface ProgramLogOptions {
  readonly limitBytes: number;
  /** How many files there are at most, the one that is written among them. */
  readonly keep: number;
}

export const usualProgramLogs: ProgramLogOptions = { limitBytes: 10 * 1024 * 1024, keep: 10 };

export function openProgramLogs(options: ProgramLogOptions = usualProgramLogs): ProgramLogs {
  return {
    sizeOf: (path) => withFile(path, (file) => fstatSync(file).size) ?? 0,

    tail: (path, { from, mostBytes }) =>
      withFile(path, (file) => {
        const { size } = fstatSync(file);
        // It was cut since: all that is there came later.
        const begin = Math.max(from <= size ? from : 0, size - mostBytes);
        return readText(file, begin, size - begin);
      }) ?? '',

    async rotate(path) {
      if (this.sizeOf(path) <= options.limitBytes) return false;
      try {
        await rotate(path, options);
        return true;
      } catch (failure) {
        throw toDiskError(failure, path);
      }
    },

    forget: (record) => rmSync(statusPath(record), { force: true }),
  };
}

function withFile<T>(path: string, look: (file: number) => T): T | undefined {
  try {
    using file = opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return look(file.descriptor);
  } catch (failure) {
    if (osCodeOf(failure) === 'ENOENT') return undefined;
    throw toDiskError(failure, path);
  }
}

function readText(file: number, offset: number, lengthBytes: number): string {
  const bytes = Buffer.alloc(lengthBytes);
  const read = readSync(file, bytes, 0, lengthBytes, offset);
  // A character that was cut in half at the beginning is left out.
  let begin = 0;
  while (begin < 3 && begin < read && (must(bytes[begin], 'a byte of the log') & 0xc0) === 0x80)
    begin++;
  return bytes.subarray(begin, read).toString('utf8');
}

async function rotate(path: string, { limitBytes, keep }: ProgramLogOptions): Promise<void> {
  const pending = `${path}.pending`;
  using source = opened(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  await using copy = await open(pending, 'w', 0o600);
  const { size } = fstatSync(source.descriptor);
  const copiedTo = await copyPart(source.descriptor, copy, {
    begin: Math.max(0, size - limitBytes),
    end: size,
  });
  if (keep > 1) moveOn(path, pending, keep);
  else rmSync(pending, { force: true });
  finish(source.descriptor, copy.fd, { begin: copiedTo, limitBytes });
}

function opened(path: string, flags: number): Disposable & { readonly descriptor: number } {
  const descriptor = openShut(path, flags);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

const pieceBytes = 256 * 1024;

interface LogPart {
  readonly begin: number;
  readonly end: number;
}

async function copyPart(from: number, to: FileHandle, { begin, end }: LogPart): Promise<number> {
  const piece = Buffer.alloc(pieceBytes);
  let offset = begin;
  while (offset < end) {
    const read = readSync(from, piece, 0, Math.min(pieceBytes, end - offset), offset);
    if (read === 0) break;
    await to.writeFile(piece.subarray(0, read));
    offset += read;
  }
  return offset;
}

/** P2: the copy has its name before anything is cut. */
function moveOn(path: string, pending: string, keep: number): void {
  for (let number = keep - 2; number > 0; number--) {
    try {
      renameSync(`${path}.${number}`, `${path}.${number + 1}`);
    } catch (failure) {
      if (osCodeOf(failure) !== 'ENOENT') throw failure;
    }
  }
  renameSync(pending, `${path}.1`);
}

/** P1: what came meanwhile, and the cut. Nothing here waits. */
function finish(
  source: number,
  copy: number,
  { begin, limitBytes }: { readonly begin: number; readonly limitBytes: number },
): void {
  const piece = Buffer.alloc(pieceBytes);
  // P3: a program that writes faster than we copy does not keep us here for ever.
  const end = begin + limitBytes;
  for (let offset = begin; offset < end; ) {
    const read = readSync(source, piece, 0, pieceBytes, offset);
    if (read === 0) break;
    writeSync(copy, piece, 0, read);
    offset += read;
  }
  ftruncateSync(source, 0);
}
