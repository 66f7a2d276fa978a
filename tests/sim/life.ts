/**
 * The life of one simulated process. Whatever it does outside itself passes through here,
 * takes its time, and may be the last that it does: then it is never answered, nor is
 * anything else that it has begun.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, EventLoop } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { SimulatedClock } from './clock.ts';
import type { Dice } from './dice.ts';

export type Death = 'kill' | 'power-cut';

export interface LifeChoices {
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  /** Of a hundred calls, how many take their time. */
  readonly slowPercent: number;
  /** At which call it dies, counted from 1; undefined when it does not. */
  readonly deadline: { readonly call: number; readonly death: Death } | undefined;
  readonly onDeath: (death: Death) => void;
}

const slowestMs = 40;

export class Life {
  readonly #choices: LifeChoices;
  #calls = 0;
  #mortal = true;
  isDead = false;

  constructor(choices: LifeChoices) {
    this.#choices = choices;
  }

  die(death: Death): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#choices.onDeath(death);
  }

  /** From now on it lives as long as nobody ends it. */
  spare(): void {
    this.#mortal = false;
  }

  async pass<T>(perform: () => Promise<T>, answered: 'late' | 'at once' = 'late'): Promise<T> {
    const { deadline, dice } = this.#choices;
    if (this.isDead) return never();
    const isLast = ++this.#calls === deadline?.call && this.#mortal;
    if (isLast && dice.chance(50)) this.die(deadline.death);
    await this.#takeTime();
    if (this.isDead) return never();
    try {
      const answer = await perform();
      // Done, and nobody hears of it.
      if (isLast && this.#mortal) this.die(deadline.death);
      if (!this.isDead && answered === 'late') await this.#takeTime();
      return this.isDead ? never() : answer;
    } catch (failure) {
      if (this.isDead) return never();
      throw failure;
    }
  }

  async #takeTime(): Promise<void> {
    const { clock, dice, slowPercent } = this.#choices;
    if (slowPercent > 0 && dice.chance(slowPercent)) await clock.sleep(1 + dice.below(slowestMs));
  }

  /** The clock of the machine that it runs on. */
  clock(now: () => number): Clock {
    const { clock } = this.#choices;
    return {
      now,
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (durationMs, signal) => {
        try {
          await clock.sleep(durationMs, signal);
        } catch (reason) {
          if (!this.isDead) throw reason;
        }
        return this.isDead ? never() : undefined;
      },
    };
  }

  ledger(ledger: Ledger): Ledger {
    const { committed } = ledger;
    return {
      // Answered in the order of the commits, as the relay may expect.
      transact: (work) => this.pass(() => ledger.transact(work), 'at once'),
      committed: {
        all: (...call) => this.pass(() => committed.all(...call)),
        get: (...call) => this.pass(() => committed.get(...call)),
        run: (...call) => this.pass(() => committed.run(...call)),
      },
      openView: () => ledger.openView(),
      onEvents: (wake) => ledger.onEvents(wake),
      copyTo: (path) => ledger.copyTo(path),
      forget: () => ledger.forget(),
      [Symbol.asyncDispose]: async () => {},
    };
  }
}

// A new one each time, so that it and who waits for it can be forgotten.
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** The real turns, counted: when none is planned, only the clock can make anything happen. */
export class CountedEventLoop implements EventLoop {
  #planned = 0;

  atEndOfTurn(work: () => void): void {
    this.#planned++;
    setImmediate(() => {
      this.#planned--;
      work();
    });
  }

  whenSettled(work: () => void): void {
    process.nextTick(work);
  }

  async settled(): Promise<void> {
    do await nextTurn();
    while (this.#planned > 0);
  }
}
