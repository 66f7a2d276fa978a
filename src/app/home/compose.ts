/** The only place that picks engines. */

import type { StretchWorks } from '../../blobs/seal/stretch.ts';
import { realClock, realEventLoop, realRandom } from '../../engines/clock.ts';
import {
  type BulkDiskOptions,
  openBulkDisk,
  type ThreadedBulkDisk,
} from '../../engines/disk/bulk-disk.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { type FileWatching, realFileWatching } from '../../engines/disk/file-watching.ts';
import { type LogFileOptions, openLogFile } from '../../engines/disk/log-file.ts';
import { realOwners } from '../../engines/disk/owners.ts';
import { realTreeDisk } from '../../engines/disk/tree-disk.ts';
import { realMounts, realVolume } from '../../engines/disk/volume.ts';
import { openFileLooking } from '../../engines/files/looking.ts';
import {
  type FileSearchingOptions,
  openFileSearching,
} from '../../engines/files/search/searching.ts';
import { openMemoryIndex } from '../../engines/memory/memory-index.ts';
import { openUseLite } from '../../engines/memory/use-lite.ts';
import { closeInherited } from '../../engines/process/inherited.ts';
import { realProcesses } from '../../engines/process/processes.ts';
import { openProgramLogs } from '../../engines/process/program-logs.ts';
import { openPrograms } from '../../engines/process/programs.ts';
import { realResolver } from '../../engines/resolver.ts';
import { openStretches } from '../../engines/threads/stretches.ts';
import { openTimeZone } from '../../engines/time-zone.ts';
import type { FileLooking, FileSearching } from '../../kernel/files/look.ts';
import type { Embedder, MemoryIndex } from '../../kernel/memory/index-port.ts';
import type {
  Clock,
  Disk,
  EventLoop,
  LogFile,
  Mounts,
  Owners,
  Processes,
  Random,
  Resolver,
  TimeZone,
  TreeDisk,
  Volume,
} from '../../kernel/ports.ts';
import type { Programs } from '../../kernel/programs.ts';
import type { Sandboxes } from '../../kernel/sandbox.ts';
import type { ProgramLogs } from '../../runtime/command/deps.ts';
import { openSandboxes, type SandboxOptions } from '../../sandbox/open-sandboxes.ts';

export interface Engines {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly treeDisk: TreeDisk;
  /** That of this machine. */
  readonly zone: TimeZone;
  /** Of this process; 0 where the system has none. */
  readonly uid: number;
  /** Threads that look at trees of files, and search them. */
  readonly openFileLooking: () => FileLooking;
  readonly openFileSearching: (options: Omit<FileSearchingOptions, 'clock'>) => FileSearching;
  /** The search index of memories, in a thread of its own. */
  readonly openMemoryIndex: (options: { readonly file: string }) => MemoryIndex;
  /** An embedder on this machine. */
  readonly openUseLite: () => Promise<Embedder>;
  /** A thread that hashes, seals and opens. */
  readonly openStretches: () => StretchWorks;
  readonly openBulkDisk: (options: Pick<BulkDiskOptions, 'onTrouble'>) => ThreadedBulkDisk;
  readonly volume: Volume;
  readonly mounts: Mounts;
  readonly fileWatching: FileWatching;
  readonly eventLoop: EventLoop;
  readonly processes: Processes;
  readonly resolver: Resolver;
  /** For a process of our own, before it starts others. */
  readonly closeInherited: () => void;
  readonly owners: Owners;
  readonly openSandboxes: (options: Omit<SandboxOptions, 'clock' | 'random'>) => Sandboxes;
  readonly programs: Programs;
  readonly programLogs: ProgramLogs;
  readonly openLogFile: (path: string, options: LogFileOptions) => LogFile;
}

/** This machine's clock, chance and disk. */
export function composeEngines(): Engines {
  const zone = openTimeZone();
  return {
    clock: realClock,
    random: realRandom,
    disk: realDisk,
    treeDisk: realTreeDisk,
    zone,
    uid: process.getuid?.() ?? 0,
    openFileLooking: () => openFileLooking({ clock: realClock, zone: zone.name }),
    openFileSearching: (options) => openFileSearching({ clock: realClock, ...options }),
    openMemoryIndex: (options) => openMemoryIndex({ clock: realClock, ...options }),
    openUseLite,
    openStretches,
    openBulkDisk: (options) => openBulkDisk({ clock: realClock, ...options }),
    volume: realVolume,
    mounts: realMounts,
    fileWatching: realFileWatching,
    eventLoop: realEventLoop,
    processes: realProcesses,
    resolver: realResolver,
    closeInherited,
    owners: realOwners,
    openSandboxes: (options) => openSandboxes({ clock: realClock, random: realRandom, ...options }),
    programs: openPrograms({ clock: realClock }),
    programLogs: openProgramLogs(),
    openLogFile: (path, options) => openLogFile({ clock: realClock }, path, options),
  };
}
