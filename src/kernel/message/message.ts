/** A message: its kinds, its limits, its addresses, and how often its delivery is tried. */
import { checkAgentName } from '../agent/agent.ts';
import { AosError } from '../errors.ts';
import { must } from '../must.ts';
import { isId } from '../new-id.ts';
import { quote } from '../text/quote.ts';
import { didYouMean } from '../text/suggest.ts';

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

// The headers that mean something to the relay, and the text in which each is written.

export const knownHeaders = [
  'FROM',
  'ID',
  'SENT',
  'TO',
  'KIND',
  'THREAD',
  'PRIORITY',
  'RE',
  'CHECKSUM',
  'ATTACHMENT',
  'TTL',
  'DEDUP',
  'EVENT',
  'CHUNK',
  'RECEIPT',
] as const;

export type KnownHeader = (typeof knownHeaders)[number];

const byName: ReadonlyMap<string, KnownHeader> = new Map(knownHeaders.map((name) => [name, name]));

/** The known header of that name, in whichever case it is written. */
export function knownHeader(name: string): KnownHeader | undefined {
  return byName.get(name.toUpperCase());
}

/** All headers of a message but those of its origin, as they are printed. */
export function headersOf(message: Message): readonly Header[] {
  const headers: Header[] = [];
  const add = (name: KnownHeader, value: string | undefined) => {
    if (value !== undefined) headers.push({ name, value });
  };
  add('TO', message.to);
  add('KIND', message.kind);
  add('THREAD', message.thread);
  add('PRIORITY', message.priority === priorities.usual ? undefined : String(message.priority));
  add('RE', message.re);
  add('CHECKSUM', withAlgorithm(message.checksum));
  for (const hash of message.attachments) add('ATTACHMENT', withAlgorithm(hash));
  add('TTL', message.ttlMs === undefined ? undefined : printTtl(message.ttlMs));
  add('DEDUP', message.dedupKey);
  add('EVENT', message.eventType);
  add('CHUNK', message.chunk === undefined ? undefined : printChunk(message.chunk));
  add('RECEIPT', message.receipt);
  headers.push(...message.headers);
  return headers;
}

const algorithm = 'sha256:';

function withAlgorithm(hash: string | undefined): string | undefined {
  return hash === undefined ? undefined : `${algorithm}${hash}`;
}

/** The digits of `sha256:…`; undefined for anything else. */
export function parseHash(text: string): string | undefined {
  return /^sha256:([0-9a-f]{64})$/.exec(text)?.[1];
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `90s`, `15m`, `2h`, `7d`, `1500ms` or plain seconds. */
export function parseTtl(text: string): number | undefined {
  const [, amount, unit = 's'] = /^(\d{1,10})(ms|s|m|h|d)?$/.exec(text) ?? [];
  return amount === undefined
    ? undefined
    : Number(amount) * must(unitMs[unit], 'the length of a unit');
}

function printTtl(ttlMs: number): string {
  return ttlMs % 1000 === 0 ? `${ttlMs / 1000}s` : `${ttlMs}ms`;
}

/** `3`, or `3 end` for the last one. */
export function parseChunk(text: string): StreamChunk | undefined {
  const [, index, end] = /^(\d{1,9})( +end)?$/.exec(text) ?? [];
  return index === undefined ? undefined : { index: Number(index), end: end !== undefined };
}

function printChunk({ index, end }: StreamChunk): string {
  return end ? `${index} end` : String(index);
}

// What may stand in a header, each rule in one place. They are rules about text: the parser asks
// them of what it reads, checkMessage() of what would be printed.

const longestTtlMs = 30 * 86_400_000;

interface HeaderRule {
  readonly lawful: (value: string) => boolean;
  readonly wanted: string;
  readonly example: string;
}

const hash = {
  lawful: (value: string) => parseHash(value) !== undefined,
  wanted: '"sha256:" and 64 hex digits in lower case',
};

// TO has its rule above. FROM, ID and SENT are believed of the relay alone.
const rules: Readonly<Partial<Record<KnownHeader, HeaderRule>>> = {
  KIND: {
    lawful: (value) => messageKinds.some((kind) => kind === value),
    wanted: `one of ${messageKinds.join(', ')}`,
    example: 'message',
  },
  THREAD: {
    lawful: (value) => /^.{1,200}$/u.test(value),
    wanted: '1 to 200 characters',
    example: 'release-notes',
  },
  PRIORITY: {
    lawful: (value) => /^[0-9]$/.test(value),
    wanted: 'a digit from 0, which comes first, to 9',
    example: '5',
  },
  RE: {
    lawful: isId,
    wanted: 'the id of a message, which is 32 hex digits in lower case',
    example: '018d3e4b5f607a8b9c0d1e2f3a4b5c6d',
  },
  CHECKSUM: { ...hash, example: `sha256:${'0'.repeat(64)}` },
  ATTACHMENT: { ...hash, example: `sha256:${'0'.repeat(64)}` },
  TTL: {
    lawful: (value) => {
      const ttlMs = parseTtl(value);
      return ttlMs !== undefined && ttlMs >= 1000 && ttlMs <= longestTtlMs;
    },
    wanted: 'a time from 1 second to 30 days',
    example: '15m',
  },
  DEDUP: {
    lawful: (value) => /^[^\p{C}]{1,200}$/u.test(value),
    wanted: '1 to 200 printable characters',
    example: 'report-2030-01-31',
  },
  EVENT: {
    lawful: (value) => value.length <= 100 && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(value),
    wanted: 'words of a-z, 0-9 and "-" with dots between them, at most 100 characters',
    example: 'build.finished',
  },
  CHUNK: {
    lawful: (value) => parseChunk(value) !== undefined,
    wanted: 'the number of the chunk, from 0, and " end" behind it for the last one',
    example: '3 end',
  },
  RECEIPT: { lawful: (value) => value === 'read', wanted: 'the word read', example: 'read' },
};

const lawfulName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

// Many a reader takes U+2028 and its like for the end of a line. Let through, they could
// show such a reader a FROM that the relay never wrote.
const endsLine = /[\p{Cc}\p{Zl}\p{Zp}]/u;

export function isHeaderName(name: string): boolean {
  return lawfulName.test(name);
}

/** `where` is empty, or says which line of a file it is: ` in line 3`. */
export function checkHeader({ name, value }: Header, where = ''): void {
  checkLine(name, value, where);
  const known = knownHeader(name);
  if (known === undefined) return;
  if (known === 'TO') parseAddress(value);
  const rule = rules[known];
  if (rule === undefined || rule.lawful(value)) return;
  const guess = known === 'KIND' ? `.${didYouMean(value, messageKinds)}` : '';
  throw malformed(
    `${known}${where} is ${shown(value)}, and has to be ${rule.wanted}${guess}`,
    `Write it as ${known}: ${rule.example}`,
  );
}

function checkLine(name: string, value: string, where: string): void {
  const broken = endsLine.test(value) || !value.isWellFormed();
  if (!broken && !value.startsWith(' ') && !value.endsWith(' ')) return;
  const what = broken ? 'a control character in it' : 'a space at its beginning or end';
  throw malformed(
    `${shown(name)}${where} is ${shown(value)}, which has ${what}`,
    `Write the name, ":" and the value in one line of plain text`,
  );
}
