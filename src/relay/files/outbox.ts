/** What is known of one agent's outbox between two looks. An idle one holds next to nothing. */

import type { ErrorCode } from '../../kernel/errors.ts';
import type { EventLoop, FolderWatch, Instant } from '../../kernel/ports.ts';
import type { SeenOutboxFile } from './read-outbox-file.ts';

/** The most names of one outbox that are remembered at a time; the others are found again. */
const mostNames = 4096;

export interface WaitingFile {
  readonly dueMs: number;
  readonly seen: SeenOutboxFile | undefined;
}

/** The names of one look, in order; those before `next` are done. */
export interface OutboxLook {
  readonly names: readonly string[];
  next: number;
  /** So much lies in `.pending` that it is not worth listing. */
  isPendingCrowded: boolean;
}

export interface Stray {
  readonly archived: string;
  readonly name: string;
  /** Of the message whose file was to lie there. */
  readonly id: string | undefined;
}

/** When something last came into the folders of an outbox, or left them. */
export interface FolderTimes {
  readonly outbox: Instant;
  readonly pending: Instant;
}

export class Outbox {
  readonly agent: string;
  outboxWatch: FolderWatch | undefined;
  pendingWatch: FolderWatch | undefined;
  /** The folder must be listed: notices may have been lost. */
  scanDue = true;
  /** The folders and the watches must be looked after. */
  upkeepDue = true;
  /** Files in `.pending` may be left from a writer that died. */
  sweepDue = true;
  look: OutboxLook | undefined;
  /** Names of notices that were not followed yet. */
  #wanted: Set<string> | undefined;
  /** Names seen in `.pending`, whose files come by a rename. */
  #pending: Set<string> | undefined;
  /** Names that were moved to the archive, of which a notice is still to come. */
  #moved: Set<string> | undefined;
  #waiting: Map<string, WaitingFile> | undefined;
  /** On the monotonic clock: when to look again; infinity when nothing waits. */
  dueMs = Number.POSITIVE_INFINITY;
  /** No look before then: the agent sends too fast, or the relay takes nothing. */
  notBeforeMs = 0;
  /** How many messages may still go of those that the rate limit let through. */
  credit = 0;
  failures = 0;
  trouble: ErrorCode | undefined;
  /** The time in the name of the last message, in milliseconds. */
  lastStampMs = 0;
  /** Files of others that lie in the archive, and have to be put back. */
  strays: readonly Stray[] = [];
  /** How many names the last listing of each folder had. */
  readonly lying = { outbox: 0, pending: 0 };
  /** Since when both folders are empty, as far as the relay has seen. */
  #emptySince: FolderTimes | undefined;

  constructor(agent: string) {
    this.agent = agent;
  }

  get hasWork(): boolean {
    return this.hasFiles || this.upkeepDue || this.sweepDue;
  }

  /** No notice came; it is only time to look again. */
  get allDue(): boolean {
    const isTold = this.look !== undefined || this.#wanted !== undefined;
    return this.scanDue && this.upkeepDue && this.sweepDue && !isTold;
  }

  /** Nothing can be there that was not before, so that nothing need be listed. */
  stillEmpty(times: FolderTimes | undefined): boolean {
    const since = this.#emptySince;
    if (since === undefined || times === undefined) return false;
    if (this.#waiting !== undefined || this.strays.length > 0) return false;
    const isWatched = this.outboxWatch?.open === true && this.pendingWatch?.open === true;
    return isWatched && since.outbox === times.outbox && since.pending === times.pending;
  }

  nothingDue(): void {
    this.scanDue = false;
    this.upkeepDue = false;
    this.sweepDue = false;
  }

  /** After a look at everything that began at these times. */
  noteEmpty(times: FolderTimes | undefined): void {
    const { outbox, pending } = this.lying;
    this.#emptySince = outbox + pending === 0 ? times : undefined;
  }

  /** There may be files to look at. */
  get hasFiles(): boolean {
    return this.scanDue || this.look !== undefined || this.#wanted !== undefined;
  }

  /** A notice from the outbox. False when there is nothing to do about it. */
  notice(name: string): boolean {
    if (!isMessageName(name)) return false;
    if (this.#moved?.delete(name) === true) return false;
    this.want(name);
    return true;
  }

  /** A notice from `.pending`. True when a file waits for it. */
  noticePending(name: string): boolean {
    if (!isMessageName(name)) return false;
    this.#pending = withName(this.#pending, name);
    if (this.#waiting?.has(name) !== true) return false;
    this.want(name);
    return true;
  }

  want(name: string): void {
    this.#wanted ??= new Set();
    if (this.#wanted.size < mostNames) this.#wanted.add(name);
    else this.scanDue = true;
  }

  wasPending(name: string): boolean {
    return this.#pending?.has(name) === true;
  }

  forgetPending(name: string): void {
    this.#pending?.delete(name);
    if (this.#pending?.size === 0) this.#pending = undefined;
  }

  /** Before it is moved: the notice may come before the answer. */
  willMove(name: string): void {
    this.#moved = withName(this.#moved, name);
  }

  didNotMove(name: string): void {
    this.#moved?.delete(name);
  }

  /** The names of notices, in order. */
  takeWanted(): string[] {
    const names = this.#wanted === undefined ? [] : [...this.#wanted].sort();
    this.#wanted = undefined;
    return names;
  }

  /** Of all names in the folder those to look at now, in order. */
  pick(listed: readonly string[], nowMs: number): string[] {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    const room = Math.max(0, mostNames - (this.#waiting?.size ?? 0));
    const names: string[] = [];
    for (const name of listed) {
      if (!isMessageName(name)) continue;
      const waits = (this.#waiting?.get(name)?.dueMs ?? 0) > nowMs;
      if (waits && wanted?.has(name) !== true) continue;
      if (names.length >= room) {
        this.scanDue = true;
        break;
      }
      names.push(name);
    }
    return names;
  }

  seen(name: string): SeenOutboxFile | undefined {
    return this.#waiting?.get(name)?.seen;
  }

  wait(name: string, waiting: WaitingFile): void {
    this.#waiting ??= new Map();
    this.#waiting.set(name, waiting);
    this.dueMs = Math.min(this.dueMs, waiting.dueMs);
  }

  stopWaiting(name: string): void {
    if (this.#waiting?.delete(name) === true && this.#waiting.size === 0) this.#waiting = undefined;
  }

  /** Moves what is due from those that wait to those that are wanted. */
  wake(nowMs: number): void {
    this.dueMs = Number.POSITIVE_INFINITY;
    for (const [name, { dueMs }] of this.#waiting ?? []) {
      if (dueMs <= nowMs) this.want(name);
      else this.dueMs = Math.min(this.dueMs, dueMs);
    }
  }

  /** Everything is looked at again, and what only notices had brought is forgotten. */
  startOver(): void {
    this.scanDue = true;
    this.upkeepDue = true;
    this.sweepDue = true;
    this.#pending = undefined;
    this.#moved = undefined;
  }

  /** Nothing can be done until a notice, the next poll or the next rescan. */
  setAside(): void {
    this.close();
    this.scanDue = false;
    this.sweepDue = false;
    this.look = undefined;
    this.#wanted = undefined;
    this.#waiting = undefined;
    this.dueMs = Number.POSITIVE_INFINITY;
  }

  close(): void {
    this.outboxWatch?.[Symbol.dispose]();
    this.pendingWatch?.[Symbol.dispose]();
    this.outboxWatch = undefined;
    this.pendingWatch = undefined;
  }
}

export function isMessageName(name: string): boolean {
  return name.endsWith('.msg') && !name.startsWith('.');
}

// What is forgotten costs a moment: such a file waits until it has settled.
function withName(names: Set<string> | undefined, name: string): Set<string> {
  const kept = names === undefined || names.size >= mostNames * 4 ? new Set<string>() : names;
  return kept.add(name);
}

// More notices in one turn than are usual may be fewer than there were: the system's queue
// has room for so many, for all folders together, and what does not fit is dropped unsaid.

const noticesPerTurn = 4000;

export class NoticeBursts {
  readonly #eventLoop: EventLoop;
  readonly #listeners = new Set<() => void>();
  #inTurn = 0;

  constructor(eventLoop: EventLoop) {
    this.#eventLoop = eventLoop;
  }

  /** A notice has come, of whatever folder. */
  count(): void {
    if (++this.#inTurn === 1) this.#eventLoop.atEndOfTurn(() => this.#endTurn());
  }

  /** Calls after every turn that brought too many. */
  listen(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #endTurn(): void {
    const isBurst = this.#inTurn > noticesPerTurn;
    this.#inTurn = 0;
    if (isBurst) for (const listener of this.#listeners) listener();
  }
}
