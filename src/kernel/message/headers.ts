/** The headers that mean something to the relay, and the text in which each is written. */

import { must } from '../must.ts';
import { isId } from '../new-id.ts';
import { didYouMean } from '../text/suggest.ts';
import {
  type Header,
  type Message,
  malformed,
  messageKinds,
  parseAddress,
  priorities,
  type StreamChunk,
  shown,
} from './message.ts';

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

// TO has its rule in message.ts. FROM, ID and SENT are believed of the relay alone.
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
