/** The headers that mean something to the relay, and the text in which each is written. */
import { type Header, type Message, priorities, type StreamChunk } from './message.ts';

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
  return amount === undefined ? undefined : Number(amount) * (unitMs[unit] ?? 1);
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
