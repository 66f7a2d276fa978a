/** What the server of transfers is made of, and who speaks with it. */
import type { Blobs, Uploads } from '../blobs/blobs.ts';
import type { Note } from '../kernel/message/message.ts';
import type { Clock, Disk, Processes, Random } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TellQueue } from '../relay/tell.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { PrincipalKeys } from '../security/identity/principal-keys.ts';

export interface TransferDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly keys: PrincipalKeys;
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly processes: Pick<Processes, 'startTimeOf' | 'bootId'>;
  /** The home folder, absolute. */
  readonly home: string;
  readonly limits: TransferLimits;
  readonly log: TransferLog;
  readonly counts: TransferCounts;
  /** By a message from the relay itself; one with the same key arrives once. */
  notify(note: Note): Promise<void>;
}

export interface TransferLimits {
  /** What a sender may have stored. */
  readonly quotaBytes: number;
  /** How long a transfer is kept where nothing is said. */
  readonly ttlMs: number;
}

export interface TransferLog {
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

/** What is counted for the metrics. */
export interface TransferCounts {
  sent(transfers: number, bytes: number): void;
  ended(status: 'downloaded' | 'expired' | 'failed'): void;
}

export const noCounts: TransferCounts = { sent: () => {}, ended: () => {} };

/** What is told of transfers waits in a queue of its own (relay/tell.ts). */
export const transferNotes = 'transfer.tell' satisfies TellQueue;

/** Who acts. */
export interface TransferActor {
  /** An agent's name, or `owner`. */
  readonly principal: string;
  /** A process of the owner on this machine, which may open files of the home itself. */
  readonly isLocal: boolean;
  /** The caller has asked already whether it may send, and has counted it. */
  readonly isPermitted?: boolean | undefined;
}
