import type { Disk } from '../../src/kernel/ports.ts';

/** A disk on which another process writes to a file in the middle of the first reads of it. */
export function changingDisk(disk: Disk, change: () => void | Promise<void>): Disk {
  return {
    ...methodsOf(disk),
    async read(path) {
      const reader = await disk.read(path);
      return {
        async readAt(offset, length, into) {
          const half = Math.floor(length / 2);
          const first = await reader.readAt(offset, half);
          await change();
          const second = await reader.readAt(offset + first.length, length - first.length);
          const both = Buffer.concat([first, second]);
          into?.set(both);
          return into?.subarray(0, both.length) ?? both;
        },
        sizeBytes: () => reader.sizeBytes(),
        identity: () => reader.identity(),
        [Symbol.asyncDispose]: async () => reader[Symbol.asyncDispose](),
      };
    },
  };
}

/** The calls of a disk as functions of their own, some of which a test may put others in place of. */
export function methodsOf(disk: Disk): Disk {
  return {
    read: (path) => disk.read(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    readLink: (path) => disk.readLink(path),
    create: (path, options) => disk.create(path, options),
    rename: (from, to) => disk.rename(from, to),
    link: (from, to) => disk.link(from, to),
    remove: (path) => disk.remove(path),
    makeFolder: (path) => disk.makeFolder(path),
    syncFolder: (path) => disk.syncFolder(path),
    makePrivate: (path) => disk.makePrivate(path),
    holdFolder: (path) => disk.holdFolder(path),
  };
}
