/**
 * Decides which goal is worked on when. The queue is in the ledger; here is only what this
 * process works on, and whose turn it was.
 *
 * D1. A goal is claimed by one guarded update, together with the lease that it runs under. Of
 *     two schedulers one gets it, and whatever is claimed is started.
 * D2. A slot is taken from the claim until `start` resolves: what waits or is paused has none.
 * D3. Being woken is a hint; a look at the ledger every second is the net.
 */

import { chooseNext, type QueuedGoal, type QueueMoment } from '../kernel/agent/operation.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import type { Clock, Instant, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { Bells } from '../kernel/turns.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import {
  claimOperation,
  findOperation,
  findOperationByKey,
  lateOperations,
  type OperationRow,
  queuedOperations,
  queueInOrder,
} from '../ledger/operations/operations.ts';
import { concludeIn } from './conclude.ts';
import {
  checkGoal,
  checkRoom,
  type EarlyEnd,
  endAsAsked,
  endTree,
  enqueue,
  type Goal,
  isOver,
  mustFindOperation,
  type Placement,
  prioritizeIn,
  putBack,
} from './submit.ts';

export interface SchedulerDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: {
    error(facts: object, words: string): void;
    warn(facts: object, words: string): void;
  };
  /** How many operations run at once. */
  readonly slots: number;
  /** Spawns or picks the agent. */
  placeGoal(goal: Goal): Promise<Placement>;
  /** Makes the key of an operation whose journal is to be sealed; it is on disk afterwards. */
  makeKey?(operation: string): Promise<void>;
  /** D1. What it runs under, in the transaction of the claim; false when it cannot be had yet. */
  readonly take?: ((tx: Transaction, operation: OperationRow) => Promise<boolean>) | undefined;
  /** Runs it to an end, a wait or a pause; resolves then. */
  start(operation: OperationRow): Promise<void>;
  /** It is to end with this error; the process that runs it ends it. */
  stop(operationId: string, why: AosError): void;
  /** An operation was ended here, and a note may have been left for tellAll(). */
  toTell(): void;
}

const ageingMs = 60_000;
const pollMs = 1000;
const freshMs = 200;
const leastOfEach = 64;
const shortLookMs = 5;
const longestRestMs = 250;
const mostCandidates = 10_000;
const mostLate = 500;
const mostShown = 1000;
const mostOwnersRemembered = 10_000;
const bell = 'goals';

export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #bells: Bells;
  readonly #running = new Map<string, OperationRow>();
  readonly #following = new Set<Promise<void>>();
  /** Of each owner the number of the latest start, the longest ago first. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  /** What may be next, as it was read then; a claim finds out what is so no more. */
  #candidates: readonly QueuedGoal[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #isChanged = true;
  #lookedForLateMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  #isStopping = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#bells = new Bells(deps.clock);
  }

  async submit(goal: Goal): Promise<{ readonly agentId: string; readonly operationId: string }> {
    const { ledger, clock, random } = this.#deps;
    checkGoal(goal);
    const same = await this.#submittedBefore(goal);
    if (same !== undefined) return same;
    // Again within the transaction; here so that no agent is made for what is refused.
    await checkRoom(ledger.committed, goal.owner);
    const { agent, because } = await this.#deps.placeGoal(goal);
    const at = clock.now();
    const id = newId(at, random);
    if (goal.isSealed === true) await this.#deps.makeKey?.(id);
    try {
      await ledger.transact((tx) => enqueue(tx, { id, goal, agent, because, at }));
    } catch (failure) {
      // Of two at once with one key, one is the goal.
      const other = await this.#submittedBefore(goal);
      if (other === undefined) throw failure;
      return other;
    }
    this.wake();
    return { agentId: agent, operationId: id };
  }

  async #submittedBefore({ owner, key, text }: Goal) {
    if (key === undefined) return undefined;
    const before = await findOperationByKey(this.#deps.ledger.committed, owner, key);
    if (before === undefined) return undefined;
    // Of one whose goal was erased it is not known what it was.
    if (before.goal !== text && before.is_sealed === 0) throw keyUsed(key);
    return { agentId: before.agent, operationId: before.id };
  }

  async prioritize(id: string, priority: number, by: string): Promise<void> {
    await this.#deps.ledger.transact((tx) => prioritizeIn(tx, id, { priority, by }));
    this.wake();
  }

  /** What is queued, by level and age; between owners it is decided when a slot is free. */
  getQueue(): Promise<OperationRow[]> {
    const { ledger, clock } = this.#deps;
    return queueInOrder(ledger.committed, { now: clock.now(), ageingMs, limit: mostShown });
  }

  /** With all that was submitted for it. What runs ends as soon as its runner has stopped. */
  async cancel(
    id: string,
    { by, reason }: { readonly by: string; readonly reason?: string | undefined },
  ): Promise<void> {
    const why = reason === undefined ? '' : `: ${reason}`;
    const error = new AosError('operation.cancelled', {
      message: `Operation ${quote(id)} was cancelled by ${quote(by)}${why}`,
      fix: 'Submit the goal again if it is still wanted',
    });
    const at = this.#deps.clock.now();
    const row = await this.#end(id, { state: 'cancelled', error, actor: by, at });
    if (row !== undefined) throw isOver(row);
    this.wake();
  }

  /** What waited goes on; false when it did not. */
  async requeue(id: string): Promise<boolean> {
    const { ledger, clock } = this.#deps;
    const at = clock.now();
    const isBack = await ledger.transact((tx) =>
      putBack(tx, id, { from: ['waiting'], actor: 'system', at }),
    );
    this.#deps.toTell();
    this.wake();
    return isBack;
  }

  /** How many slots are taken. */
  get running(): number {
    return this.#running.size;
  }

  /** The queue may have changed. */
  wake(): void {
    this.#isChanged = true;
    this.#look();
  }

  #look(): void {
    this.#isWoken = true;
    this.#bells.ring(bell);
  }

  /** Until the signal aborts, and all that was started has resolved. */
  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    this.#isStopping = false;
    signal.addEventListener('abort', () => (this.#isStopping = true), { once: true });
    while (!signal.aborted) {
      this.#isWoken = false;
      const lookedAtMs = this.#deps.clock.monotonicMs();
      try {
        await this.#endLateNowAndThen();
        await this.#fillSlots(signal);
        await this.#rest(this.#deps.clock.monotonicMs() - lookedAtMs, signal);
      } catch (failure) {
        log.error({ err: failure }, 'the queue could not be looked at, and will be again');
      }
      // D3. Being stopped is the way this ends.
      if (!this.#isWoken) await this.#bells.wait(bell, pollMs, signal).catch(() => {});
    }
    await Promise.all(this.#following);
  }

  /** A look at a long queue takes its time, and is not to take all of it. */
  async #rest(tookMs: number, signal: AbortSignal): Promise<void> {
    if (tookMs < shortLookMs) return;
    // Being stopped is another way this ends.
    await this.#deps.clock.sleep(Math.min(2 * tookMs, longestRestMs), signal).catch(() => {});
  }

  /** From what was read before, while that is fresh: a slot that is free changes no queue. */
  async #fillSlots(signal: AbortSignal): Promise<void> {
    const { ledger, clock, slots } = this.#deps;
    if (this.#running.size >= slots) return;
    const isOld = clock.monotonicMs() - this.#readAtMs >= freshMs;
    if (this.#isChanged || isOld) this.#candidates = [];
    const now = clock.now();
    let isNew = false;
    const refused = new Set<string>();
    while (!signal.aborted) {
      const picked = this.#pick(this.#candidates, now, refused);
      if (picked.length > 0) {
        const claims = await Promise.all(picked.map((goal) => this.#claim(goal)));
        for (const [place, { agent }] of picked.entries()) if (!claims[place]) refused.add(agent);
        const ids = new Set(picked.map(({ id }) => id));
        this.#candidates = this.#candidates.filter(({ id }) => !ids.has(id));
        continue;
      }
      if (isNew || this.#running.size >= slots) return;
      isNew = true;
      this.#isChanged = false;
      this.#readAtMs = clock.monotonicMs();
      // More of one owner's are of no use before others of theirs have begun.
      const ofEach = Math.max(leastOfEach, 4 * slots);
      const page = { now, ageingMs, limit: mostCandidates, ofEach };
      this.#candidates = await queuedOperations(ledger.committed, page);
    }
  }

  /** As many as there are slots, as if each of them had been started before the next. */
  #pick(queued: readonly QueuedGoal[], now: Instant, refused: ReadonlySet<string>): QueuedGoal[] {
    const running = new Map<string, number>();
    const lastTurns = new Map(this.#lastTurns);
    const busy = new Set(refused);
    const count = ({ owner, agent }: QueuedGoal) => {
      running.set(owner, (running.get(owner) ?? 0) + 1);
      busy.add(agent);
    };
    for (const row of this.#running.values()) count(row);
    const moment: QueueMoment = { now, ageingMs, running, lastTurns, busy };
    const picked: QueuedGoal[] = [];
    while (this.#running.size + picked.length < this.#deps.slots) {
      // Those that are late are not begun; #endLate() ends them.
      const { next } = chooseNext(queued, moment);
      if (next === undefined) break;
      picked.push(next);
      count(next);
      lastTurns.set(next.owner, this.#turns + picked.length);
    }
    return picked;
  }

  // D1
  async #claim({ id }: QueuedGoal): Promise<boolean> {
    const { ledger, clock, log } = this.#deps;
    try {
      const claimed = await ledger.transact((tx) => this.#claimIn(tx, id, clock.now()));
      if (claimed !== undefined) this.#begin(claimed);
      return claimed !== undefined;
    } catch (failure) {
      if (!(failure instanceof NotNow)) {
        log.error({ err: failure, operation: id }, 'an operation could not be claimed just now');
      }
      return false;
    }
  }

  async #claimIn(tx: Transaction, id: string, at: Instant): Promise<OperationRow | undefined> {
    const claimed = await claimOperation(tx, id, at);
    if (claimed === undefined) return undefined;
    // It was asked to end when it ran before.
    if (await endAsAsked(tx, claimed, { actor: 'system', at })) return undefined;
    // Thrown, so that nothing of the claim stays.
    if ((await this.#deps.take?.(tx, claimed)) === false) throw new NotNow();
    const data = { agent: claimed.agent };
    const subject = `operation:${id}`;
    await tx.record({ actor: 'system', kind: 'operation.started', subject, data });
    return claimed;
  }

  #begin(operation: OperationRow): void {
    this.#running.set(operation.id, operation);
    this.#noteTurn(operation.owner);
    const following = this.#follow(operation);
    this.#following.add(following);
    // It never rejects.
    void following.then(() => this.#following.delete(following));
  }

  #noteTurn(owner: string): void {
    this.#lastTurns.delete(owner);
    this.#lastTurns.set(owner, ++this.#turns);
    const [longestAgo] = this.#lastTurns.keys();
    if (this.#lastTurns.size > mostOwnersRemembered && longestAgo !== undefined) {
      this.#lastTurns.delete(longestAgo);
    }
  }

  // D2
  async #follow(operation: OperationRow): Promise<void> {
    const { log } = this.#deps;
    const { id } = operation;
    try {
      await this.#deps.start(operation);
    } catch (reason) {
      log.error({ err: reason, operation: id }, 'an operation broke off');
      await this.#fail(operation, reason).catch((failure: unknown) =>
        log.error({ err: failure, operation: id }, 'it could not be ended either'),
      );
    } finally {
      this.#running.delete(id);
      this.#look();
    }
  }

  async #fail(operation: OperationRow, reason: unknown): Promise<void> {
    const report = toReport(reason);
    // Another process runs it now; or this process stops, and the next one takes it up.
    if (report.code === 'lease.lost' || this.#isStopping) return;
    const { ledger, clock } = this.#deps;
    const error = new AosError(report.code, { ...report, cause: reason });
    await ledger.transact(async (tx) => {
      if ((await findOperation(tx, operation.id))?.state !== 'running') return;
      const ending = { state: 'failed', error } as const;
      await concludeIn(tx, { operation, ending, actor: 'system', at: clock.now() });
    });
    this.#deps.toTell();
  }

  /** Not at every wake: many may be submitted in a second. */
  async #endLateNowAndThen(): Promise<void> {
    const now = this.#deps.clock.monotonicMs();
    if (now - this.#lookedForLateMs < pollMs) return;
    this.#lookedForLateMs = now;
    await this.#endLate();
  }

  async #endLate(): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    const at = clock.now();
    const late = await lateOperations(ledger.committed, at, mostLate);
    await Promise.all(
      late.map(async ({ id }) => {
        const stop = { state: 'failed', error: isLate(id), actor: 'system', at } as const;
        // One that cannot be ended must not hold up all the others.
        await this.#end(id, stop).catch((failure: unknown) =>
          log.error({ err: failure, operation: id }, 'an operation that is late cannot be ended'),
        );
      }),
    );
  }

  /** The operation, when it was over before. */
  async #end(id: string, stop: EarlyEnd): Promise<OperationRow | undefined> {
    const asked = await this.#deps.ledger.transact((tx) => endTree(tx, id, stop));
    if (asked === undefined) return mustFindOperation(this.#deps.ledger.committed, id);
    for (const one of asked) this.#deps.stop(one.id, one.error);
    this.#deps.toTell();
    return undefined;
  }
}

function keyUsed(key: string): AosError {
  return new AosError('operation.bad-goal', {
    message: `The key ${quote(key.slice(0, 100))} was used for another goal`,
    fix: 'Use a new key for a new goal',
  });
}

function isLate(id: string): AosError {
  return new AosError('operation.late', {
    message: `The deadline of operation ${quote(id)} passed before it was done`,
    fix: 'Give it more time, or a higher priority',
  });
}

class NotNow extends Error {}
