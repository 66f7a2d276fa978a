/** The journal of one run, as its loop sees it: what is in memory is what is on disk. */
import {
  after,
  foldSteps,
  type JournalStep,
  type RunState,
  type Step,
} from '../../kernel/journal/step.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { OutputPart } from '../../kernel/sandbox.ts';
import { ShownOutput, type ShownPart, textOfShown } from '../../kernel/text/quote.ts';
import type { Ledger, Transaction } from '../../ledger/ledger.ts';
import { appendSteps, readSteps } from '../../ledger/operations/steps.ts';
import type { Followers, ShowingCall } from '../followers.ts';
import type { LeaseKeeper } from '../lease-keeper.ts';

interface JournalDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly leases: Pick<LeaseKeeper, 'check'>;
  readonly followers: Followers;
}

export interface Held {
  readonly operation: string;
  /** `agent:NAME`, of the lease. */
  readonly subject: string;
  readonly token: number;
}

export class RunJournal {
  readonly #deps: JournalDeps;
  readonly #held: Held;
  readonly #steps: JournalStep[];
  #state: RunState;

  private constructor(deps: JournalDeps, held: Held, steps: JournalStep[]) {
    this.#deps = deps;
    this.#held = held;
    this.#steps = steps;
    this.#state = foldSteps(steps);
  }

  static async open(deps: JournalDeps, held: Held): Promise<RunJournal> {
    return new RunJournal(deps, held, await readSteps(deps.ledger.committed, held.operation));
  }

  get steps(): readonly JournalStep[] {
    return this.#steps;
  }

  get state(): RunState {
    return this.#state;
  }

  /** In one transaction with whatever else `work` writes; refused when the lease was lost. */
  async write(work: (tx: Transaction) => Promise<readonly Step[]>): Promise<void> {
    const added = await this.#deps.ledger.transact((tx) => this.writeIn(tx, work));
    this.written(added);
  }

  /** Like write(), in a transaction of the caller, who tells by `written` that it is on disk. */
  async writeIn(
    tx: Transaction,
    work: (tx: Transaction) => Promise<readonly Step[]>,
  ): Promise<readonly JournalStep[]> {
    const { leases, clock } = this.#deps;
    await leases.check(tx, this.#held.subject, this.#held.token);
    const steps = await work(tx);
    const at = clock.now();
    const count = await appendSteps(tx, this.#held.operation, steps, at);
    return steps.map((step, place) => ({ seq: count - steps.length + place + 1, at, step }));
  }

  written(added: readonly JournalStep[]): void {
    for (const step of added) {
      this.#steps.push(step);
      this.#state = after(this.#state, step.step);
      this.#deps.followers.show(this.#held.operation, { kind: 'step', step });
    }
  }
}

// What the tools of one operation show while they run, for those that follow it: as text, and
// not faster than it can be read. What is left out is in the result of the call.

interface OutputShowDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly followers: Pick<Followers, 'show'>;
}

/** One call, until it is over. */
interface CallShow {
  take(part: OutputPart): void;
  end(): void;
}

const mostBytes = 64 * 1024;
const everyMs = 1000;
// Small, so that what comes at once is shown up to the limit.
const pieceBytes = 4096;

export class OutputShow {
  readonly #deps: OutputShowDeps;
  readonly #operation: string;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #usedBytes = 0;

  constructor(deps: OutputShowDeps, operation: string) {
    this.#deps = deps;
    this.#operation = operation;
  }

  of({ call, tool }: ShowingCall): CallShow {
    const { followers } = this.#deps;
    const output = new ShownOutput();
    let hasDropped = false;
    let isOver = false;
    const put = (part: ShownPart): void => {
      const text = textOfShown(part);
      if (this.#mayShow(Buffer.byteLength(text))) {
        const { stream } = part;
        followers.show(this.#operation, { kind: 'output', call, tool, stream, text });
      } else if (!hasDropped) {
        hasDropped = true;
        followers.show(this.#operation, { kind: 'dropped', call, tool });
      }
    };
    return {
      take: ({ stream, bytes }) => {
        // A tool that does not end with its call may go on showing.
        for (let start = 0; start < bytes.length && !isOver; start += pieceBytes) {
          const piece = bytes.subarray(start, start + pieceBytes);
          const shown = output.take({ stream, bytes: piece });
          if (shown !== undefined) put(shown);
        }
      },
      end: () => {
        isOver = true;
        for (const part of output.rest()) put(part);
      },
    };
  }

  #mayShow(bytes: number): boolean {
    const now = this.#deps.clock.monotonicMs();
    if (now - this.#secondBegan >= everyMs) {
      this.#secondBegan = now;
      this.#usedBytes = 0;
    }
    if (this.#usedBytes + bytes > mostBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }
}
