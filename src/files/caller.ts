/** Who asks the file agent, and what they may. */
import type { FileReach } from '../kernel/files/look.ts';
import type { FilePower } from '../security/reach.ts';
import type { Roots } from './paths.ts';

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
