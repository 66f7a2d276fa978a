/** Programs that run as the bodies of agents, each with all that it starts. */
import type { Instant } from './ports.ts';
import type { SandboxedBody } from './sandbox.ts';

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
  /**
   * The wall that it runs behind; where there is one, it says all that is said above of the
   * program, its folder and its environment.
   */
  readonly sandbox?: SandboxedBody | undefined;
  /** Called once, before the program runs: a `net.Server` on the loopback of its sandbox. */
  onListener?(server: unknown): void;
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
  /** A launcher stands between, which is not the program. */
  readonly sandboxed?: true | undefined;
}

/** A file that a program needs to run: itself, or what its first line names. */
export interface ProgramPart {
  /** As it was named or found. */
  readonly path: string;
  /** Without symlinks. */
  readonly real: string;
  /** Its name alone was given, and it was found on the PATH. */
  readonly isSought: boolean;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  /** It ended while it was not watched, and left no word. */
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
  /** Of one that is gone: when, if it has left word. */
  endedAt(): Instant | undefined;
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
   * `program.bad-folder` or `program.not-started`, each with the reason; of one in a sandbox
   * `sandbox.not-started`.
   */
  start(order: ProgramOrder): Promise<RunningProgram>;
  /** Whether it could be started now, as far as one can see; throws as `start` does. */
  check(order: Pick<ProgramOrder, 'argv' | 'cwd' | 'env'>): void;
  /** The program, then what runs it, where it is a script; throws as `start` does. */
  partsOf(
    order: Pick<ProgramOrder, 'argv' | 'cwd' | 'env'>,
  ): readonly [ProgramPart, ...ProgramPart[]];
  /** What holds a program together with all that it starts: by marks, some can escape. */
  holdsBy(): 'control groups' | 'marks';
  /** One that an earlier process started, alive or over. */
  adopt(record: ProgramRecord): RunningProgram;
}
