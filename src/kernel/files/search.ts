/** Finding files by what they are called and what is in them: a port. */
import type { FoundFile, LookRequest, SkippedFile } from './look.ts';

export interface SearchRequest extends Omit<LookRequest, 'sort'> {
  /** As it was typed: words, or exactly so, or a regular expression. */
  readonly query: string;
  readonly how: 'words' | 'exact' | 'regex';
  readonly where: 'name' | 'content' | 'both';
  /** Dates that make a file likelier, and rule none out. */
  readonly likelier?: { readonly after?: number | undefined; readonly before?: number | undefined };
  readonly now: number;
  /** Not by an index, which a search brings up to date: nothing is to be changed. */
  readonly byWalk?: boolean | undefined;
}

export interface SearchHit {
  readonly file: FoundFile;
  /** Between 0 and 1; the most relevant comes first. */
  readonly score: number;
  /** In words, e.g. `name has "invoice"`, `content has "Ahmed"`, `changed last week`. */
  readonly why: readonly string[];
  /** The line that fits best, cut to 200 characters; of text files only. */
  readonly line?: { readonly number: number; readonly text: string } | undefined;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly truncated: boolean;
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
  /** How the answer was found. */
  readonly by: 'walk' | 'index';
  /** Words that were added to a file in place may not be known to the index. */
  readonly mayMissEdits?: boolean | undefined;
}

export interface IndexState {
  /** The folder that is indexed, with everything below it. */
  readonly path: string;
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  readonly builtAt: number;
  readonly sweptAt: number;
}

export interface FileSearching extends AsyncDisposable {
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
  /** Makes it, or makes it anew. */
  index(
    request: Pick<LookRequest, 'base' | 'reach' | 'passOver'>,
    signal: AbortSignal,
  ): Promise<IndexState>;
  /** Whether there was one. */
  dropIndex(path: string): Promise<boolean>;
  indexes(): Promise<readonly IndexState[]>;
}
