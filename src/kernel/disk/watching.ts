/** Being told that something changed in a folder. A hint only: notices can be late or lost. */
export interface Watching {
  /**
   * Calls with the name that came, went or was written; undefined stands for anything, the
   * folder itself too: look yourself. When the folder is moved away or removed, or the
   * system gives up, it calls so once and the watch is over.
   *
   * Throws a `disk.*` error when the folder cannot be watched, `disk.no-watches` when the
   * system has none left. The folder may be a symlink: check that it is none.
   */
  watch(folder: string, onChange: (name: string | undefined) => void): FolderWatch;
}

/** Closing may be repeated; nothing is told after it. */
export interface FolderWatch extends Disposable {
  /** False once the watch is over, for whatever reason. */
  readonly open: boolean;
}
