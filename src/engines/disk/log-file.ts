/**
 * A log that is added to line by line and never grows beyond its share of the disk:
 * `daemon.log` becomes `daemon.log.1`, that one `daemon.log.2`, and so on.
 *
 * R1. A line is with the system when write() returns, so that none is lost when the
 *     process ends in the next moment. It is not synced: a power cut may take the last ones.
 * R2. After it was opened it throws nothing. A line that cannot be written is counted, and
 *     the first that can be is preceded by how many are missing.
 * R3. A line is whole or it is not there, but for one that the system cut short; what comes
 *     after that begins on a new line.
 * R4. Where the files cannot be moved on, lines are still added to the one that is open.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { diskError, toDiskError } from '../../kernel/disk/errors.ts';
import type { Clock, LogFile } from '../../kernel/ports.ts';

export interface LogFileOptions {
  readonly limitBytes: number;
  /** How many files there are at most, the one that is written among them. */
  readonly keep: number;
}

/** The first opening may fail, with a `disk.*` error; a symlink or a FIFO is refused. */
export function openLogFile(
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  path: string,
  options: LogFileOptions,
): LogFile {
  return new RotatingLog(clock, path, options);
}

interface OpenLog {
  readonly descriptor: number;
  sizeBytes: number;
}

class RotatingLog implements LogFile {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #path: string;
  readonly #options: LogFileOptions;
  #file: OpenLog | undefined;
  #rotateAtBytes: number;
  #lostLines = 0;
  /** Does the file end in the middle of a line? */
  #torn = false;

  constructor(clock: Pick<Clock, 'now'>, path: string, options: LogFileOptions) {
    this.#clock = clock;
    this.#path = path;
    this.#options = options;
    this.#rotateAtBytes = options.limitBytes;
    this.#file = openForAppending(path);
  }

  write(lines: string): void {
    if (this.#file === undefined) return;
    try {
      this.#makeRoomFor(Buffer.byteLength(lines));
      this.#append(Buffer.from(this.#preface() + lines));
      this.#lostLines = 0;
    } catch {
      // R2
      this.#lostLines += lines.split('\n').length - 1;
    }
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeQuietly(file);
  }

  #makeRoomFor(bytes: number): void {
    const sizeBytes = this.#file?.sizeBytes ?? 0;
    if (sizeBytes > 0 && sizeBytes + bytes > this.#rotateAtBytes) this.#rotate();
  }

  #preface(): string {
    const lineEnd = this.#torn ? '\n' : '';
    if (this.#lostLines === 0) return lineEnd;
    const time = new Date(this.#clock.now()).toISOString();
    const msg = `${this.#lostLines} lines were lost`;
    return `${lineEnd}${JSON.stringify({ level: 'warn', time, lost_lines: this.#lostLines, msg })}\n`;
  }

  #append(bytes: Uint8Array): void {
    let written = 0;
    while (this.#file !== undefined && written < bytes.length) {
      const count = writeSync(this.#file.descriptor, bytes, written);
      written += count;
      this.#file.sizeBytes += count;
      // R3
      this.#torn = written < bytes.length;
    }
  }

  #rotate(): void {
    try {
      // Not there: it was moved away, or the last try got no further than this.
      if (isThere(this.#path)) makeRoom(this.#path, this.#options.keep);
      const next = openForAppending(this.#path);
      this.close();
      this.#file = next;
      this.#torn = false;
      this.#rotateAtBytes = this.#options.limitBytes;
    } catch {
      // R4, and not tried again with every line.
      this.#rotateAtBytes += this.#options.limitBytes;
    }
  }
}

/** Moves the files on by one number, up to the first number that is free. */
function makeRoom(path: string, keep: number): void {
  const numbered = (number: number) => (number === 0 ? path : `${path}.${number}`);
  let last = 1;
  while (last < keep - 1 && isThere(numbered(last))) last++;
  if (keep < 2) unlinkSync(path);
  else
    for (let number = last; number > 0; number--)
      renameSync(numbered(number - 1), numbered(number));
}

// Also a symlink that leads nowhere: it is moved on like a file, and never followed.
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

function openForAppending(path: string): OpenLog {
  let descriptor: number | undefined;
  try {
    // O_NONBLOCK: without it, opening a FIFO waits until another process reads from it.
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    descriptor = openSync(path, flags, 0o600);
    const info = fstatSync(descriptor);
    if (!info.isFile()) throw diskError('ENXIO', path);
    if ((info.mode & 0o777) !== 0o600) fchmodSync(descriptor, 0o600);
    return { descriptor, sizeBytes: info.size };
  } catch (failure) {
    if (descriptor !== undefined) closeQuietly({ descriptor });
    throw toDiskError(failure, path);
  }
}

function closeQuietly({ descriptor }: Pick<OpenLog, 'descriptor'>): void {
  try {
    closeSync(descriptor);
  } catch {
    // Nothing is lost by it: R1.
  }
}
