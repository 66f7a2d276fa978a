import type { Disk, Random } from '../../kernel/ports.ts';

export interface FileDeps {
  readonly disk: Disk;
  readonly random: Random;
  /** The folder of Agent OS, by the path that no symlink is on. */
  readonly home: string;
}
