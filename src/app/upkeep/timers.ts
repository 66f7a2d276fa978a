/**
 * Lets timers ring. A timer is a row, so it rings after a restart too.
 *
 * T1. A timer that changes only the ledger does so in the transaction that takes its
 *     firing: it rings exactly once, whenever the process dies.
 * T2. Any other timer rings first and is taken afterwards: at least once, so what it does
 *     must be harmless to repeat.
 * T3. One that fails is tried again, later each time, and holds up no other, however many
 *     of them there are. Slow ones ring beside the others, a few at once.
 */
import type { Clock, Instant } from '../../kernel/ports.ts';
import { type Ledger, readState, type Transaction, writeState } from '../../ledger/ledger.ts';
import { dueTimers, nextDue, type Timer, takeFiring } from '../../ledger/timers.ts';

export type Ring =
  | { readonly kind: 'within'; ring(tx: Transaction, timer: Timer): Promise<void> }
  | {
      readonly kind: 'repeatable';
      ring(timer: Timer): Promise<void>;
      /** It may take long: the others do not wait for it. */
      readonly isSlow?: true;
    };

export interface TimersDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: {
    error(facts: object, words: string): void;
    warn(facts: object, words: string): void;
  };
}

// The wall clock may jump between two looks.
const longestSleepMs = 5000;
const pageTimers = 1000;
const mostSlow = 8;
const retryMs = { first: 1000, most: 300_000 };

/** Rings until the signal aborts. What each kind of timer does is in `rings`. */
export async function runTimers(
  deps: TimersDeps,
  rings: Readonly<Record<string, Ring>>,
  signal: AbortSignal,
): Promise<void> {
  const delays = new Delays(deps.clock);
  const slow = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    for await (const timer of allDue(deps)) {
      if (signal.aborted) break;
      if (delays.holds(timer) || slow.has(timer.id)) continue;
      const ring = rings[timer.kind];
      if (ring?.kind !== 'repeatable' || ring.isSlow !== true) {
        await ringOne(deps, rings, timer, delays);
      } else if (slow.size < mostSlow) {
        const ringing = ringOne(deps, rings, timer, delays);
        slow.set(
          timer.id,
          ringing.finally(() => slow.delete(timer.id)),
        );
      }
    }
    await sleepUntilNext(deps, signal);
  }
  await Promise.all(slow.values());
}

/** A page at a time: those that are held back must not hide the others. */
async function* allDue({ ledger, clock }: TimersDeps): AsyncGenerator<Timer, void, void> {
  const now = clock.now();
  let after: Timer | undefined;
  do {
    const page = await dueTimers(ledger.committed, { now, limit: pageTimers, after });
    yield* page;
    after = page.length === pageTimers ? page.at(-1) : undefined;
  } while (after !== undefined);
}

async function ringOne(
  deps: TimersDeps,
  rings: Readonly<Record<string, Ring>>,
  timer: Timer,
  delays: Delays,
): Promise<void> {
  const { id, kind } = timer;
  const ring = rings[kind];
  if (ring === undefined) {
    deps.log.warn({ timer: id, kind }, 'nobody knows what this timer is for');
    delays.add(timer);
    return;
  }
  try {
    await (ring.kind === 'within' ? ringWithin(deps, ring, timer) : ringFirst(deps, ring, timer));
    delays.forget(timer);
  } catch (error) {
    deps.log.error({ err: error, timer: id, kind }, 'a timer failed and will be tried again');
    delays.add(timer);
  }
}

// T1
async function ringWithin(
  { ledger, clock }: TimersDeps,
  ring: Extract<Ring, { kind: 'within' }>,
  timer: Timer,
): Promise<void> {
  await ledger.transact(async (tx) => {
    if (await takeFiring(tx, timer, clock.now())) await ring.ring(tx, timer);
  });
}

// T2
async function ringFirst(
  { ledger, clock }: TimersDeps,
  ring: Extract<Ring, { kind: 'repeatable' }>,
  timer: Timer,
): Promise<void> {
  await ring.ring(timer);
  await ledger.transact((tx) => takeFiring(tx, timer, clock.now()));
}

async function sleepUntilNext({ ledger, clock }: TimersDeps, signal: AbortSignal): Promise<void> {
  const due = (await nextDue(ledger.committed)) ?? Number.POSITIVE_INFINITY;
  // At least a little, or a timer that fails would keep the process busy.
  const sleepMs = Math.min(Math.max(due - clock.now(), 100), longestSleepMs);
  try {
    await clock.sleep(sleepMs, signal);
  } catch {
    // Woken to stop, which the caller sees.
  }
}

/** T3: which timers are not tried again yet. It is forgotten at a restart, which is a good moment. */
class Delays {
  readonly #clock: Clock;
  readonly #failed = new Map<string, { readonly untilMs: number; readonly delayMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  holds({ id }: Timer): boolean {
    return (this.#failed.get(id)?.untilMs ?? 0) > this.#clock.monotonicMs();
  }

  add({ id }: Timer): void {
    const before = this.#failed.get(id)?.delayMs;
    const delayMs = before === undefined ? retryMs.first : Math.min(before * 2, retryMs.most);
    this.#failed.set(id, { untilMs: this.#clock.monotonicMs() + delayMs, delayMs });
  }

  forget({ id }: Timer): void {
    this.#failed.delete(id);
  }
}

const dayMs = 24 * 3_600_000;
const longestStepMs = 2 * dayMs;

/**
 * The moment before which what is kept for so many days may go. It moves on by two days at
 * most, each time it is asked for: a clock that is months ahead for an hour must not take
 * everything with it.
 */
export async function nextCutoff(
  { ledger, clock }: { readonly ledger: Ledger; readonly clock: Pick<Clock, 'now'> },
  { key, keepDays }: { readonly key: string; readonly keepDays: number },
): Promise<Instant> {
  const wanted = clock.now() - keepDays * dayMs;
  return ledger.transact(async (tx) => {
    const before = await readState(tx, key);
    const cutoff = before === undefined ? wanted : Math.min(wanted, Number(before) + longestStepMs);
    await writeState(tx, key, String(cutoff), clock.now());
    return cutoff;
  });
}
