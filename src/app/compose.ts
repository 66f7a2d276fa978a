/** The only place that picks engines. */
import type { Clock, Disk, Random, Volume } from '../kernel/ports.ts';
import { realClock } from './engines/clock.ts';
import { realDisk } from './engines/disk.ts';
import { type FileWatching, realFileWatching } from './engines/file-watching.ts';
import { realRandom } from './engines/random.ts';
import { realVolume } from './engines/volume.ts';

export interface Engines {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly volume: Volume;
  readonly fileWatching: FileWatching;
}

/** This machine's clock, chance and disk. */
export function composeEngines(): Engines {
  return {
    clock: realClock,
    random: realRandom,
    disk: realDisk,
    volume: realVolume,
    fileWatching: realFileWatching,
  };
}
