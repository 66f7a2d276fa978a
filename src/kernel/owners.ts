/** The port through which files become somebody's. */
export interface Owners {
  /** Only then files can become somebody else's. */
  readonly isRoot: boolean;
  /** A folder with all that is in it, unless it is theirs already. */
  give(folder: string, uid: number): Promise<void>;
}
