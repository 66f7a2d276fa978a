import type { CommandSpec, Intensity } from '../../kernel/agent/agent.ts';
import type { Note } from '../../kernel/message/message.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { ProgramRecord, Programs } from '../../kernel/programs.ts';
import type {
  BodyOrder,
  HeldSandboxBody,
  RunningBody,
  SandboxedBody,
  SandboxLimits,
} from '../../kernel/sandbox.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** What programs write, and what else they leave. A file that is not there is an empty one. */
export interface ProgramLogs {
  sizeOf(path: string): number;
  /** The end of what was written behind `from`, at most so much of it. */
  tail(path: string, options: { readonly from: number; readonly mostBytes: number }): string;
  /** Makes room when the file has grown beyond its size; false when there was no need. */
  rotate(path: string): Promise<boolean>;
  /** Removes the exit status of a program whose end is in the ledger. */
  forget(record: Pick<ProgramRecord, 'id' | 'statusFolder'>): void;
}

export interface Leases {
  /** The token; undefined when another process holds it. */
  take(subject: string): Promise<number | undefined>;
  release(subject: string): Promise<void>;
}

/** The walls that programs run behind. */
export interface BodySandboxes {
  readonly limits: SandboxLimits;
  /**
   * What the program sees and gets; undefined for one that its owner lets run without a wall.
   * Throws why it cannot be started, as far as one can see.
   */
  orderFor(agent: string, spec: CommandSpec): Promise<Omit<BodyOrder, 'id'> | undefined>;
  prepare(order: BodyOrder): Promise<SandboxedBody>;
  hold(agent: string, body: Pick<RunningBody, 'id' | 'pid' | 'stop'>): HeldSandboxBody;
  /** Its network, until that is disposed of. Takes what `ProgramOrder.onListener` was given. */
  serve(agent: string, server: unknown): AsyncDisposable;
}

/** What the supervisor of programs is made of. `app` fills it. */
export interface CommandDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly programs: Programs;
  readonly logs: ProgramLogs;
  readonly log: { error(facts: object, words: string): void };
  readonly home: string;
  readonly sandboxes: BodySandboxes;
  /** All that a program without a sandbox gets (kernel/agent/program.ts). */
  environmentOf(agent: string, spec: CommandSpec): Promise<Readonly<Record<string, string>>>;
  readonly leases: Leases;
  /** Tells the owner or an agent by a message; of several with one key, one is sent. */
  notify(note: Note): Promise<void>;
  /** How many programs run at once. */
  readonly slots: number;
  /** Called when a program is over and the ledger says so, whatever comes next. */
  onEnd?(agent: string): void;
  /** How long a program may take to end after a polite word. */
  readonly graceMs?: number;
  readonly intensity?: Intensity;
}
