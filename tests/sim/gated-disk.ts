/** The disk as one process has it: slow, full at times, and silent when the process is dead. */
import { diskError } from '../../src/kernel/disk/errors.ts';
import type { Disk, FileReader, FileWriter } from '../../src/kernel/ports.ts';
import type { Life } from './life.ts';

export interface DiskFaults {
  full: boolean;
}

export function gatedDisk(disk: Disk, life: Life, faults: DiskFaults): Disk {
  const roomFor = (path: string): void => {
    if (faults.full) throw diskError('ENOSPC', path);
  };
  return {
    read: async (path) => gatedReader(await life.pass(() => disk.read(path)), life),
    list: (path) => life.pass(() => disk.list(path)),
    stat: (path) => life.pass(() => disk.stat(path)),
    readLink: (path) => life.pass(() => disk.readLink(path)),
    create: async (path, options) => {
      const writer = await life.pass(async () => {
        roomFor(path);
        return disk.create(path, options);
      });
      return gatedWriter(writer, life, () => roomFor(path));
    },
    rename: (from, to) => life.pass(() => disk.rename(from, to)),
    link: (from, to) => life.pass(() => disk.link(from, to)),
    remove: (path) => life.pass(() => disk.remove(path)),
    makeFolder: (path) => life.pass(() => disk.makeFolder(path)),
    syncFolder: (path) => life.pass(() => disk.syncFolder(path)),
    makePrivate: (path) => life.pass(() => disk.makePrivate(path)),
    holdFolder: (path) => life.pass(() => disk.holdFolder(path)),
  };
}

function gatedReader(reader: FileReader, life: Life): FileReader {
  return {
    readAt: (offset, length, into) => life.pass(() => reader.readAt(offset, length, into)),
    sizeBytes: () => life.pass(() => reader.sizeBytes()),
    identity: () => life.pass(() => reader.identity()),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

function gatedWriter(writer: FileWriter, life: Life, checkRoom: () => void): FileWriter {
  return {
    append: (bytes) =>
      life.pass(async () => {
        checkRoom();
        await writer.append(bytes);
      }),
    sync: () => life.pass(() => writer.sync()),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}
