/**
 * The outboxes of all agents as files. Notices of the system say where to look; because
 * they can be lost, everything is looked at again every 30 s, and at once when more of them
 * came together than the system's queue may hold, or when it was not emptied for a while.
 *
 * R1. Nothing that an agent does in its own folder stops another's messages: an outbox that
 *     fails waits by itself, and no failure leaves this class.
 * R2. A look at one outbox is over before the next of the same begins.
 */

import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { toReport } from '../../kernel/errors.ts';
import {
  type Clock,
  type Disk,
  type EventLoop,
  endOfTurn,
  type FolderWatch,
  type Watching,
} from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { RelayLog } from '../deps.ts';
import type { FilesDone, Relay } from '../relay.ts';
import { type LookDeps, lookAtOutbox, outboxPath } from './look-at-outbox.ts';
import { type NoticeBursts, Outbox } from './outbox.ts';
import {
  type FolderDeps,
  folderTimes,
  keepFolders,
  meetGuest,
  type NoteTrouble,
  type OutboxNotices,
  sweepPending,
  Troubles,
} from './outbox-folders.ts';

export interface OutboxesDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly watching: Watching;
  readonly bursts: NoticeBursts;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly log: RelayLog;
  readonly home: string;
  readonly accept: Relay['accept'];
  readonly filesDone: Relay['filesDone'];
  readonly rate: Pick<Relay['rate'], 'take' | 'waitMs'>;
  /** Makes an agent of a folder under `agents/`; no error when it is one already. */
  registerGuest(name: string): Promise<void>;
  readonly noteTrouble?: NoteTrouble;
  /** The names of all registered agents. */
  agents(): Promise<readonly string[]>;
}

const rescanMs = 30_000;
const tickMs = 200;
/** Where nothing has happened for a while, there is nothing to be late for. */
const idleTickMs = 2000;
const idleAfterMs = 5000;
const lagMs = 250;
/** An outbox that the system cannot watch is looked into so often. */
const unwatchedMs = 1000;
const looksAtOnce = 16;
const outboxesPerTurn = 64;
const meetsAtOnce = 8;
const mostTold = 1000;

export class Outboxes implements AsyncDisposable {
  readonly #deps: OutboxesDeps;
  readonly #lookDeps: LookDeps;
  readonly #folderDeps: FolderDeps;
  readonly #notices: OutboxNotices;
  readonly #troubles: Troubles;
  readonly #outboxes = new Map<string, Outbox>();
  /** Those with work, in the order in which it came. */
  readonly #queue = new Set<Outbox>();
  readonly #working = new Map<Outbox, Promise<void>>();
  readonly #meeting = new Map<string, Promise<void>>();
  readonly #toMeet = new Set<string>();
  readonly #telling = new Set<Promise<void>>();
  readonly #told = new Set<string>();
  readonly #stop = new AbortController();
  #agentsWatch: FolderWatch | undefined;
  #listening: Disposable | undefined;
  #timekeeper: Promise<void> | undefined;
  #nap = new AbortController();
  /** All of these on the monotonic clock. */
  #napUntilMs = 0;
  #rescanAtMs = 0;
  #scanAtMs = Number.POSITIVE_INFINITY;
  #pollAtMs = 0;
  #activeAtMs = 0;
  /** Wall time less monotonic time; when it changes, the clock was set. */
  #wallOffsetMs: number;
  #drainPlanned = false;
  #homeOwner: number | undefined;

  constructor(deps: OutboxesDeps) {
    this.#deps = deps;
    this.#troubles = new Troubles(deps.log, deps.noteTrouble ?? (() => {}));
    this.#wallOffsetMs = deps.clock.now() - deps.clock.monotonicMs();
    this.#notices = {
      onOutbox: (outbox, name) => this.#onNotice(outbox, name, (known) => outbox.notice(known)),
      onPending: (outbox, name) =>
        this.#onNotice(outbox, name, (known) => outbox.noticePending(known)),
    };
    const { disk, bulk, watching, clock, eventLoop, log, home, rate } = deps;
    const tellOnce = this.#tellOnce.bind(this);
    this.#folderDeps = { disk, watching, clock, log, tellOnce };
    this.#lookDeps = {
      ...{ disk, bulk, clock, eventLoop, log, home, rate, tellOnce },
      accept: (batch) => deps.accept(batch),
      filesDone: (files) => this.#tellFilesDone(files),
      stopped: () => this.#stop.signal.aborted,
      homeOwner: () => this.#ownerOfHome(),
    };
  }

  /** Resolves when the agents are known; their outboxes are watched from then on. */
  async start(): Promise<void> {
    this.#listening = this.#deps.bursts.listen(() => this.#scanSoon());
    await this.#rescan();
    this.#timekeeper = this.#keepTime();
  }

  /** Looks that have begun come to the end of their batch; files that are left stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#nap.abort(early);
    await this.#timekeeper;
    while (this.#working.size + this.#meeting.size + this.#telling.size > 0) {
      await Promise.all([...this.#working.values(), ...this.#meeting.values(), ...this.#telling]);
    }
    this.#listening?.[Symbol.dispose]();
    this.#agentsWatch?.[Symbol.dispose]();
    for (const outbox of this.#outboxes.values()) outbox.close();
  }

  /** Finds agents, folders, watches and files that no notice told of. */
  async #rescan(): Promise<void> {
    this.#rescanAtMs = this.#deps.clock.monotonicMs() + rescanMs;
    await this.#findAgents();
    const clockWasSet = this.#noteClock();
    await this.#eachOutbox(async (outbox) => {
      outbox.startOver();
      // By a clock that was just set, files look older than they are.
      if (clockWasSet) outbox.sweepDue = false;
      return !(await this.#isStillEmpty(outbox));
    });
  }

  /** Finds agents and files; the rest is left for the rescan. */
  async #scan(): Promise<void> {
    this.#scanAtMs = Number.POSITIVE_INFINITY;
    await this.#findAgents();
    await this.#eachOutbox(async (outbox) => {
      outbox.scanDue = true;
      return true;
    });
  }

  async #findAgents(): Promise<void> {
    this.#watchAgents();
    try {
      const registered = new Set(await this.#deps.agents());
      for (const name of registered) this.#open(name);
      const folders = await this.#deps.disk.list(`${this.#deps.home}/agents`);
      for (const name of folders) if (!this.#outboxes.has(name)) this.#meet(name);
    } catch (failure) {
      // R1: there is another try in 30 s.
      this.#tellOnce('agents', { error: toReport(failure) }, 'cannot see which agents there are');
    }
  }

  async #eachOutbox(isDue: (outbox: Outbox) => Promise<boolean>): Promise<void> {
    let count = 0;
    for (const outbox of this.#outboxes.values()) {
      if (this.#stop.signal.aborted) return;
      if (await isDue(outbox)) this.#enqueue(outbox);
      // The disk answers on the spot, so that a thousand looks would keep all callers waiting.
      if (++count % outboxesPerTurn === 0) await endOfTurn(this.#deps.eventLoop);
    }
  }

  /** Most are, most of the time, and a look at each would take ten times as long. */
  async #isStillEmpty(outbox: Outbox): Promise<boolean> {
    if (!outbox.allDue || this.#isTaken(outbox)) return false;
    const times = await folderTimes(this.#folderDeps, outboxPath(this.#deps.home, outbox.agent));
    // An outbox may have had a notice meanwhile.
    if (!outbox.allDue || this.#isTaken(outbox) || !outbox.stillEmpty(times)) return false;
    outbox.nothingDue();
    return true;
  }

  #noteClock(): boolean {
    const offsetMs = this.#deps.clock.now() - this.#deps.clock.monotonicMs();
    const wasSet = Math.abs(offsetMs - this.#wallOffsetMs) > 1000;
    this.#wallOffsetMs = offsetMs;
    return wasSet;
  }

  #watchAgents(): void {
    if (this.#agentsWatch?.open === true) return;
    const folder = `${this.#deps.home}/agents`;
    try {
      this.#agentsWatch = this.#deps.watching.watch(folder, (name) => this.#onAgent(name));
    } catch (failure) {
      // R1: the rescan finds new agents too.
      const words = 'new folders under agents/ are found only every 30 s';
      this.#tellOnce('agents watch', { error: toReport(failure) }, words);
    }
  }

  #onAgent(name: string | undefined): void {
    this.#countNotice();
    if (name === undefined) {
      this.#rescanAtMs = 0;
      this.#wakeBy(0);
      return;
    }
    const known = this.#outboxes.get(name);
    if (known === undefined) {
      this.#meet(name);
      return;
    }
    // The folder may be another one now, and the watches would still be on the old one.
    known.close();
    known.upkeepDue = true;
    this.#enqueue(known);
  }

  #meet(name: string): void {
    if (this.#meeting.has(name)) return;
    this.#toMeet.add(name);
    this.#meetMore();
  }

  // A few at a time: making an agent takes memory, and a program may make very many folders.
  #meetMore(): void {
    for (const name of this.#toMeet) {
      if (this.#meeting.size >= meetsAtOnce || this.#stop.signal.aborted) return;
      this.#toMeet.delete(name);
      this.#meeting.set(name, this.#introduce(name));
    }
  }

  async #introduce(name: string): Promise<void> {
    const { disk, home } = this.#deps;
    const registerGuest = (guest: string) => this.#deps.registerGuest(guest);
    const deps = { disk, home, registerGuest, tellOnce: this.#lookDeps.tellOnce };
    const isAgent = await meetGuest(deps, name);
    this.#meeting.delete(name);
    if (isAgent) this.#open(name);
    this.#meetMore();
  }

  #open(name: string): void {
    if (this.#outboxes.has(name)) return;
    const outbox = new Outbox(name);
    this.#outboxes.set(name, outbox);
    this.#enqueue(outbox);
  }

  #onNotice(outbox: Outbox, name: string | undefined, note: (name: string) => boolean): void {
    this.#countNotice();
    if (name === undefined) outbox.upkeepDue = true;
    else if (!note(name)) return;
    this.#enqueue(outbox);
  }

  #countNotice(): void {
    this.#deps.bursts.count();
    this.#noteActive();
    this.#planDrain();
  }

  #enqueue(outbox: Outbox): void {
    if (this.#stop.signal.aborted) return;
    if (outbox.notBeforeMs > this.#deps.clock.monotonicMs()) {
      this.#wakeBy(outbox.notBeforeMs);
      return;
    }
    this.#queue.add(outbox);
    this.#planDrain();
  }

  // At the end of the turn, so that all notices of one turn make one look.
  #planDrain(): void {
    if (this.#drainPlanned) return;
    this.#drainPlanned = true;
    this.#deps.eventLoop.atEndOfTurn(() => {
      this.#drainPlanned = false;
      this.#drain();
    });
  }

  #drain(): void {
    for (const outbox of this.#queue) {
      if (this.#working.size >= looksAtOnce) return;
      // R2: one that is at work comes back when it is done, if there is more.
      this.#queue.delete(outbox);
      if (!this.#working.has(outbox)) this.#working.set(outbox, this.#work(outbox));
    }
  }

  async #work(outbox: Outbox): Promise<void> {
    try {
      await this.#attend(outbox);
      this.#troubles.end(outbox);
    } catch (failure) {
      // R1
      this.#troubles.begin(outbox, failure, this.#deps.clock.monotonicMs());
      outbox.upkeepDue = true;
    }
    this.#working.delete(outbox);
    this.#wakeBy(outbox.dueMs);
    if (outbox.hasWork) this.#enqueue(outbox);
    if (this.#queue.size > 0) this.#planDrain();
  }

  async #attend(outbox: Outbox): Promise<void> {
    const path = outboxPath(this.#deps.home, outbox.agent);
    const times = outbox.allDue ? await folderTimes(this.#folderDeps, path) : undefined;
    if (outbox.upkeepDue || outbox.outboxWatch === undefined) {
      outbox.upkeepDue = false;
      if (!(await keepFolders(this.#folderDeps, outbox, path, this.#notices))) {
        outbox.setAside();
        return;
      }
    }
    if (outbox.sweepDue) {
      outbox.sweepDue = false;
      await sweepPending(this.#folderDeps, outbox, path);
    }
    if (outbox.hasFiles) await lookAtOutbox(this.#lookDeps, outbox);
    outbox.noteEmpty(times);
  }

  // The rows change together with those of the next batch.
  #tellFilesDone(files: FilesDone): void {
    const told = this.#deps
      .filesDone(files)
      .catch((failure) => {
        const words = 'cannot record that message files are archived';
        this.#tellOnce('files done', { error: toReport(failure) }, words);
      })
      .finally(() => void this.#telling.delete(told));
    this.#telling.add(told);
  }

  async #ownerOfHome(): Promise<number> {
    const { disk, home } = this.#deps;
    this.#homeOwner ??= (await disk.stat(`${home}/agents`))?.ownerUid;
    if (this.#homeOwner === undefined) throw diskError('ENOENT', `${home}/agents`);
    return this.#homeOwner;
  }

  #noteActive(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#activeAtMs = nowMs;
    this.#wakeBy(nowMs + tickMs);
  }

  /** Not twice within a second, however busy the outboxes are. */
  #scanSoon(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#scanAtMs = Math.min(this.#scanAtMs, nowMs + tickMs);
    this.#wakeBy(this.#scanAtMs);
  }

  #wakeBy(atMs: number): void {
    if (atMs < this.#napUntilMs) this.#nap.abort(early);
  }

  async #keepTime(): Promise<void> {
    const { clock } = this.#deps;
    while (!this.#stop.signal.aborted) {
      const nowMs = clock.monotonicMs();
      const isIdle = nowMs > this.#activeAtMs + idleAfterMs;
      this.#napUntilMs = Math.min(nowMs + (isIdle ? idleTickMs : tickMs), this.#nextDueMs());
      this.#nap = new AbortController();
      // Being woken early is as good as sleeping to the end.
      await clock.sleep(this.#napUntilMs - nowMs, this.#nap.signal).catch(() => {});
      const wokeMs = clock.monotonicMs();
      if (wokeMs - this.#napUntilMs > lagMs) this.#scanSoon();
      if (wokeMs >= this.#rescanAtMs) await this.#rescan();
      else if (wokeMs >= this.#scanAtMs) await this.#scan();
      this.#wakeDue();
    }
  }

  #nextDueMs(): number {
    let nextMs = Math.min(this.#rescanAtMs, this.#scanAtMs);
    for (const outbox of this.#outboxes.values()) {
      if (outbox.dueMs < nextMs) nextMs = outbox.dueMs;
      if (outbox.outboxWatch === undefined) nextMs = Math.min(nextMs, this.#pollAtMs);
      if (outbox.notBeforeMs < nextMs && outbox.hasWork && !this.#isTaken(outbox)) {
        nextMs = outbox.notBeforeMs;
      }
    }
    return nextMs;
  }

  #isTaken(outbox: Outbox): boolean {
    return this.#working.has(outbox) || this.#queue.has(outbox);
  }

  #wakeDue(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const poll = nowMs >= this.#pollAtMs;
    if (poll) this.#pollAtMs = nowMs + unwatchedMs;
    for (const outbox of this.#outboxes.values()) {
      if (outbox.dueMs <= nowMs) outbox.wake(nowMs);
      if (poll && outbox.outboxWatch === undefined) outbox.upkeepDue = true;
      if (outbox.hasWork) this.#enqueue(outbox);
    }
  }

  #tellOnce(about: string, facts: object, words: string): void {
    if (this.#told.has(about)) return;
    if (this.#told.size >= mostTold) this.#told.clear();
    this.#told.add(about);
    this.#deps.log.warn(facts, words);
  }
}
