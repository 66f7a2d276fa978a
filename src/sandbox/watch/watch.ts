/**
 * What no limit of the system holds is looked at while a sandbox runs: its workspace, and
 * where it has no control group, the memory of all its processes together.
 *
 * H1. A workspace that held more than it may when the run began is no fault of the run, which may
 *     remove things; what was there before, and was not changed, is then the limit. So that no
 *     program gains by writing while we count for the first time, that is told by the times that
 *     the system stamps on files. A program began when it was started, and not when a later daemon
 *     adopted it: what it wrote in between was not watched.
 * H2. Whatever fails here is logged and looked at again; nothing is stopped because of it.
 * H3. A run may be over before the first look. So its workspace is looked at afterwards, and
 *     `isOver` tells the caller that starts the next one.
 * H4. A program that does nothing costs nothing worth telling: while its disk has lost little
 *     room, the next walk is put off.
 */

import type { Clock, Instant } from '../../kernel/ports.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { early } from '../../kernel/turns.ts';
import type { LimitGroup } from './limit-groups.ts';
import { AfterLook, pause, restMs, WatchThread, walkMs } from './watch-link.ts';
import { type MeasuredMemory, ProcessTable } from './watch-memory.ts';
import {
  type CountedRoom,
  type FolderAmount,
  mayHaveGrown,
  roomAt,
  type WalkCount,
} from './watch-walk.ts';

export interface WatchedBox {
  readonly id: string;
  /** By the wall clock; now where nothing is said. */
  readonly startedAt?: Instant;
  /** On the host. */
  readonly workspace: string;
  readonly limits: Pick<SandboxLimits, 'workspaceBytes' | 'workspaceFiles' | 'memoryBytes'>;
  readonly group: LimitGroup | undefined;
  /** Its outermost process on the host; all below it are its. */
  readonly pid: number;
  /** Called once, when a limit is passed. */
  stop(by: 'memory' | 'workspace'): void;
}

export interface BoxWatchDeps {
  readonly clock: Clock;
  readonly log: { error(facts: object, words: string): void };
}

const lookMs = 100;
// Without a group the walk also counts memory, of which a disk knows nothing.
const calmMs = { withGroup: 5000, without: 500 } as const;
// A twentieth of the thread's time at most.
const calmFor = 19;

interface Watched {
  readonly box: WatchedBox;
  readonly startedAt: number;
  /** Aborted when it is not watched any more. */
  readonly over: AbortController;
  /** H1; undefined until the first walk has come back. */
  most: FolderAmount | undefined;
  /** H4; undefined until the first walk has come back. */
  last: (CountedRoom & { readonly calmUntilMs: number }) | undefined;
  walk: Rhythm;
  memory: Rhythm;
  isStopped: boolean;
}

/** `busy` while the thread works on it. */
type Rhythm = 'busy' | { readonly notBeforeMs: number };

const now: Rhythm = { notBeforeMs: Number.NEGATIVE_INFINITY };

export class BoxWatch implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #log: BoxWatchDeps['log'];
  readonly #thread: WatchThread;
  readonly #table = new ProcessTable();
  readonly #watched = new Set<Watched>();
  readonly #after: AfterLook;
  /** Ends the looking when there is nothing to look at. */
  #looking: AbortController | undefined;

  constructor({ clock, log }: BoxWatchDeps) {
    this.#clock = clock;
    this.#log = log;
    this.#thread = new WatchThread({ clock, onTrouble: (failure) => this.#tell(failure) });
    this.#after = new AfterLook({ clock, thread: this.#thread });
  }

  /** Until it is disposed of, which may happen at any time. */
  watch(box: WatchedBox): Disposable {
    const watched: Watched = {
      ...{
        box,
        startedAt: box.startedAt ?? this.#clock.now(),
        over: new AbortController(),
        most: undefined,
      },
      ...{ last: undefined, walk: now, memory: now, isStopped: false },
    };
    this.#watched.add(watched);
    if (this.#looking === undefined) {
      this.#looking = new AbortController();
      this.#inBackground(this.#keepLooking(this.#looking.signal));
    }
    return { [Symbol.dispose]: () => this.#forget(watched) };
  }

  /** Whether it holds more than it may. Counted only where it did when it was last looked at. */
  async isOver(
    path: string,
    { workspaceBytes, workspaceFiles }: WatchedBox['limits'],
  ): Promise<boolean> {
    if (!this.#after.isOver(path)) return false;
    const most = { bytes: workspaceBytes, files: workspaceFiles };
    const answer = await this.#thread.folder({ path, most, opensShut: true });
    if (answer !== undefined) this.#after.note(path, answer.outcome, most);
    return this.#after.isOver(path);
  }

  /** Nothing where there is no such folder; undefined when it cannot be told just now. */
  async measureFolder(path: string): Promise<FolderAmount | undefined> {
    const answer = await this.#thread.folder({ path });
    if (answer === undefined) return undefined;
    const { bytes, files } = answer.outcome;
    return { bytes, files };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#after[Symbol.dispose]();
    for (const watched of [...this.#watched]) this.#forget(watched);
    await this.#thread[Symbol.asyncDispose]();
  }

  #forget(watched: Watched): void {
    if (!this.#watched.delete(watched)) return;
    watched.over.abort(early);
    this.#inBackground(this.#after.look(watched.box.workspace, amountOf(watched.box.limits)));
    if (this.#watched.size > 0) return;
    this.#looking?.abort(early);
    this.#looking = undefined;
  }

  async #keepLooking(signal: AbortSignal): Promise<void> {
    while (await pause(this.#clock, lookMs, signal)) {
      try {
        this.#look();
      } catch (failure) {
        // H2
        this.#tell(failure);
      }
    }
  }

  #look(): void {
    const going = [...this.#watched].filter(({ isStopped }) => !isStopped);
    const isLoose = ({ box }: Watched) => box.group === undefined;
    const loose = going.some(isLoose)
      ? this.#table.look(going.filter(isLoose).map(({ box }) => box.pid))
      : undefined;
    for (const watched of going) {
      const { group, pid } = watched.box;
      const seen = loose?.get(pid);
      if (group !== undefined) this.#lookAtGroup(watched, group);
      else if (seen !== undefined) this.#lookAtMemory(watched, seen);
      if (this.#isDue(watched.walk) && this.#isCalledFor(watched)) {
        this.#inBackground(this.#lookAtWorkspace(watched, seen));
      }
    }
  }

  /** H4 */
  #isCalledFor({ last, box }: Watched): boolean {
    if (last === undefined) return true;
    const isCalm = this.#clock.monotonicMs() < last.calmUntilMs;
    return !isCalm || mayHaveGrown(last, roomAt(box.workspace));
  }

  // The system kills one of them, and lets the others go on.
  #lookAtGroup(watched: Watched, group: LimitGroup): void {
    if (group.met().memoryKills > 0) this.#stop(watched, 'memory');
  }

  #lookAtMemory(watched: Watched, { bytes, pids }: MeasuredMemory): void {
    const { memoryBytes } = watched.box.limits;
    if (bytes <= memoryBytes || !this.#isDue(watched.memory)) return;
    this.#inBackground(this.#count(watched, pids));
  }

  async #count(watched: Watched, pids: readonly number[]): Promise<void> {
    watched.memory = 'busy';
    const answer = await this.#thread.memory(pids, watched.over.signal);
    watched.memory = this.#restAfter(answer, 0);
    const isOver = answer !== undefined && answer.outcome > watched.box.limits.memoryBytes;
    if (isOver) this.#stop(watched, 'memory');
  }

  async #lookAtWorkspace(watched: Watched, seen: MeasuredMemory | undefined): Promise<void> {
    watched.walk = 'busy';
    const { group, workspace: path, limits } = watched.box;
    const first = watched.most === undefined ? { freshSince: watched.startedAt } : {};
    const room = roomAt(path);
    const answer = await this.#thread.folder(
      {
        ...{ path, most: watched.most ?? amountOf(limits), opensShut: true, ...first },
        pids: group?.pids() ?? seen?.pids ?? [],
      },
      watched.over.signal,
    );
    watched.walk = this.#restAfter(answer, walkMs);
    if (answer === undefined) return;
    this.#after.note(path, answer.outcome, amountOf(limits));
    this.#judge(watched, answer.outcome);
    const calm = group === undefined ? calmMs.without : calmMs.withGroup;
    watched.last = {
      ...{ room, counted: answer.outcome, most: watched.most ?? amountOf(limits) },
      calmUntilMs: this.#clock.monotonicMs() + Math.max(calm, calmFor * answer.tookMs),
    };
  }

  #judge(watched: Watched, count: WalkCount): void {
    const { group, limits } = watched.box;
    if (count.isOver) this.#stop(watched, 'workspace');
    // With a group they are counted already.
    if (group === undefined && count.memoryBytes > limits.memoryBytes) {
      this.#stop(watched, 'memory');
    }
    // H1
    watched.most ??= {
      bytes: Math.max(limits.workspaceBytes, count.bytes - count.fresh.bytes),
      files: Math.max(limits.workspaceFiles, count.files - count.fresh.files),
    };
  }

  #stop(watched: Watched, by: 'memory' | 'workspace'): void {
    if (watched.isStopped || watched.over.signal.aborted) return;
    watched.isStopped = true;
    try {
      watched.box.stop(by);
    } catch (failure) {
      this.#tell(failure);
    }
  }

  #isDue(rhythm: Rhythm): boolean {
    return rhythm !== 'busy' && rhythm.notBeforeMs <= this.#clock.monotonicMs();
  }

  #restAfter(answer: { readonly tookMs: number } | undefined, leastMs: number): Rhythm {
    return { notBeforeMs: this.#clock.monotonicMs() + restMs(answer, leastMs) };
  }

  /** H2: no caller waits for it. */
  #inBackground(work: Promise<void>): void {
    work.catch((failure) => this.#tell(failure));
  }

  #tell(failure: unknown): void {
    this.#log.error({ err: failure }, 'A sandbox could not be watched for a moment');
  }
}

function amountOf(limits: WatchedBox['limits']): FolderAmount {
  return { bytes: limits.workspaceBytes, files: limits.workspaceFiles };
}
