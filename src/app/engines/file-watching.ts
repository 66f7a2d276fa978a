import { watch } from 'node:fs';
import { osCodeOf, toDiskError } from '../../kernel/disk-errors.ts';

/** Whether this process can still be told about changes in folders. */
export interface FileWatching {
  /** Watches a folder for a moment. The reason why not, when it cannot. */
  probe(folder: string): WatchProbe;
}

export type WatchProbe =
  | { readonly kind: 'works' }
  | { readonly kind: 'exhausted'; readonly limit: 'watches' | 'instances' }
  | { readonly kind: 'failed'; readonly says: string };

export const realFileWatching: FileWatching = {
  probe(folder) {
    try {
      watch(folder).close();
      return { kind: 'works' };
    } catch (error) {
      const code = osCodeOf(error);
      // inotify says "no space" for watches and "too many open files" for instances.
      if (code === 'ENOSPC') return { kind: 'exhausted', limit: 'watches' };
      if (code === 'EMFILE') return { kind: 'exhausted', limit: 'instances' };
      return { kind: 'failed', says: toDiskError(error, folder).message };
    }
  },
};
