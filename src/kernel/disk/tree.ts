/** What a received folder needs of a disk besides what `Disk` can do. */
import type { Instant } from '../ports.ts';

export interface TreeDisk {
  /** Refused when the name is taken. The target is written as it is, and never looked at. */
  makeLink(path: string, target: string): Promise<void>;
  /** Of a file or a folder, and never of what a symlink leads to. */
  dress(path: string, look: { readonly mode: number; readonly modifiedAt: Instant }): Promise<void>;
  /** The same, of a symlink too, to the nanosecond where the system has a way to say so and it is not done roughly. */
  restore(
    path: string,
    look: { readonly mode?: number | undefined; readonly modifiedNs: string },
    how?: { readonly isRough: boolean },
  ): Promise<void>;
}
