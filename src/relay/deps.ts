import type { Clock, Random } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { Inboxes } from './delivery/inboxes.ts';
import type { Notes } from './notes.ts';
import type { RelayMetrics } from './relay-metrics.ts';
import type { Stamps } from './stamps.ts';

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
  /** The home folder without symlinks, which nobody gets to work in by a star. */
  readonly realHome: string;
  /** Whether this recipient comes for its mail in its own turns, and has no inbox files. */
  takesInTurns(recipient: string): boolean;
  /** Something may be there for this recipient; of `__orchestrator__`, something to be done. */
  onMail(recipient: string): void;
  /** Agents that come with the system, and are made when somebody first writes to them. */
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
