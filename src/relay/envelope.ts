/** What comes into the relay, and what is said of it. */
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';

/** An agent's name, `owner`, or `__orchestrator__`: no agent can be called either. */
export type PrincipalName = string;

export const ownerName: PrincipalName = 'owner';
export const relayName: PrincipalName = '__orchestrator__';

/** Who gets a message, and through which queue. */
export interface Recipient {
  readonly name: PrincipalName;
  /** 0 for the inbox. */
  readonly subscription: number;
}

/** A file in an outbox, as it was when it was read. */
export interface FileSource {
  /** Relative to the home folder. */
  readonly path: string;
  /** The name without `.msg`. */
  readonly stem: string;
  readonly sizeBytes: number;
  readonly modifiedNs: string;
  readonly inode: string;
}

export type Incoming = IncomingMessage | IncomingFault;

export interface IncomingMessage {
  readonly sender: PrincipalName;
  readonly message: Message;
  /** The caller has asked whether it may be sent, and counted that. */
  readonly isPermitted?: true | undefined;
  readonly source?: FileSource | undefined;
}

/** A file that is no message, and why. */
export interface IncomingFault {
  readonly sender: PrincipalName;
  readonly source: FileSource;
  readonly fault: AosError;
}

export type Acceptance =
  | {
      readonly kind: 'accepted';
      readonly id: string;
      /** How many get it; 0 while it waits for an agent to be `Lead`. */
      readonly recipients: number;
      /** The name without `.msg` under which its file is archived, and since when. */
      readonly archive?: ArchivePlace | undefined;
    }
  | {
      /** It has been accepted before. */
      readonly kind: 'duplicate';
      readonly id: string;
      readonly archive?: ArchivePlace | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly error: AosError;
      /** Only for now: its file stays where it is and is handed in again. */
      readonly later?: true;
      /** Of a file, which is on record and whose sender was sent a nack. */
      readonly id?: string | undefined;
      readonly archive?: ArchivePlace | undefined;
    };

export interface ArchivePlace {
  readonly agent: string;
  readonly stem: string;
  readonly at: Instant;
}

/** Whose mailbox a principal has; the other way round it is principalIdOf(). */
export function principalNameOf(principal: string): PrincipalName {
  if (principal === 'owner') return ownerName;
  const [, name] = /^agent:(.+)$/.exec(principal) ?? [];
  if (name !== undefined) return name;
  throw new AosError('message.denied', {
    message: `${quote(principal)} has no mailbox, and can neither send nor get messages`,
    fix: 'Let an agent do it',
  });
}
