/**
 * The doors through which time, chance and the disk come in. `engines/` fills
 * them with the real thing; `tests/sim` fills them with forms that a test steers.
 * An interface here declares at most eight methods.
 */

/** Milliseconds since 1970, by the wall clock. */
export type Instant = number;

/** The last one that a date can show. */
export const lastInstant: Instant = 8.64e15;

export interface Clock {
  /** Wall time, for people and for rows. It may jump either way. */
  now(): Instant;
  /** Time that only goes forward, for leases and timeouts. Its zero means nothing. */
  monotonicMs(): number;
  /** Waits that long on the monotonic clock; rejects with the signal's reason when it aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** Fresh bytes that cannot be guessed. */
  bytes(size: number): Uint8Array;
}

/**
 * Looking at the disk without touching it. A failure of either disk port is an
 * AosError with a `disk.*` code.
 */
export interface DiskView {
  /** Opens an existing file. A symlink in the last place is refused, a FIFO or device too. */
  read(path: string): Promise<FileReader>;
  /** The names in a folder, sorted by code units. */
  list(path: string): Promise<readonly string[]>;
  /**
   * What stands under a name, never following a symlink; undefined when nothing does.
   * Below something that is no folder it is `disk.not-a-folder`.
   */
  stat(path: string): Promise<DiskEntry | undefined>;
  /** Where a symlink leads, as it is written there. Anything else is `disk.bad-name`. */
  readLink(path: string): Promise<string>;
}

export interface CreateOptions {
  readonly mode?: number | undefined;
  /**
   * Goes on with the file that stands there, and is refused when none does: it is cut to so
   * many bytes, and what is appended comes behind them.
   */
  readonly keepBytes?: number | undefined;
  /** Where only root can say so, as its folder's where nothing is said; ours elsewhere. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * What was written is safe from power loss only after `sync` on the file, and a
 * name that was made, moved or removed only after `syncFolder` on its folder. What root
 * makes, or moves into another folder, belongs to whom the folder belongs.
 */
export interface Disk extends DiskView {
  /** Makes a new file, of mode 600 unless said otherwise; refused when the name is taken. */
  create(path: string, options?: CreateOptions): Promise<FileWriter>;
  /** Replaces a file or an empty folder that stands at `to`; a symlink there is not followed. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for the same file; refused when the name is taken. */
  link(from: string, to: string): Promise<void>;
  /** Removes a file, a symlink (not what it points to) or an empty folder. */
  remove(path: string): Promise<void>;
  /** Makes one folder with mode 700; refused when the name is taken. */
  makeFolder(path: string): Promise<void>;
  /** Makes the names in a folder safe. */
  syncFolder(path: string): Promise<void>;
  /** Gives a file the mode 600, a folder 700; anything else is refused, a symlink too. */
  makePrivate(path: string): Promise<void>;
  /** Keeps hold of a folder, whatever its name leads to later. A symlink is refused. */
  holdFolder(path: string): Promise<HeldFolder>;
}

/**
 * For folders in which another process may swap things: a path below `path` lies in this very
 * folder, and not behind a symlink that was put in its place meanwhile. Where the system has no
 * such paths, it is the name again.
 */
export interface HeldFolder extends AsyncDisposable {
  readonly path: string;
  /** The disk that it is on, as `FileIdentity.device`. */
  readonly device: string;
  readonly ownerUid: number;
}

/** Closing never fails and may be repeated. */
export interface FileReader extends AsyncDisposable {
  /**
   * At most `length` bytes from `offset`; fewer at the end of the file. They are put into
   * `into` where that is given, which has room for them.
   */
  readAt(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  sizeBytes(): Promise<number>;
  /** Which file this is and how it stands now: equal answers mean that nothing changed. */
  identity(): Promise<FileIdentity>;
}

/** Nanoseconds, the inode and the device as text: they are beyond what a number holds. */
export interface FileIdentity {
  readonly sizeBytes: number;
  readonly modifiedNs: string;
  readonly modifiedAt: Instant;
  readonly inode: string;
  /** The number of the disk, or of what is mounted as one. */
  readonly device: string;
  /** How many names it has; 0 when the last one was removed or replaced. */
  readonly links: number;
}

/** Closing never fails and may be repeated; whether bytes are safe is what sync() answers. */
export interface FileWriter extends AsyncDisposable {
  /** Adds all of the bytes at the end, or fails. After a failure some may have been added. */
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
}

export interface DiskEntry extends Omit<FileIdentity, 'links'> {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  /** Permission bits only, e.g. 0o600. */
  readonly mode: number;
  readonly ownerUid: number;
  readonly ownerGid: number;
}

/** The file system that a path lies on. */
export interface Volume {
  usage(path: string): Promise<VolumeUsage>;
}

/** The file systems of this machine. */
export interface Mounts {
  /** Where its own disks are mounted; none of a network, which may never answer. */
  tops(): Promise<readonly string[]>;
}

export interface VolumeUsage {
  readonly usedBytes: number;
  /** What an ordinary user may still write. */
  readonly freeBytes: number;
  /** What this process may still write: as root, also what is kept for root. */
  readonly writableBytes: number;
  /** How many more files can be made; infinite where the disk has no limit, or tells none. */
  readonly writableFiles: number;
  /** `ext4`, `nfs4`, `fuse.sshfs`, …; undefined where the system does not tell. */
  readonly fileSystem: string | undefined;
}

/** Where the lines of the daemon's log go. Writing never fails into the program. */
export interface LogFile {
  /** Whole lines, each with its end. They are with the system when this returns. */
  write(lines: string): void;
  close(): void;
}

/** The turns in which this process works: all that comes in together is one turn. */
export interface EventLoop {
  /** Calls once everything that this turn brought has been looked at. */
  atEndOfTurn(work: () => void): void;
  /**
   * From inside a promise's continuation: calls as soon as no continuation is left that
   * could go on by itself. What has not settled by then waits for the outside.
   */
  whenSettled(work: () => void): void;
}

export function endOfTurn(eventLoop: EventLoop): Promise<void> {
  return new Promise((resolve) => eventLoop.atEndOfTurn(resolve));
}

/** The uids that agents have under a daemon of root; above what systems give to people, services and containers. */
export const agentUids = { first: 2_000_000_000, count: 140_000_000 } as const;

export function isAgentUid(uid: number): boolean {
  return uid >= agentUids.first && uid < agentUids.first + agentUids.count;
}

/** The port that changes the owner of files. */
export interface Owners {
  /** Only then can files be given to another user. */
  readonly isRoot: boolean;
  /** A folder with all that is in it, unless it is theirs already. */
  give(folder: string, uid: number): Promise<void>;
}

/** The processes of this machine, our own among them. */
export interface Processes {
  readonly selfPid: number;
  /**
   * What tells a process from another that has the same number before or after it, also
   * across a restart of the machine; undefined when none of that number runs.
   */
  startTimeOf(pid: number): string | undefined;
  /** What differs from one start of the machine to the next; undefined when it is not known. */
  bootId(): string | undefined;
  kill(pid: number, signal: KillSignal): KillAnswer;
}

export type KillSignal = 'SIGTERM' | 'SIGKILL';

/** `sent` says nothing of what it does: a process may take its time to end. */
export type KillAnswer = 'sent' | 'gone' | 'denied';

/** The port through which names of hosts become addresses. */
export interface Resolver {
  /**
   * One question, every address that it has, in the order in which to try them. A name that
   * has none is `http.unreachable`.
   */
  resolve(host: string): Promise<readonly string[]>;
}

export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The calendar of a place: what a moment is called there, and which moment a name means. */
export interface TimeZone {
  /** As in `Europe/Berlin`. */
  readonly name: string;
  wallTimeAt(instant: Instant): WallTime;
  /**
   * Months and days beyond their range carry over, as with Date.UTC. In the hour that is skipped
   * in spring it is the moment after the gap, in the one that comes twice the first.
   */
  instantOf(time: WallTime): Instant;
}

/** What a received folder needs of a disk besides what `Disk` can do. */
export interface TreeDisk {
  /** Refused when the name is taken. The target is written as it is, and never looked at. */
  makeLink(path: string, target: string): Promise<void>;
  /** Of a file or a folder, and never of what a symlink leads to. */
  dress(path: string, look: { readonly mode: number; readonly modifiedAt: Instant }): Promise<void>;
  /**
   * Sets mode and times, of a symlink too, to the nanosecond where the system has a way to say so
   * and it is not done roughly.
   */
  restore(
    path: string,
    look: { readonly mode?: number | undefined; readonly modifiedNs: string },
    how?: { readonly isRough: boolean },
  ): Promise<void>;
}

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
