import type { ModelSpec } from '../../kernel/agent/agent.ts';
import type { LanguageModel, ModelCatalog } from '../../kernel/agent/model.ts';
import type { RememberedItem } from '../../kernel/journal/step.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OperationRow } from '../../ledger/operations/operations.ts';
import type { Relay } from '../../relay/relay.ts';
import type { ToolCalls } from '../../tools/call.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Prices } from '../budgets.ts';
import type { Followers } from '../followers.ts';
import type { LeaseKeeper } from '../lease-keeper.ts';
import type { OutputShow, RunJournal } from './run-journal.ts';

/** What the runs of model agents are made of. */
export interface ModelRunDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { error(facts: object, words: string): void };
  readonly models: ModelCatalog;
  readonly calls: Pick<ToolCalls, 'call' | 'settled'>;
  /** All that there are. */
  tools(): readonly Tool[];
  readonly mailboxes: Pick<Relay['mailboxes'], 'list' | 'take'>;
  readonly leases: LeaseKeeper;
  readonly followers: Followers;
  readonly prices: Prices;
  readonly limits: RunLimits;
  /** What it is told of the memories of its agent, when it begins. */
  remember?(
    run: Pick<ModelRun, 'operation' | 'model' | 'signal'>,
  ): Promise<readonly RememberedItem[]>;
  readonly observers?: RunObservers | undefined;
}

/** Follows the runs of operations, and may end them; it registers by RunObservers.add(). */
export interface RunObserver {
  /** After calls of tools; throws why the operation may not go on. */
  afterCalls(operation: OperationRow): Promise<void>;
  /** It is done: what it has made is stored before that is said. Throws why it has failed. */
  beforeDone(operation: OperationRow, signal: AbortSignal): Promise<void>;
  /** An operation may have come to its end. A hint. */
  mayHaveEnded(): void;
}

export class RunObservers implements RunObserver {
  readonly #all: RunObserver[] = [];

  add(observer: RunObserver): void {
    this.#all.push(observer);
  }

  async afterCalls(operation: OperationRow): Promise<void> {
    for (const observer of this.#all) await observer.afterCalls(operation);
  }

  async beforeDone(operation: OperationRow, signal: AbortSignal): Promise<void> {
    for (const observer of this.#all) await observer.beforeDone(operation, signal);
  }

  mayHaveEnded(): void {
    for (const observer of this.#all) observer.mayHaveEnded();
  }
}

export interface RunLimits {
  /** Of one operation. */
  readonly mostTurns: number;
  /** How often one turn may be asked again after its answer was lost. */
  readonly mostLosses: number;
  /** Of one result, as the journal keeps it for the model. */
  readonly resultCharacters: number;
  readonly messagesPerTurn: number;
}

export const defaultRunLimits: RunLimits = {
  mostTurns: 200,
  mostLosses: 5,
  resultCharacters: 64 * 1024,
  messagesPerTurn: 20,
};

/** One operation that is being worked on by this process. */
export interface ModelRun {
  readonly operation: OperationRow;
  readonly agent: string;
  readonly spec: ModelSpec;
  readonly model: LanguageModel;
  readonly journal: RunJournal;
  readonly output: OutputShow;
  /** Aborts with why it has to stop here and now. */
  readonly signal: AbortSignal;
  /** Whether it is to stop after the step that it is in. */
  wantsPause(): boolean;
}

/** How a stretch of work on an operation ended. */
export type RunEnd =
  | { readonly kind: 'paused' }
  /** For a human's word on this call. */
  | { readonly kind: 'waits-for-call'; readonly callId: string }
  /** For the children of this operation, who tell their ends by messages. */
  | { readonly kind: 'waits-for-mail' };
