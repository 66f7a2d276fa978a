/**
 * Watching folders with the system's own means, which is one descriptor for all of them
 * on Linux. A daemon watches two folders an agent, so each costs as little as it can:
 * one object of ours, and no function of its own.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { FolderWatch, Watching } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

/** Whether this process can still be told about changes in folders. */
export interface FileWatching extends Watching {
  /** Watches a folder for a moment. The reason why not, when it cannot. */
  probe(folder: string): WatchProbe;
}

export type WatchProbe =
  | { readonly kind: 'works' }
  | { readonly kind: 'exhausted'; readonly limit: 'watches' | 'instances' }
  | { readonly kind: 'failed'; readonly says: string };

export const realFileWatching: FileWatching = {
  watch(folder, onChange) {
    try {
      return new OpenWatch(watch(folder, { persistent: false }), folder, onChange);
    } catch (error) {
      throw toWatchError(error, folder);
    }
  },

  probe(folder) {
    try {
      watch(folder).close();
      return { kind: 'works' };
    } catch (error) {
      const limit = exhaustedLimit(error);
      if (limit !== undefined) return { kind: 'exhausted', limit };
      return { kind: 'failed', says: toDiskError(error, folder).message };
    }
  },
};

const openWatches = new WeakMap<FSWatcher, OpenWatch>();

class OpenWatch implements FolderWatch {
  #watcher: FSWatcher | undefined;
  readonly #folder: string;
  readonly #onChange: (name: string | undefined) => void;

  constructor(watcher: FSWatcher, folder: string, onChange: (name: string | undefined) => void) {
    this.#watcher = watcher;
    this.#folder = folder;
    this.#onChange = onChange;
    openWatches.set(watcher, this);
    watcher.on('change', onEvent);
    watcher.on('error', onError);
  }

  get open(): boolean {
    return this.#watcher !== undefined;
  }

  tell(event: string, name: string | null): void {
    if (this.#watcher === undefined) return;
    // So the system tells of the folder itself: it was moved or removed, or what is in it has the
    // same name. The watcher finds out by looking, and watches again.
    if (event === 'rename' && name === basename(this.#folder)) this.end();
    else this.#onChange(name ?? undefined);
  }

  end(): void {
    if (this.#watcher === undefined) return;
    this[Symbol.dispose]();
    this.#onChange(undefined);
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

// One function for all: the watcher that calls it is `this`.
function onEvent(this: FSWatcher, event: string, name: string | Buffer | null): void {
  openWatches.get(this)?.tell(event, name === null ? null : name.toString());
}

function onError(this: FSWatcher): void {
  openWatches.get(this)?.end();
}

// inotify says "no space" for watches and "too many open files" for instances.
function exhaustedLimit(error: unknown): 'watches' | 'instances' | undefined {
  const code = osCodeOf(error);
  if (code === 'ENOSPC') return 'watches';
  return code === 'EMFILE' ? 'instances' : undefined;
}

function toWatchError(error: unknown, folder: string): AosError {
  const limit = exhaustedLimit(error);
  if (limit === undefined) return toDiskError(error, folder);
  return new AosError('disk.no-watches', {
    message: `The system has no watch left for the folder ${quote(folder)}`,
    fix: `Raise the limit: sysctl fs.inotify.max_user_${limit}=524288`,
    cause: error,
  });
}
