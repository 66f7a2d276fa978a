/**
 * How much a folder holds: allocated bytes and entries, hard links once. The program that filled it
 * may be hostile and at work while we look.
 *
 * W1. Folders are opened one below the other, each by its name in the one above, and never
 *     through a symlink: no path is too long, and a folder that is moved meanwhile stays found.
 * W2. Few of them are open at once, however deep it goes: descriptors are the whole process's.
 * W3. What is gone, or not ours to read, is skipped. Any other failure ends the walk: a count
 *     that is too small is worse than none.
 */
import {
  type Dir,
  lstatSync,
  opendirSync,
  readdirSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { bytes, type Folder, unlessSkipped, WatchedFolders } from './watch-folders.ts';

export interface FolderAmount {
  readonly bytes: number;
  readonly files: number;
}

export interface WalkOrder {
  readonly path: string;
  /** The walk ends as soon as there is more. */
  readonly most?: FolderAmount;
  /** What was made or changed since then is fresh; without it, everything is. */
  readonly freshSince?: number;
  /** Processes that may hold files of this disk open which have no name any more. */
  readonly pids?: readonly number[];
  /** Folders of this user that are shut are opened: what is inside counts too. */
  readonly opensShut?: boolean;
}

export interface WalkCount extends FolderAmount {
  readonly fresh: FolderAmount;
  /** There is more than `most`, and something fresh in it; then the rest was not counted. */
  readonly isOver: boolean;
  /** Of files that are only in memory, and held open. */
  readonly memoryBytes: number;
}

const entriesAtOnce = 64;

/** Pauses every few entries, so that its thread can do something else. */
export function* walkFolder(order: WalkOrder): Generator<undefined, WalkCount> {
  const tally = new Tally(order);
  using held = new WatchedFolders(order);
  const root = held.root();
  if (root === undefined) return tally;
  tally.memoryBytes = yield* addHeld(order, root.device, tally);
  const waiting: Folder[] = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    yield;
    const path = held.open(folder);
    if (path === undefined) continue;
    for (const found of entriesOf(path)) {
      if (found === undefined) {
        yield;
        continue;
      }
      const { name, stats } = found;
      tally.add(stats);
      if (tally.isOver) return tally;
      if (!stats.isDirectory() || stats.dev !== root.device) continue;
      waiting.push({ above: folder, name, rights: { uid: stats.uid, mode: stats.mode } });
    }
  }
  return tally;
}

function* addHeld(
  { pids = [] }: WalkOrder,
  device: number,
  tally: Tally,
): Generator<undefined, number> {
  let memoryBytes = 0;
  for (const stats of heldFiles(pids)) {
    if (stats === undefined) yield;
    else if (stats.dev === device) tally.add(stats);
    else memoryBytes += bytesOf(stats);
  }
  return memoryBytes;
}

interface FoundEntry {
  /** Each byte as one character: a name need not be text. */
  readonly name: string;
  readonly stats: Stats;
}

/** Undefined now and then: a pause. */
function* entriesOf(path: string): Generator<FoundEntry | undefined> {
  const dir = unlessSkipped(() =>
    opendirSync(bytes(path), { encoding: 'latin1', bufferSize: 256 }),
  );
  if (dir === undefined) return;
  try {
    for (let count = 1; ; count++) {
      const name = nextName(dir);
      if (name === undefined) return;
      const stats = unlessSkipped(() => lstatSync(bytes(`${path}/${name}`)));
      if (stats !== undefined) yield { name, stats };
      if (count % entriesAtOnce === 0) yield undefined;
    }
  } finally {
    dir.closeSync();
  }
}

function nextName(dir: Dir): string | undefined {
  return unlessSkipped(() => dir.readSync() ?? undefined)?.name;
}

function bytesOf({ blocks }: Stats): number {
  return blocks * 512;
}

// The clock by which the system stamps files is late by up to a tick.
const tickMs = 20;

class Tally implements WalkCount {
  bytes = 0;
  files = 0;
  memoryBytes = 0;
  readonly fresh = { bytes: 0, files: 0 };
  readonly #most: FolderAmount | undefined;
  readonly #freshSince: number;
  readonly #linked = new Set<number>();

  constructor({ most, freshSince = Number.NEGATIVE_INFINITY }: WalkOrder) {
    this.#most = most;
    this.#freshSince = freshSince - tickMs;
  }

  get isOver(): boolean {
    if (this.#most === undefined) return false;
    const { bytes: mostBytes, files: mostFiles } = this.#most;
    if (this.bytes > mostBytes && this.fresh.bytes > 0) return true;
    return this.files > mostFiles && this.fresh.files > 0;
  }

  add(stats: Stats): void {
    const size = this.#isCounted(stats) ? 0 : bytesOf(stats);
    this.bytes += size;
    this.files += 1;
    if (!this.#isFresh(stats)) return;
    this.fresh.bytes += size;
    this.fresh.files += 1;
  }

  #isCounted({ nlink, ino }: Stats): boolean {
    if (nlink < 2 || this.#linked.has(ino)) return nlink >= 2;
    this.#linked.add(ino);
    return false;
  }

  // Removing something changes the folder it was in, which is then no fresher.
  #isFresh(stats: Stats): boolean {
    const sinceMs = stats.isDirectory() ? stats.birthtimeMs : stats.ctimeMs;
    return sinceMs >= this.#freshSince;
  }
}

/**
 * Files without a name, which only their being open keeps: they fill disk and memory too. Each
 * once, however many hold it. Undefined after each process: a pause.
 */
function* heldFiles(pids: readonly number[]): Generator<Stats | undefined> {
  const seen = new Set<string>();
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    for (const name of unlessSkipped(() => readdirSync(folder)) ?? []) {
      const stats = unlessSkipped(() => statSync(`${folder}/${name}`));
      if (stats === undefined || !stats.isFile() || stats.nlink > 0) continue;
      const key = `${stats.dev}:${stats.ino}`;
      if (!seen.has(key)) yield stats;
      seen.add(key);
    }
    yield undefined;
  }
}

/** What was counted, and the room that the disk had then. */
export interface CountedRoom {
  readonly room: FolderAmount | undefined;
  readonly counted: FolderAmount;
  readonly most: FolderAmount;
}

/** Undefined where the system does not tell. */
export function roomAt(path: string): FolderAmount | undefined {
  try {
    const { bfree, bsize, files, ffree } = statfsSync(path);
    // Some disks make room for names as they are needed, and tell nothing.
    return files === 0 ? undefined : { bytes: bfree * bsize, files: ffree };
  } catch {
    return undefined;
  }
}

// Others use the disk too, and may give back what the folder took.
const part = 2;

/**
 * Whether a folder can have grown too large since it was last counted. What it takes, its disk has
 * no longer: while the disk has lost little, the folder need not be walked. True also where it
 * cannot be told.
 */
export function mayHaveGrown(last: CountedRoom, now: FolderAmount | undefined): boolean {
  const { room, counted, most } = last;
  if (room === undefined || now === undefined) return true;
  return (['bytes', 'files'] as const).some(
    (what) => (room[what] - now[what]) * part >= Math.max(1, most[what] - counted[what]),
  );
}
