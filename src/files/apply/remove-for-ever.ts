/**
 * A folder with all that is in it goes for ever.
 *
 * R1. Everything goes in its place, what is in a folder before the folder: where something cannot
 *     go, the rest stands where it stood.
 * R2. Who is told to stop stops between two files.
 * R3. How much has gone is known, whatever becomes of the rest.
 */
import { diskError } from '../../kernel/disk/errors.ts';
import { openUp, removeIfThere, removeTree } from '../../kernel/disk/folders.ts';
import type { Disk, DiskEntry, HeldFolder } from '../../kernel/ports.ts';

export interface Gone {
  files: number;
  bytes: number;
}

/** What is deeper goes as one, moved up first and not counted, so that few folders are held. */
const deepest = 64;

export async function removeForEver(
  disk: Disk,
  path: string,
  { gone, signal }: { readonly gone: Gone; readonly signal: AbortSignal },
): Promise<void> {
  const remover = new Remover(disk, gone, signal);
  const entry = await disk.stat(path);
  if (entry !== undefined) await remover.remove(path, entry, { device: entry.device, depth: 0 });
}

interface Level {
  /** What is mounted on a folder is somebody's disk, and goes with no folder. */
  readonly device: string;
  readonly depth: number;
}

class Remover {
  readonly #disk: Disk;
  readonly #gone: Gone;
  readonly #signal: AbortSignal;

  constructor(disk: Disk, gone: Gone, signal: AbortSignal) {
    this.#disk = disk;
    this.#gone = gone;
    this.#signal = signal;
  }

  async remove(path: string, entry: DiskEntry, level: Level): Promise<void> {
    // R2
    this.#signal.throwIfAborted();
    if (entry.kind !== 'folder') {
      await removeIfThere(this.#disk, path);
      // R3
      this.#gone.files += 1;
      this.#gone.bytes += entry.sizeBytes;
      return;
    }
    if (entry.device !== level.device) throw diskError('EXDEV', path);
    if (level.depth === deepest) return await removeTree(this.#disk, path);
    await openUp(this.#disk, path, entry);
    {
      await using held = await this.#disk.holdFolder(path);
      await this.#empty(held, { ...level, depth: level.depth + 1 });
    }
    await this.#disk.remove(path);
  }

  /** R1 */
  async #empty({ path }: HeldFolder, level: Level): Promise<void> {
    for (const name of await this.#disk.list(path)) {
      const entry = await this.#disk.stat(`${path}/${name}`);
      if (entry !== undefined) await this.remove(`${path}/${name}`, entry, level);
    }
  }
}
