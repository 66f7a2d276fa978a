/** What the file agent works with, and on whose behalf. */
import type { FileLooking, FileReach, FileSearching } from '../kernel/files/look.ts';
import type {
  Clock,
  Disk,
  EventLoop,
  Mounts,
  Random,
  TimeZone,
  TreeDisk,
  Volume,
} from '../kernel/ports.ts';
import type { OneAtATime } from '../kernel/turns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { FilePower } from '../security/reach.ts';
import type { Roots } from './paths.ts';

/** What the file agent works with. `app` fills it. */
export interface FilesDeps {
  readonly disk: Disk;
  readonly treeDisk: TreeDisk;
  readonly volume: Volume;
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly eventLoop: EventLoop;
  readonly ledger: Ledger;
  readonly looking: FileLooking;
  readonly searching: FileSearching;
  readonly zone: TimeZone;
  /** The folder of Agent OS, without symlinks. */
  readonly home: string;
  /** The trash of the user who runs this, as the desktop knows it; without symlinks. */
  readonly trash: string;
  readonly uid: number;
  /** The plans that this process works on. */
  readonly running: Set<string>;
  /** Names that steps work on. */
  readonly names: OneAtATime;
  readonly limits: FilesLimits;
}

export interface FilesLimits {
  /** Of one plan. */
  readonly mostItems: number;
  /** What a listing returns where nothing is said. */
  readonly usualListing: number;
  /** Of one answer. */
  readonly answerBytes: number;
  readonly tokenMs: number;
}

export const usualLimits: FilesLimits = {
  mostItems: 100_000,
  usualListing: 1000,
  answerBytes: 1024 * 1024,
  tokenMs: 10 * 60_000,
};

export interface FileCaller {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  readonly roots: Roots;
  readonly signal: AbortSignal;
  /** As it is now; asked again where something takes long. */
  reach(power: FilePower): Promise<FileReach>;
  /** So many of so many are done. */
  onProgress?(done: number, total: number): void;
}
