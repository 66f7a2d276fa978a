/**
 * What may stand in a header, each rule in one place. They are rules about text: the
 * parser asks them of what it reads, checkMessage() of what would be printed.
 */

import { isId } from '../new-id.ts';
import { didYouMean } from '../text/suggest.ts';
import { parseAddress } from './address.ts';
import { malformed, shown } from './fault.ts';
import { type KnownHeader, knownHeader, parseChunk, parseHash, parseTtl } from './headers.ts';
import { type Header, messageKinds } from './message.ts';

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

// TO has its rule in address.ts. FROM, ID and SENT are believed of the relay alone.
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
