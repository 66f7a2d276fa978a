/** What can be asked for. */

/** `find` and `list` both look; which action that is depends on what is left over. */
export type Deed =
  | 'list'
  | 'find'
  | 'move'
  | 'rename'
  | 'copy'
  | 'delete'
  | 'read'
  | 'write'
  | 'usage'
  | 'details'
  | 'count';

/** Each with the words for it. */
export type DeedWords = readonly [Deed, readonly string[]];
