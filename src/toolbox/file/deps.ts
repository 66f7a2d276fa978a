import type { Clock, Disk, Random } from '../../kernel/ports.ts';

export interface FileDeps {
  readonly disk: Disk;
  readonly random: Random;
  /** The folder of Agent OS, by the path that no symlink is on. */
  readonly home: string;
}

/** Reading waits for who is writing. */
export interface FileReadDeps extends FileDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}
