/**
 * Files below a held folder. Each folder is opened from the one above it, which is held, and
 * never through a symlink or onto another disk: whatever takes a name meanwhile, nothing that
 * lies elsewhere is opened. Where the system has no paths into a held folder (macOS), names are
 * looked up again at each step: the weaker form.
 */
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { AosError } from '../../../kernel/errors.ts';
import type { LookBase } from '../../../kernel/files/look.ts';
import { quote } from '../../../kernel/text/quote.ts';
import { early } from '../../../kernel/turns.ts';
import { realClock } from '../../clock.ts';
import { bytesOf } from '../../disk/owners.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** So many are kept open, because what is looked at next is mostly near. */
const mostOpen = 64;

export interface OpenSearchFolder {
  readonly descriptor: number;
  /** Under which it is reached, in every thread. */
  readonly path: string;
  readonly stats: BigIntStats;
}

/** In words where the folder itself is the trouble. */
export function openTree(base: LookBase): HeldTree {
  try {
    return new HeldTree(base);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    const isDenied = code === 'EACCES' || code === 'EPERM';
    throw new AosError(isDenied ? 'files.permission-denied' : 'files.not-found', {
      message: isDenied
        ? `I don't have permission to look into ${quote(base.path)}`
        : `I couldn't find a folder at ${quote(base.path)}`,
      cause: failure,
    });
  }
}

export class HeldTree implements Disposable {
  readonly #root: OpenSearchFolder;
  readonly #open = new Map<string, OpenSearchFolder>();

  constructor(base: LookBase) {
    // The held path is a symlink of the system's own.
    this.#root = opened(base.held, O_RDONLY | O_DIRECTORY);
  }

  get root(): OpenSearchFolder {
    return this.#root;
  }

  /** It stays open until others have been opened after it. Throws what the system says. */
  folder(parts: readonly string[]): OpenSearchFolder {
    let depth = parts.length;
    while (depth > 0 && !this.#open.has(keyOf(parts, depth))) depth--;
    let folder = this.#open.get(keyOf(parts, depth)) ?? this.#root;
    for (; depth < parts.length; depth++) {
      folder = this.#openBelow(folder, nameIn(parts.slice(0, depth + 1)));
      this.#keep(keyOf(parts, depth + 1), folder);
    }
    return folder;
  }

  /** What stands there, also of a symlink; nothing where it is gone or not to be reached. */
  stat(parts: readonly string[]): BigIntStats | undefined {
    try {
      const folder = this.folder(parts.slice(0, -1));
      const path = bytesOf(`${folder.path}/${nameIn(parts)}`);
      return lstatSync(path, { bigint: true });
    } catch {
      return undefined;
    }
  }

  /** Calls with the descriptor of a regular file. Throws what the system says. */
  read<T>(parts: readonly string[], work: (descriptor: number, stats: BigIntStats) => T): T {
    const folder = this.folder(parts.slice(0, -1));
    // O_NONBLOCK: without it, opening a FIFO waits until another process writes to it.
    const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    const descriptor = openSync(bytesOf(`${folder.path}/${nameIn(parts)}`), flags);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      if (!stats.isFile()) throw new Error('no regular file');
      if (stats.dev !== this.#root.stats.dev) throw new OtherDisk();
      return work(descriptor, stats);
    } finally {
      closeSync(descriptor);
    }
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
    closeSync(this.#root.descriptor);
  }

  #openBelow(above: OpenSearchFolder, name: string): OpenSearchFolder {
    const folder = opened(`${above.path}/${name}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (folder.stats.dev === this.#root.stats.dev) return folder;
    closeSync(folder.descriptor);
    throw new OtherDisk();
  }

  #keep(key: string, folder: OpenSearchFolder): void {
    this.#open.set(key, folder);
    if (this.#open.size <= mostOpen) return;
    const [oldest] = this.#open.entries();
    if (oldest === undefined) return;
    closeSync(oldest[1].descriptor);
    this.#open.delete(oldest[0]);
  }
}

export class OtherDisk extends Error {
  override readonly message = 'it is on another disk';
}

function opened(path: string, flags: number): OpenSearchFolder {
  const descriptor = openSync(bytesOf(path), flags);
  const stats = fstatSync(descriptor, { bigint: true });
  const reached = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;
  return { descriptor, path: reached, stats };
}

// What is no name of a file leads elsewhere: such a proposal is dropped.
function nameIn(parts: readonly string[]): string {
  const name = parts.at(-1) ?? '';
  if (['', '.', '..'].includes(name)) throw new Error('no name of a file');
  return name;
}

// No name has a slash.
function keyOf(parts: readonly string[], depth: number): string {
  return parts.slice(0, depth).join('/');
}

/**
 * When a search is to end before its end: because its caller no longer waits, or because it is
 * late.
 */
export interface SearchStop extends Disposable {
  /** For what waits. */
  readonly signal: AbortSignal;
  /** For what does not wait: asked between two files. */
  isOver(): boolean;
  /** Whether the caller no longer waits. */
  isCancelled(): boolean;
}

/**
 * The flag is shared with the thread that cancels; it is seen also where no message would arrive.
 */
export function stopAfter(
  timeLimitMs: number,
  flag: Int32Array,
  cancelled: AbortSignal,
): SearchStop {
  const [late, ended] = [new AbortController(), new AbortController()];
  const overAt = realClock.monotonicMs() + timeLimitMs;
  realClock.sleep(timeLimitMs, ended.signal).then(
    () => late.abort(early),
    // It ended in time.
    () => {},
  );
  const isCancelled = () => Atomics.load(flag, 0) !== 0;
  return {
    signal: AbortSignal.any([late.signal, cancelled]),
    isCancelled,
    isOver: () => isCancelled() || realClock.monotonicMs() > overAt,
    [Symbol.dispose]: () => ended.abort(early),
  };
}
