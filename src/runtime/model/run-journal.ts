/** The journal of one run, as its loop sees it: what is in memory is what is on disk. */
import { after, foldSteps, type RunState } from '../../kernel/journal/fold.ts';
import type { JournalStep, Step } from '../../kernel/journal/step.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger, Transaction } from '../../ledger/ledger.ts';
import { appendSteps, readSteps } from '../../ledger/operations/steps.ts';
import type { Followers } from '../followers.ts';
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

  /** The same in a transaction of the caller, who tells by `written` that it is on disk. */
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
