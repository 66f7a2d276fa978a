/** A disk that counts every call which changes something, before it does. */
import type { Disk, FileWriter } from '../../src/kernel/ports.ts';
import type { Boundaries } from './watched-ledger.ts';

// What is synced is there already, to whoever finds it after a process was killed.
export function watchedDisk(disk: Disk, boundaries: Boundaries): Disk {
  const before = async <T>(work: () => Promise<T>): Promise<T> => {
    boundaries.pass();
    return work();
  };
  return {
    read: (path) => disk.read(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    readLink: (path) => disk.readLink(path),
    syncFolder: (path) => disk.syncFolder(path),
    holdFolder: (path) => disk.holdFolder(path),
    makePrivate: (path) => before(() => disk.makePrivate(path)),
    rename: (from, to) => before(() => disk.rename(from, to)),
    link: (from, to) => before(() => disk.link(from, to)),
    remove: (path) => before(() => disk.remove(path)),
    makeFolder: (path) => before(() => disk.makeFolder(path)),
    create: (path, options) =>
      before(async () => watchedWriter(await disk.create(path, options), boundaries)),
  };
}

function watchedWriter(writer: FileWriter, boundaries: Boundaries): FileWriter {
  return {
    async append(bytes) {
      boundaries.pass();
      await writer.append(bytes);
    },
    sync: () => writer.sync(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}
