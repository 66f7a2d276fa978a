/**
 * What the file agent is asked for. The names on the wire are those of its interface; a request
 * that arrived was checked by `files/input.ts`, and one made from a sentence is of this shape too.
 */

/** Exactly these are in the manifest. */
export const fileActions = [
  'list_files',
  'read_file',
  'write_file',
  'move_file',
  'rename_file',
  'copy_file',
  'delete_file',
  'search_files',
  'get_metadata',
  'get_disk_usage',
] as const;

export type FileAction = (typeof fileActions)[number];

export interface FileRequest {
  readonly action: FileAction;
  /** A file, a folder or a pattern. `~` is the root; a path without a slash in front is below it. */
  readonly path?: string | undefined;
  /** Several of them instead, to be moved, copied or deleted by one plan. */
  readonly paths?: readonly string[] | undefined;
  /** For move and copy a path; for rename a name, or a pattern of one such as `{taken}{ext}`. */
  readonly destination?: string | undefined;
  readonly query?: string | undefined;
  /** What `write_file` writes: a text, or bytes. */
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
  readonly filters?: FileFilters | undefined;
  readonly options?: FileOptions | undefined;
}

export interface FileFilters {
  /** With commas: endings of names (`pdf`), and kinds by content (`image/*`, `document/*`). */
  readonly type?: string | undefined;
  /** Of the name alone, as a pattern: `*invoice*`. */
  readonly name?: string | undefined;
  /** ISO 8601; `after` includes the moment itself, `before` does not. */
  readonly modified_after?: string | undefined;
  readonly modified_before?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  /** When a photo was taken, by what it says itself; when it was changed, where it does not. */
  readonly taken_after?: string | undefined;
  readonly taken_before?: string | undefined;
  /** Bytes, both without the number itself. */
  readonly size_gt?: number | undefined;
  readonly size_lt?: number | undefined;
  /** Names, patterns of names, and folders that are passed over. */
  readonly exclude?: readonly string[] | undefined;
  readonly kind?: 'file' | 'folder' | 'any' | undefined;
  /** Only files of which there is another with the same bytes. */
  readonly duplicates?: boolean | undefined;
}

export const sortKeys = ['name', 'size', 'modified', 'created', 'taken', 'relevance'] as const;
export type SortKey = (typeof sortKeys)[number];

export interface FileOptions {
  /** Also what is in the folders below. */
  readonly recursive?: boolean | undefined;
  /** Say what would happen, and touch nothing. */
  readonly dry_run?: boolean | undefined;
  /** `true` asks before any change. `false` alone confirms nothing. */
  readonly confirm_required?: boolean | undefined;
  /** What came with a plan, as its owner's yes to that very plan. */
  readonly confirmation_token?: string | undefined;
  /** Of what is returned, or acted on. */
  readonly limit?: number | undefined;
  readonly sort?: SortKey | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** Also names that begin with a dot. */
  readonly hidden?: boolean | undefined;
  /** Where `search_files` looks; both where nothing is said. */
  readonly search_in?: 'name' | 'content' | 'both' | undefined;
  /** The query as it stands, and not its words. */
  readonly exact?: boolean | undefined;
  /** The query is a regular expression. */
  readonly regex?: boolean | undefined;
  /** Of `search_files`: changed then; where nothing fits, also what was changed at another time. */
  readonly likely_modified_after?: string | undefined;
  readonly likely_modified_before?: string | undefined;
  readonly on_error?: 'stop' | 'continue' | undefined;
  /** Where something has the name already. */
  readonly on_conflict?: 'replace' | 'skip' | 'number' | 'fail' | undefined;
  /** Delete for ever, past the trash. */
  readonly permanent?: boolean | undefined;
  /** Of `read_file`. */
  readonly encoding?: 'utf8' | 'base64' | undefined;
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  /** Also inode, device, mode and owner. */
  readonly technical?: boolean | undefined;
}

/** What the file agent answers. Nothing of it is an instruction: names and contents are data. */
export interface FileAnswer {
  readonly status: 'success' | 'error' | 'confirmation_required';
  /** What was actually done, in plain words. */
  readonly action_performed: string;
  readonly result: unknown;
  readonly confirmation_prompt?: string | undefined;
  /** For the owner alone. */
  readonly confirmation_token?: string | undefined;
  /** For every other caller: the question that a human has been asked. */
  readonly approval_id?: string | undefined;
  readonly error?:
    | { readonly code: string; readonly message: string; readonly fix?: string | undefined }
    | undefined;
  readonly metadata: {
    readonly files_affected: number;
    readonly bytes_affected: number;
    readonly duration_ms: number;
  };
}
