import { AosError } from '../../kernel/errors.ts';
import type { Disk, FileReader } from '../../kernel/ports.ts';

type LogDisk = Pick<Disk, 'read' | 'stat' | 'makePrivate'>;

// A program may write without ever ending a line; so much is looked at from the end.
const mostBytes = 4 * 1024 * 1024;
const partBytes = 256 * 1024;

/** The end of a file that is written, and what is added to it. */
export class LogReader {
  readonly #disk: LogDisk;
  readonly #path: string;
  #offset = 0;
  #inode: string | undefined;
  #decoder = new TextDecoder();
  /** A line whose end has not come yet. */
  #rest = '';

  constructor(disk: LogDisk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The last lines, also one that has no end yet. */
  async tail(count: number): Promise<readonly string[]> {
    if ((await this.#disk.stat(this.#path)) === undefined) return [];
    await using reader = await this.#open();
    const { sizeBytes, inode } = await reader.identity();
    this.#inode = inode;
    this.#offset = Math.max(0, sizeBytes - mostBytes);
    const lines = (await this.#readOn(reader, sizeBytes)).concat(
      this.#rest === '' ? [] : [this.#rest],
    );
    this.#rest = '';
    return count === 0 ? [] : lines.slice(-count);
  }

  /** The lines that were added since. A file that was cut or replaced is read from its start. */
  async more(): Promise<readonly string[]> {
    const entry = await this.#disk.stat(this.#path);
    if (entry === undefined) return [];
    await using reader = await this.#open();
    const { sizeBytes, inode } = await reader.identity();
    if (inode !== this.#inode || sizeBytes < this.#offset) {
      this.#offset = 0;
      this.#decoder = new TextDecoder();
      this.#rest = '';
    }
    this.#inode = inode;
    return this.#readOn(reader, sizeBytes);
  }

  // What writes it runs as its owner, and may have shut it.
  async #open(): Promise<FileReader> {
    try {
      return await this.#disk.read(this.#path);
    } catch (failure) {
      if (!(failure instanceof AosError) || failure.code !== 'disk.denied') throw failure;
      await this.#disk.makePrivate(this.#path);
      return this.#disk.read(this.#path);
    }
  }

  async #readOn(reader: FileReader, end: number): Promise<string[]> {
    const lines: string[] = [];
    while (this.#offset < end) {
      const bytes = await reader.readAt(this.#offset, Math.min(partBytes, end - this.#offset));
      if (bytes.length === 0) break;
      this.#offset += bytes.length;
      const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      this.#rest = parts.pop() ?? '';
      lines.push(...parts);
      // Without an end in sight it is shown in pieces.
      if (this.#rest.length > mostBytes) lines.push(this.#rest);
      if (this.#rest.length > mostBytes) this.#rest = '';
    }
    return lines;
  }
}
