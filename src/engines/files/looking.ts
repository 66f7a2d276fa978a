/**
 * Looking at trees of files, in threads: a look at a file takes a microsecond or two when it is
 * asked for on the spot, and many times that when it is awaited (docs/decisions.md).
 *
 * T1. The threads are there only while there is work for them, and a minute longer.
 * T2. A tree is walked by two of them, when two are free (shared-walk.ts).
 * T3. Whoever aborts gets their answer at once; the threads stop at the next look. One that does
 *     not, because something in a file keeps it, is ended.
 */
import { AosError } from '../../kernel/errors.ts';
import type { FileLooking } from '../../kernel/files/look.ts';
import { sightOf } from '../../kernel/files/reach.ts';
import type { Clock } from '../../kernel/ports.ts';
import { mergeListings, mergeUsages } from './merge-parts.ts';
import { ThreadPool } from './thread-pool.ts';

export interface FileLookingOptions {
  readonly clock: Clock;
  /** As in `Europe/Berlin`: that of photos that do not say theirs. */
  readonly zone: string;
  /** How long a thread stays without work. */
  readonly idleMs?: number;
}

const minuteMs = 60_000;

export function openFileLooking(options: FileLookingOptions): FileLooking {
  const pool = new ThreadPool({ idleMs: minuteMs, ...options });
  return {
    async list(request, signal) {
      // What is wrong with its patterns is told before anybody walks.
      sightOf(request);
      const isTree = request.recursive || request.filters.glob !== undefined;
      const threads = isTree ? 2 : 1;
      return mergeListings(request, await pool.run({ kind: 'list', request }, { threads, signal }));
    },
    async usage(asked, signal) {
      const request = { ...asked, recursive: true, hidden: true };
      sightOf(request);
      return mergeUsages(await pool.run({ kind: 'usage', request }, { threads: 2, signal }));
    },
    async duplicates(request, signal) {
      sightOf(request);
      const parts = await pool.run({ kind: 'duplicates', request }, { threads: 1, signal });
      return only(parts);
    },
    async nature(base, name, signal) {
      const request = { base, name };
      return only(await pool.run({ kind: 'nature', request }, { threads: 1, signal }));
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

function only<Part>([part]: readonly Part[]): Part {
  if (part !== undefined) return part;
  throw new AosError('internal.bug', { message: 'No thread answered' });
}
