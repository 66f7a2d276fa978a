/**
 * A day of the archive as one compressed file an agent, `jean.tar.gz`.
 *
 * P1. A compressed file is whole and safe from power loss before one of its originals is
 *     removed. Dying in between leaves both, and nothing is lost.
 * P2. It never replaces another: files that came late for a day make one more, `jean.2.tar.gz`.
 * P3. Only ordinary files are packed.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pendingPath, readWholeFile } from '../../kernel/disk/durable-file.ts';
import { removeIfThere } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import { messageLimits } from '../../kernel/message/message.ts';
import type { Disk, Random } from '../../kernel/ports.ts';
import { Failures } from './archive-failures.ts';
import type { RemoveDeps } from './remove-archive-day.ts';
import { type TarFile, tarEnd, tarEntry } from './tar.ts';

export interface PackDeps extends RemoveDeps {
  readonly random: Random;
}

/** Resolves to the number of message files that were packed. */
export async function packDay(
  deps: PackDeps,
  day: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const folder = `${deps.home}/archive/${day}`;
  const failures = new Failures();
  const agents = await namesIn(deps.disk, folder).catch((failure) => {
    failures.note('', failure);
    return [];
  });
  let packed = 0;
  for (const agent of agents) {
    signal?.throwIfAborted();
    packed += await packAgent(deps, folder, agent, failures);
  }
  failures.tell(deps.log, day, 'something in the archive cannot be packed, and stays as it is');
  return packed;
}

/** None when it is no folder. */
export async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

async function packAgent(
  deps: PackDeps,
  day: string,
  agent: string,
  failures: Failures,
): Promise<number> {
  try {
    const names = await filesIn(deps.disk, day, agent, failures);
    const packed = names.length === 0 ? 0 : await packFiles(deps, { day, agent, names }, failures);
    await removeIfEmpty(deps.disk, `${day}/${agent}`);
    return packed;
  } catch (failure) {
    failures.note(agent, failure);
    return 0;
  }
}

interface ToPack {
  /** The path of a day. */
  readonly day: string;
  readonly agent: string;
  readonly names: readonly string[];
}

async function packFiles(
  { disk, random }: PackDeps,
  { day, agent, names }: ToPack,
  failures: Failures,
): Promise<number> {
  const target = await freeName(disk, day, agent);
  const pending = pendingPath(random, target);
  const packed: string[] = [];
  try {
    await pack(disk, pending, readable(disk, { day, agent, names }, packed, failures));
    if (packed.length === 0) return 0;
    // P2: a link, because a rename would replace what somebody put there meanwhile.
    await disk.link(pending, target);
  } finally {
    await disk.remove(pending).catch(() => {});
  }
  // P1
  await disk.syncFolder(day);
  for (const name of packed) {
    await removeIfThere(disk, `${day}/${agent}/${name}`).catch((failure) =>
      failures.note(`${agent}/${name}`, failure),
    );
  }
  return packed.length;
}

async function filesIn(
  disk: Disk,
  day: string,
  agent: string,
  failures: Failures,
): Promise<string[]> {
  const files: string[] = [];
  for (const name of await namesIn(disk, `${day}/${agent}`)) {
    try {
      // P3
      const entry = await disk.stat(`${day}/${agent}/${name}`);
      // Larger ones were refused as messages; they are not read into memory.
      const isSmall = (entry?.sizeBytes ?? 0) <= messageLimits.wholeBytes;
      if (entry?.kind === 'file' && isSmall) files.push(name);
    } catch (failure) {
      failures.note(`${agent}/${name}`, failure);
    }
  }
  return files;
}

async function freeName(disk: Disk, day: string, agent: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${day}/${agent}${number === 1 ? '' : `.${number}`}.tar.gz`;
    if ((await disk.stat(path)) === undefined) return path;
  }
}

async function pack(disk: Disk, path: string, files: AsyncIterable<TarFile>): Promise<void> {
  await using writer = await disk.create(path);
  await pipeline(entries(files), createGzip(), async (compressed) => {
    for await (const bytes of compressed) await writer.append(bytes);
  });
  await writer.sync();
}

async function* entries(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) yield* tarEntry(file);
  yield tarEnd;
}

/** Those that can be read, whose names it puts into `packed`. One is in memory, of 1 MiB at most. */
async function* readable(
  disk: Disk,
  { day, agent, names }: ToPack,
  packed: string[],
  failures: Failures,
): AsyncGenerator<TarFile> {
  for (const name of names) {
    try {
      const path = `${day}/${agent}/${name}`;
      const modifiedAt = (await disk.stat(path))?.modifiedAt ?? 0;
      const bytes = await readWholeFile(disk, path, messageLimits.wholeBytes);
      yield { name, bytes, modified: modifiedAt / 1000 };
      packed.push(name);
    } catch (failure) {
      failures.note(`${agent}/${name}`, failure);
    }
  }
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  try {
    if ((await disk.stat(folder))?.kind === 'folder') await disk.remove(folder);
  } catch (failure) {
    if (!(failure instanceof AosError && failure.code === 'disk.not-empty')) throw failure;
  }
}
