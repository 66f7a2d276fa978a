import type { FileRequest } from '../../kernel/files/request.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';

/** One request that changes nothing. */
export interface Look {
  readonly deps: FilesDeps;
  readonly caller: FileCaller;
  readonly request: FileRequest;
}

/** What comes of it. */
export interface Seen {
  /** What was done, in plain words. */
  readonly words: string;
  /** The same of a dry run, e.g. "Would read "~/notes.txt"". */
  readonly would: string;
  readonly result: unknown;
  readonly files: number;
  readonly bytes: number;
}
