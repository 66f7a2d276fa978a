/** Which process a guest runs as, by what it tells in its meta.json. */
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { DiskView } from '../kernel/ports.ts';

export interface ToldProcess {
  readonly pid: number;
  /** In its own words; another one means another process, also under the same number. */
  readonly startedAt: string;
}

const longestMeta = 64 * 1024;

/** Undefined when it tells none, or nothing that can be understood. */
export async function readToldProcess(
  disk: DiskView,
  home: string,
  name: string,
): Promise<ToldProcess | undefined> {
  const path = `${home}/agents/${name}/meta.json`;
  try {
    // A symlink could lead anywhere, and reading a FIFO would not end.
    if ((await disk.stat(path))?.kind !== 'file') return undefined;
    const text = Buffer.from(await readWholeFile(disk, path, longestMeta)).toString('utf8');
    return toldIn(JSON.parse(text));
  } catch (failure) {
    // What an agent writes there informs only: a file that is no JSON, too large or gone
    // tells nothing.
    if (failure instanceof AosError || failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

function toldIn(meta: unknown): ToldProcess | undefined {
  if (typeof meta !== 'object' || meta === null || !('pid' in meta)) return undefined;
  const { pid } = meta;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startedAt = 'started_at' in meta ? meta.started_at : undefined;
  return { pid, startedAt: JSON.stringify(startedAt ?? null) };
}
