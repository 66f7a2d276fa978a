import type { MessageKind } from '../kernel/message/message.ts';
import type { Clock, Instant, Random } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { Inboxes } from './mail.ts';

/** What the relay is made of. `app` fills it. */
export interface RelayDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
  readonly inboxes: Inboxes;
  readonly metrics: RelayMetrics;
  readonly limits: RelayLimits;
  readonly log: RelayLog;
  /** The home folder without symlinks, which no agent gets to work in by a star. */
  readonly realHome: string;
  /** Whether this recipient comes for its mail in its own turns, and has no inbox files. */
  takesInTurns(recipient: string): boolean;
  /** Something may be there for this recipient; of `__orchestrator__`, something to be done. */
  onMail(recipient: string): void;
  /** Agents that come with the system, and are made when a sender first writes to them. */
  readonly bundled?: BundledAgents | undefined;
  /** Whether the bytes of an attachment are there. */
  hasAttachment(hash: string): Promise<boolean>;
}

export interface BundledAgents {
  /** Whether it is one that may not be there yet. */
  has(name: string): boolean;
  make(name: string): Promise<void>;
}

/** Shared by everything that works on one relay. */
export interface RelayCore extends RelayDeps {
  readonly stamps: Stamps;
  readonly notes: Notes;
  /** Under which deliveries are held while this process delivers them. */
  readonly holder: string;
}

export interface RelayLimits {
  readonly messagesPerSecond: number;
  readonly messageBurst: number;
  readonly mailboxMessages: number;
  readonly mailboxBytes: number;
  readonly ttlMs: number;
  readonly requestTtlMs: number;
  readonly streamWindow: number;
  /** How long what was delivered may wait for a message with which to be written down. */
  readonly noteWithinMs: number;
}

export const defaultRelayLimits: RelayLimits = {
  messagesPerSecond: 200,
  messageBurst: 1000,
  mailboxMessages: 100_000,
  mailboxBytes: 1024 ** 3,
  ttlMs: 7 * 24 * 3_600_000,
  requestTtlMs: 60_000,
  streamWindow: 64,
  noteWithinMs: 0,
};

/** As pino has it. */
export interface RelayLog {
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

const perMillisecond = 1_000_000;
const digits = { ms: 13, within: 6 } as const;

/**
 * Nanoseconds since 1970 that only go up, whatever the clock does: inbox files are named
 * by them, and a reader that sorts the names has the order in which messages were accepted.
 */
export class Stamps {
  #ms: number;
  #within: number;

  /** Goes on behind `last`, the newest that was given out. */
  constructor(last: string | undefined) {
    this.#ms = Number(last?.slice(0, -digits.within) ?? 0);
    this.#within = Number(last?.slice(-digits.within) ?? 0);
  }

  next(now: Instant): string {
    if (now > this.#ms) {
      this.#ms = now;
      this.#within = 0;
    } else if (++this.#within === perMillisecond) {
      this.#ms++;
      this.#within = 0;
    }
    const ms = String(this.#ms).padStart(digits.ms, '0');
    return ms + String(this.#within).padStart(digits.within, '0');
  }

  /** How far the clock is behind what has been given out already. */
  behindMs(now: Instant): number {
    return Math.max(0, this.#ms - now);
  }
}

// What the relay counts. The gateway turns it into metrics.

export interface RelayMetrics {
  accepted(kind: MessageKind, count: number): void;
  refused(kind: MessageKind | 'none'): void;
  /** How long it took from being accepted to being delivered. */
  delivered(count: number, latencyMs: number): void;
  ended(state: 'read' | 'acked' | 'expired' | 'dead', reason?: string): void;
  retried(): void;
}

export const noMetrics: RelayMetrics = {
  accepted: () => {},
  refused: () => {},
  delivered: () => {},
  ended: () => {},
  retried: () => {},
};

// What has happened and only remains to be written down goes along with the next message
// that is accepted, because each commit costs a flush, for which that message would wait.
// When none comes, it is written after a moment.
//
// N1. Nothing is lost by waiting: a caller that waits here has left what tells the next start.

export class Notes {
  readonly #clock: Clock;
  readonly #withinMs: number;
  #moment: AbortController | undefined;
  #waiting: Promise<void> | undefined;

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  /** Resolves when it is time to write. */
  async turn(): Promise<void> {
    if (this.#withinMs <= 0) return;
    this.#waiting ??= this.#wait();
    await this.#waiting;
  }

  /** A transaction is about to be made; what waits joins it. */
  flush(): void {
    this.#moment?.abort(early);
  }

  async #wait(): Promise<void> {
    const moment = new AbortController();
    this.#moment = moment;
    // Ended early is what flush() is for.
    await this.#clock.sleep(this.#withinMs, moment.signal).catch(() => {});
    this.#moment = undefined;
    this.#waiting = undefined;
  }
}
