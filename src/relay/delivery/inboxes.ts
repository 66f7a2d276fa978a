/** Where the relay puts messages as files, and hears that they were read. `files/` fills it. */
import type { AosError } from '../../kernel/errors.ts';

export interface InboxFile {
  /** `{timestamp_ns}-{8 hex}.msg`. */
  readonly name: string;
  readonly text: string;
}

export interface Inboxes {
  /**
   * Puts the files into the recipient's inbox, in their order, each whole or not at all.
   * It may be repeated with the same files. Not flushed: the ledger has them. What keeps
   * one from getting there keeps those behind it too, and is told, not thrown. Where the
   * inbox is gone, nothing is written.
   */
  write(recipient: string, files: readonly InboxFile[]): Promise<WrittenBatch>;
  /** Makes the inbox where there is none. */
  make(recipient: string): Promise<void>;
  /** Batches that were begun by a process that died before it could note their end. */
  interrupted(): Promise<readonly InterruptedBatch[]>;
  /** Those that are there no more are no failure. */
  remove(recipient: string, names: readonly string[]): Promise<void>;
  /** The names of all messages that lie in the inbox; undefined when there is no inbox. */
  list(recipient: string): Promise<ReadonlySet<string> | undefined>;
}

export interface WrittenBatch {
  /** How many of the files, from the first on, reached the inbox. */
  readonly count: number;
  readonly failure: AosError | undefined;
  /** The failure is that there is no inbox. */
  readonly isInboxGone?: boolean;
  /** To be called once the ledger knows that they were delivered. */
  noted(): Promise<void>;
}

/** What a process that died has left of a batch. */
export interface InterruptedBatch extends Pick<WrittenBatch, 'noted'> {
  readonly recipient: string;
  /** The names of the files that reached the inbox, whether or not they still lie there. */
  readonly reached: readonly string[];
}
