/**
 * Programs behind a wall: they see what is listed and nothing else, have no network but one
 * that is asked for every host, and stop at limits. The form for this machine is in
 * `sandbox/`.
 */
import type { Instant } from './ports.ts';

/** What a program may use. Every number is a limit. */
export interface SandboxLimits {
  /** Of all its processes together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** In hundredths of one: 100 is one core. */
  readonly cpuPercent: number;
  /** Of one file. */
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Of the workspace, with all that was there before. */
  readonly workspaceBytes: number;
  readonly workspaceFiles: number;
}

export type SandboxLimit = 'memory' | 'processes' | 'output' | 'time' | 'file-size' | 'workspace';

/** How a limit is held: `exact` for all processes together, `each` for one, `watched` a moment later. */
export type HeldAs = 'exact' | 'each' | 'watched' | 'not';

/** Which wall there is, as it was found by trying. */
export type SandboxState =
  | {
      readonly kind: 'works';
      /** The launcher. */
      readonly path: string;
      /** What holds memory, processes and cpu: control groups, else limits of single processes. */
      readonly rung: 'control groups' | 'rlimits';
      readonly holds: Readonly<Record<SandboxLimit | 'cpu', HeldAs>>;
    }
  | { readonly kind: 'unavailable'; readonly says: string; readonly fix: string };

/** A folder or file of the host that is seen inside. */
export interface SeenPath {
  /** On the host. */
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
  /** The number of its disk and its own there, `n:n`, if it must be that very one. */
  readonly identity?: string | undefined;
}

/** A symlink that is made inside. */
export interface SeenLink {
  readonly path: string;
  readonly target: string;
}

/** The principal inside, and what it sees besides the programs of this machine. */
export interface SandboxView {
  /** `agent:NAME` or `owner`. */
  readonly principal: string;
  /** Whose files they are on the host; undefined where that is the daemon's own user. */
  readonly uid: number | undefined;
  /** On the host; `/workspace` inside, and the home of the program there. */
  readonly workspace: string;
  /** Which folder that is, so that one that took its place is not taken for it. */
  readonly workspaceIs?: string | undefined;
  readonly sees: readonly SeenPath[];
  readonly links?: readonly SeenLink[];
  /** Its workspace holds more than it may: nothing is made there, and all can be removed. */
  readonly isFull?: boolean | undefined;
  /** Programs of agents talk to their daemon; what a tool starts opens no such sockets. */
  readonly unixSockets: boolean;
}

export interface SandboxCommand {
  /** The program first, as it is called inside. */
  readonly argv: readonly [string, ...string[]];
  /** Inside. */
  readonly cwd: string;
  /** Besides what every program gets there. */
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxRun {
  readonly view: SandboxView;
  readonly command: SandboxCommand;
  readonly limits: SandboxLimits;
  readonly stdin: Uint8Array | undefined;
  /** Of both streams together. */
  readonly outputBytes: number;
  /** Undefined: no network at all. */
  readonly network: SandboxNetwork | undefined;
  /** Ends it, with all that it has started. `run` then rejects with the reason. */
  readonly signal: AbortSignal;
  /** The program's own time; when it is over, what it wrote so far is the result. */
  readonly timeoutMs: number | undefined;
  onOutput?(stream: OutputStream, bytes: Uint8Array): void;
}

export type OutputStream = 'stdout' | 'stderr';

export interface OutputPart {
  readonly stream: OutputStream;
  readonly bytes: Uint8Array;
}

/** The daemon's end of a listener on the loopback of one sandbox. */
export interface SandboxListener extends AsyncDisposable {
  /** `net.Server`, as far as the kernel knows it. */
  readonly server: unknown;
}

/** Serves the connections of one sandbox until it is disposed of. */
export type SandboxNetwork = (listener: SandboxListener) => AsyncDisposable;

export interface SandboxResult {
  readonly end: SandboxEnd;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** What it wrote beyond is not here. */
  readonly truncated: boolean;
  /** Limits that it met and outlived, such as a fork that was refused. */
  readonly met: readonly SandboxLimit[];
}

export type SandboxEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly by: SandboxLimit };

/** The program of an agent, which runs for as long as it likes and outlives the daemon. */
export interface BodyOrder {
  /** Of this start and no other. */
  readonly id: string;
  readonly view: SandboxView;
  /** With all of its environment. */
  readonly command: SandboxCommand;
  readonly limits: SandboxLimits;
}

/**
 * For the supervisor of programs, which starts it inside the sandbox. Disposed of, what was made
 * for it goes: that is for a start that did not come about.
 */
export interface SandboxedBody extends Disposable {
  /** The launcher with its arguments, to be started with an environment that is empty. */
  readonly argv: readonly [string, ...string[]];
  /** Files that the launcher finds open as descriptors 3, 4, …, in this order. */
  readonly opens: readonly string[];
  /** Lists that a process writes its number to before it becomes the launcher. */
  readonly joins: readonly string[];
  /** One of the groups that it joins, where all in it can be frozen and killed by that. */
  readonly group: string | undefined;
  /** The descriptor over which it hands us its listener, once, before the program starts. */
  readonly channel: number;
  /** Among the arguments of its first process inside, until that becomes the program. */
  readonly script: string;
  /** Whose the log has to be, so that the program can open /dev/stdout; as in the view. */
  readonly uid: number | undefined;
}

/** One that runs: of this daemon, or of one before it. */
export interface RunningBody {
  readonly id: string;
  /** What was in its folders before is no fault of its own. */
  readonly startedAt: Instant;
  /** On the host. */
  readonly workspace: string;
  readonly limits: SandboxLimits;
  /** Other folders that it can write to, and what each may hold. */
  readonly mail: readonly string[];
  readonly mailLimits: Pick<SandboxLimits, 'workspaceBytes' | 'workspaceFiles'>;
  /** Its outermost process on the host. */
  readonly pid: number;
  /** Called once, when it has passed a limit. */
  stop(by: SandboxLimit): void;
}

/** Disposed of, it is held no longer, and what was made for it goes as soon as it is over. */
export interface HeldSandboxBody extends Disposable {
  /** The limit for which the system has ended some of it, if there is one. */
  ended(): SandboxLimit | undefined;
}

export interface Sandboxes extends AsyncDisposable {
  /** Found out by trying. What works is not tried again; what does not is, now and then. */
  state(): Promise<SandboxState>;
  /** Finds it out again. */
  examine(): Promise<SandboxState>;
  /** Throws `sandbox.unavailable`, `sandbox.not-started`, or the signal's reason. */
  run(order: SandboxRun): Promise<SandboxResult>;
  /** Whether all of it can be shown together; throws `sandbox.bad-folder`. */
  checkView(view: SandboxView): void;
  /** Throws `sandbox.unavailable`, `sandbox.bad-folder` and `sandbox.full`. */
  prepareBody(order: BodyOrder): Promise<SandboxedBody>;
  /** Holds it to its limits. */
  holdBody(body: RunningBody): HeldSandboxBody;
  /** Nothing that was made ready for this principal is used any more. */
  discard(principal: string): Promise<void>;
}
