/** What is made of a sentence. */
import type { Instant, TimeZone } from '../ports.ts';
import type { FileRequest } from './request.ts';

/** What the sentence is about, beyond its words. */
export interface SentenceWorld {
  readonly now: Instant;
  readonly zone: TimeZone;
  /** The root, a real path; `~` in a request. */
  readonly root: string;
  /**
   * The folder in which the caller stands, for "this folder"; the root where the caller stands in
   * none.
   */
  readonly here: string;
  /** The caller stands outside of the root; `here` is the root then. */
  readonly isOutside?: boolean;
  /** Folders of this machine: the known ones (Downloads, Pictures, …) first, then others by name. */
  readonly folders: readonly NamedFolder[];
}

export interface NamedFolder {
  /** What it may be called: `Downloads`, and what the system calls it in another language. */
  readonly names: readonly string[];
  /** As it stands in a request, e.g. `~/Downloads`. */
  readonly path: string;
  readonly isKnown: boolean;
}

interface SentenceReading {
  /** One line, e.g. "PDF files in Downloads changed since 1 November 2026". */
  readonly reading: string;
  /** Between 0 and 1. */
  readonly confidence: number;
  /** Words of the sentence that nothing was made of. */
  readonly unused: readonly string[];
}

export type Understanding =
  | (SentenceReading & { readonly kind: 'understood'; readonly request: FileRequest })
  /** Nothing is done before this is answered; the request is what is understood so far. */
  | (SentenceReading & {
      readonly kind: 'asks-back';
      readonly question: string;
      readonly request?: Partial<FileRequest> | undefined;
    })
  /** Out of scope; `agent` is whose work it is, where there is one. */
  | (SentenceReading & {
      readonly kind: 'refused';
      readonly agent?: string | undefined;
      readonly message: string;
    });
