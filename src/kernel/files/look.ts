/** Looking at trees of files, of which there may be millions: a port, filled by threads. */
import type { PathTarget } from '../capability/capability.ts';
import type { Instant } from '../ports.ts';
import type { SortKey } from './request.ts';

/** A folder that is held, so that no process can put another in its place while it is looked at. */
export interface LookBase {
  /** The path under which the held folder is reached, in every thread: `HeldFolder.path`. */
  readonly held: string;
  /** Its real path, without symlinks: what is found is named below it. */
  readonly path: string;
}

/**
 * What the caller may see, to be asked in another thread, for each of very many names. It says no
 * more than the grants of the moment in which it was made.
 */
export type FileReach =
  /** The owner's. Where something is to be changed, secrets that the base does not name are passed over. */
  | { readonly kind: 'all'; readonly aosHome: string; readonly passOverSecrets: boolean }
  /** Each chain is a grant and those above it: all of them have to cover the path. */
  | {
      readonly kind: 'granted';
      readonly aosHome: string;
      readonly chains: readonly (readonly PathTarget[])[];
    };

export interface LookFilters {
  /** Of the path below the base, in parts; `**` stands for any number of folders. */
  readonly glob?: readonly string[] | undefined;
  /** Of the name; capital letters do not count. */
  readonly name?: string | undefined;
  /** Lower case: extensions without a dot, media types, `image/*`. */
  readonly types?: readonly string[] | undefined;
  /** Not one of these, whatever it is called. */
  readonly exceptTypes?: readonly string[] | undefined;
  readonly modifiedAfter?: Instant | undefined;
  readonly modifiedBefore?: Instant | undefined;
  readonly createdAfter?: Instant | undefined;
  readonly createdBefore?: Instant | undefined;
  readonly takenAfter?: Instant | undefined;
  readonly takenBefore?: Instant | undefined;
  readonly sizeGt?: number | undefined;
  readonly sizeLt?: number | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly kind: 'file' | 'folder' | 'any';
}

export interface LookRequest {
  readonly base: LookBase;
  readonly reach: FileReach;
  readonly recursive: boolean;
  readonly hidden: boolean;
  readonly filters: LookFilters;
  readonly sort: { readonly by: Exclude<SortKey, 'relevance'>; readonly order: 'asc' | 'desc' };
  /** The most that is returned; what is beyond it is counted. */
  readonly limit: number;
  /** Whole folders that are never looked into, as the trash: real paths. */
  readonly passOver: readonly string[];
}

export type FileKind = 'file' | 'folder' | 'symlink' | 'other';

/** What was found, as it stood when it was looked at. */
export interface SeenFile {
  /** The real path; bytes that are no UTF-8 are lone surrogates (`engines/disk/owners.ts`). */
  readonly path: string;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** What it takes on the disk. */
  readonly allocatedBytes: number;
  readonly modifiedNs: string;
  readonly modifiedAt: Instant;
  readonly createdAt: Instant;
  readonly inode: string;
  readonly device: string;
  /** Permission bits only. */
  readonly mode: number;
  readonly ownerUid: number;
  readonly links: number;
  /** The media type by its content, where that was looked at; else by its name. */
  readonly type?: string | undefined;
  /** When it was taken, where `taken` was asked for. */
  readonly takenAt?: Instant | undefined;
  /** Where that is only when it was changed, because the photo does not say. */
  readonly isTakenGuessed?: boolean | undefined;
}

export interface SkippedFile {
  readonly path: string;
  readonly why: 'unreadable' | 'other-disk' | 'too-deep' | 'gone';
}

export interface Listing {
  /** Sorted; at most `limit`. */
  readonly files: readonly SeenFile[];
  /** Of everything that fits, also what is not returned. */
  readonly total: number;
  /** Undefined where there are more than are returned, and no size of them was asked for. */
  readonly totalBytes: number | undefined;
  readonly truncated: boolean;
  /** At most 100 of them, and how many there are. */
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
  /** What is denied is not named, only that there is some. */
  readonly deniedTotal: number;
  /** `name`: there were too many to look into each; only likely ones were. */
  readonly typesBy: 'content' | 'name' | 'none';
}

export interface Usage {
  readonly files: number;
  readonly folders: number;
  /** Each file once, however many names it has. */
  readonly apparentBytes: number;
  readonly allocatedBytes: number;
  /** The largest folders and types below the base, largest first; at most 20. */
  readonly folderSizes: readonly { readonly path: string; readonly bytes: number }[];
  readonly typeSizes: readonly {
    readonly type: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
  readonly deniedTotal: number;
}

export interface DuplicateGroup {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly files: readonly SeenFile[];
}

export interface Duplicates {
  /** Those that waste most first; at most `limit` groups. */
  readonly groups: readonly DuplicateGroup[];
  readonly totalGroups: number;
  readonly wastedBytes: number;
  readonly truncated: boolean;
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
}

/** What a file says of itself, in plain values. */
export interface FileNature {
  /** By content; `application/x-empty` for an empty file, `text/plain` for any text. */
  readonly type: string;
  /** e.g. "PDF document", "JPEG image". */
  readonly typeWords: string;
  /** Whether its name says something else. */
  readonly isNameWrong: boolean;
  /** Of a photo; undefined where it has none or what it has is no date. */
  readonly takenAt?: Instant | undefined;
  /** Camera, size of the picture, place: only what is there, in words and numbers. */
  readonly photo?: Readonly<Record<string, string | number>> | undefined;
}

/** Every call rejects with the signal's reason when it aborts. */
export interface FileLooking extends AsyncDisposable {
  list(request: LookRequest, signal: AbortSignal): Promise<Listing>;
  usage(
    request: Omit<LookRequest, 'sort' | 'limit' | 'recursive'>,
    signal: AbortSignal,
  ): Promise<Usage>;
  duplicates(request: Omit<LookRequest, 'sort'>, signal: AbortSignal): Promise<Duplicates>;
  /** Of one file: the path of its folder as held, and its name. */
  nature(folder: LookBase, name: string, signal: AbortSignal): Promise<FileNature>;
}

// Finding files by what they are called and what is in them: a port.

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
  readonly file: SeenFile;
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
