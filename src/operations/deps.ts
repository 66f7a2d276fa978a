import type { Blobs } from '../blobs/blobs.ts';
import type { Clock, Disk, Random } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunObserver } from '../runtime/model/deps.ts';
import type { Goal } from '../runtime/submit.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { OperationKeys } from '../security/operation-keys.ts';
import type { ServerKeys } from '../security/server-keys.ts';

export interface OperationsLog {
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

/** What operations are made of. `app` fills it. */
export interface OperationsDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly log: OperationsLog;
  /** The home folder. */
  readonly home: string;
  readonly blobs: Blobs;
  readonly serverKeys: ServerKeys;
  readonly operationKeys: OperationKeys;
  readonly limits: OperationLimits;
  /** Undefined where no daemon runs: then nothing is submitted and nothing cancelled. */
  readonly queue?: OperationQueue | undefined;
}

export interface OperationLimits {
  readonly runMs: number;
  readonly workspaceBytes: number;
  readonly keepMs: number;
}

/** The part of the scheduler that outsiders reach. */
export interface OperationQueue {
  submit(goal: Goal): Promise<{ readonly operationId: string }>;
  cancel(
    id: string,
    why: { readonly by: string; readonly reason?: string | undefined },
  ): Promise<void>;
  /** The template from which an agent would be made for this goal. */
  templateFor(goal: Goal): Promise<string>;
  observe(observer: RunObserver): void;
}
