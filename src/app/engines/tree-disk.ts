import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  openSync,
  symlinkSync,
} from 'node:fs';
import { diskError, toDiskError } from '../../kernel/disk-errors.ts';
import type { TreeDisk } from '../../kernel/tree.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export const realTreeDisk: TreeDisk = {
  makeLink: async (path, target) => named(path, () => symlinkSync(target, path)),
  dress: async (path, { mode, modifiedAt }) =>
    named(path, () => {
      const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const info = fstatSync(descriptor);
        if (!info.isFile() && !info.isDirectory()) throw diskError('ENXIO', path);
        // A date, because a negative number would be taken for now.
        const time = new Date(modifiedAt);
        futimesSync(descriptor, time, time);
        // Its owner can always read it and take it away again.
        fchmodSync(descriptor, (mode & 0o777) | (info.isDirectory() ? 0o700 : 0o600));
      } finally {
        closeSync(descriptor);
      }
    }),
};

function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    throw toDiskError(failure, path);
  }
}
