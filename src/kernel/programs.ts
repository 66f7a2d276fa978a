/** Programs that run as the bodies of agents, each with all that it starts. */

export interface ProgramOrder {
  /** Of no other start, before or after; it names the files below. */
  readonly id: string;
  /** The program first. A name without a slash is looked up on `env.PATH`. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** All of it: nothing is passed on besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Where all that it writes goes, at the end. */
  readonly logPath: string;
  /** A folder in which its exit status is left, so that it is known after a restart too. */
  readonly statusFolder: string;
}

/** What is kept to find it again after a crash. */
export interface ProgramRecord {
  readonly id: string;
  readonly pid: number;
  /** Tells it from another process of the same number (`Processes.startTimeOf`). */
  readonly startTime: string;
  /** What holds it together with all that it starts; undefined where the system has nothing. */
  readonly group?: string | undefined;
  readonly statusFolder: string;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  /** It ended while nobody watched, and left no word. */
  | { readonly kind: 'unknown' };

/** `stopped` is frozen by a signal or by us; it does nothing until it is let go on. */
export type ProgramCondition = 'running' | 'stopped' | 'gone';

export interface RunningProgram {
  readonly record: ProgramRecord;
  /** When the program itself has ended; some that it started may still be there. */
  readonly ended: Promise<ProgramEnd>;
  /** Of the program itself, where it is known: `record` may name what stands between us. */
  programPid(): number | undefined;
  condition(): ProgramCondition;
  /** All of them stop where they are, and go on. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** A polite word to all of them. */
  terminate(): Promise<void>;
  /** Resolves when none of them is left, also of those that broke away. */
  kill(): Promise<void>;
}

export interface Programs {
  /**
   * Resolves once it runs. Throws `program.missing`, `program.not-executable`,
   * `program.bad-folder` or `program.not-started`, each with the reason.
   */
  start(order: ProgramOrder): Promise<RunningProgram>;
  /** Whether it could be started now, as far as one can see; throws as `start` does. */
  check(order: Pick<ProgramOrder, 'argv' | 'cwd' | 'env'>): void;
  /** What holds a program together with all that it starts: by marks, some can escape. */
  holdsBy(): 'control groups' | 'marks';
  /** One that an earlier process started, alive or over. */
  adopt(record: ProgramRecord): RunningProgram;
}
