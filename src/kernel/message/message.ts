/** What a message is, whichever way it came. */

export const messageKinds = [
  'message',
  'request',
  'response',
  'event',
  'stream',
  'ack',
  'nack',
  'status',
  'continuity',
  'spawn',
  'release',
] as const;

export type MessageKind = (typeof messageKinds)[number];

/** 0 comes first. */
export const priorities = { highest: 0, usual: 5, lowest: 9 } as const;

export const messageLimits = {
  /** Headers and body together. */
  wholeBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  /** Room beyond these for what the relay adds in an inbox, and for how a sender spaced it. */
  addedBytes: 1024,
  attachments: 100,
} as const;

/** As it stands in a message file; what is undefined has no header there. */
export interface Message {
  /** A name, `*`, `#channel`, `Lead` or `__orchestrator__`. */
  readonly to: string;
  readonly kind: MessageKind;
  readonly priority: number;
  readonly thread?: string | undefined;
  /** The id of the message that this one answers. */
  readonly re?: string | undefined;
  /** 64 hex digits: the SHA-256 of the body's bytes. */
  readonly checksum?: string | undefined;
  /** Of each the SHA-256, 64 hex digits. */
  readonly attachments: readonly string[];
  readonly ttlMs?: number | undefined;
  /** Of the messages of one sender that have the same key, only the first is sent. */
  readonly dedupKey?: string | undefined;
  /** Of a message of the kind `event`. */
  readonly eventType?: string | undefined;
  /** Of a message of the kind `stream`: its place, from 0, and whether it is the last. */
  readonly chunk?: StreamChunk | undefined;
  /** Whether the sender wants a message when it has been read. */
  readonly receipt?: 'read' | undefined;
  /** Only in an inbox: written there by the relay, and believed of nobody else. */
  readonly origin?: Origin | undefined;
  /** Headers that mean nothing to the relay, in their order. */
  readonly headers: readonly Header[];
  readonly body: string;
}

export interface StreamChunk {
  readonly index: number;
  readonly end: boolean;
}

export interface Origin {
  readonly from: string;
  readonly id: string;
  /** UTC, as 2030-01-31T12:00:00.000Z. */
  readonly sent: string;
}

export interface Header {
  readonly name: string;
  readonly value: string;
}
