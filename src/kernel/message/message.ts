/** A message: its kinds, its limits, its addresses, and how often its delivery is tried. */
import { checkAgentName } from '../agent/agent.ts';
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

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
  /** Only in an inbox: written there by the relay, and believed from no other writer. */
  readonly origin?: MessageOrigin | undefined;
  /** Headers that mean nothing to the relay, in their order. */
  readonly headers: readonly Header[];
  readonly body: string;
}

export interface StreamChunk {
  readonly index: number;
  readonly end: boolean;
}

export interface MessageOrigin {
  readonly from: string;
  readonly id: string;
  /** UTC, as 2030-01-31T12:00:00.000Z. */
  readonly sent: string;
}

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** What every refusal of a message's text is made of: what is wrong, and how to write it. */
export function malformed(message: string, fix: string, cause?: unknown): AosError {
  return new AosError('message.malformed', { message, fix, cause });
}

/** A value from a message, safe in a sentence and never long. */
export function shown(text: string): string {
  return quote(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Whom a message is for, as its sender wrote it. */
export type Address =
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'everybody' }
  /** With its `#`. */
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'lead' }
  | { readonly kind: 'orchestrator' }
  | { readonly kind: 'owner' };

const fixed: ReadonlyMap<string, Address> = new Map<string, Address>([
  ['*', { kind: 'everybody' }],
  ['Lead', { kind: 'lead' }],
  ['__orchestrator__', { kind: 'orchestrator' }],
  ['owner', { kind: 'owner' }],
]);

const lawfulChannel = /^#[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const channelRule =
  'Write "#", then a letter or digit, then at most 62 letters, digits, "_" or "-", such as "#news"';

/** Throws `message.malformed` for what no message can be sent to. */
export function parseAddress(to: string): Address {
  const known = fixed.get(to);
  if (known !== undefined) return known;
  if (to.startsWith('#')) return channelAddress(to);
  try {
    checkAgentName(to);
  } catch (cause) {
    // Only a bad name is thrown there, and its sentence says which rule it breaks.
    const why = cause instanceof AosError ? `. ${cause.message}` : '';
    throw malformed(
      `No message can be sent to ${shown(to)}${why}`,
      'Write the name of an agent, *, #channel, Lead, owner or __orchestrator__',
      cause,
    );
  }
  return { kind: 'agent', name: to };
}

function channelAddress(to: string): Address {
  if (lawfulChannel.test(to)) return { kind: 'channel', channel: to };
  throw malformed(`No channel can be called ${shown(to)}`, channelRule);
}

/** Throws `channel.bad-name` unless a channel may be called so; the `#` is part of the name. */
export function checkChannel(name: string): void {
  if (lawfulChannel.test(name)) return;
  throw new AosError('channel.bad-name', {
    message: `No channel can be called ${shown(name)}`,
    fix: channelRule,
  });
}

/** The name of a message's file: `1706123456789012345-a1b2c3d4.msg`. */
export function fileNameOf(stampNs: string, id: string): string {
  return `${stampNs}-${id.slice(-8)}.msg`;
}

/** After so many attempts a delivery is dead. */
export const maxAttempts = 8;

const firstDelayMs = 500;
export const longestDelayMs = 300_000;

/**
 * How long to wait after that attempt, counted from 1. `jitter`, from 0 up to 1, spreads
 * the waits over the upper half, so that what failed together does not come back together.
 */
export function retryDelayMs(attempt: number, jitter: number): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (Math.max(1, attempt) - 1), longestDelayMs);
  return Math.round(delayMs * (0.5 + jitter / 2));
}

/** What the system itself tells the owner or an agent, by a message that arrives once per key. */
export interface Note {
  /** `owner`, an agent's name or `agent:NAME`. */
  readonly to: string;
  readonly key: string;
  readonly body: string;
  /** `message` where nothing is said. */
  readonly kind?: 'message' | 'ack' | 'nack' | undefined;
  /** The message that it answers. */
  readonly re?: string | undefined;
  /** The transfer that it is about. */
  readonly transfer?: string | undefined;
}
