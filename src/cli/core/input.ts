/** What a command is given besides its words: texts from stdin, files, times. */
import { AosError } from '../../kernel/errors.ts';
import { messageLimits, parseTtl } from '../../kernel/message/message.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Input } from './report.ts';
import { bytesWords } from './words.ts';

/** The words given, or with `-` or without any what is piped in. */
export async function readText(input: Input, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && input.isTerminal) throw noText();
  const rules = { mostBytes: messageLimits.wholeBytes, keepsMark: true, tooLong, notText };
  const text = await decoded(input.read(), rules);
  // Where no person types, a text that was forgotten looks like one that is empty.
  if (text === '' && given === undefined) throw noText();
  return text;
}

function noText(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'There is no text to send',
    fix: 'Give it as the last word, or pipe it in; "-" reads what you type until Ctrl-D',
  });
}

function tooLong(): AosError {
  return new AosError('message.too-large', {
    message: 'The text is larger than 1 MiB, which no message may be',
    fix: 'Put it into a file and send that with --attach FILE',
  });
}

function notText(cause: unknown): AosError {
  return new AosError('message.malformed', {
    message: 'What was piped in is no text in UTF-8',
    fix: 'Put it into a file and send that with --attach FILE',
    cause,
  });
}

/** `90s`, `15m`, `2h`, `7d`, or seconds. */
export function durationOf(option: string, text: string): number {
  const durationMs = parseTtl(text);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  throw new AosError('usage.bad-value', {
    message: `${option} wants a time, and got ${quote(text.slice(0, 100))}`,
    fix: `Write it as 90s, 15m, 2h or 7d: ${option} 15m`,
  });
}

/** A whole number in words of the command line. */
export function numberOf(
  option: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new AosError('usage.bad-value', {
    message: `${option} wants a whole number from ${least} to ${most}, and got ${quote(text.slice(0, 100))}`,
    fix: `${option} ${most}`,
  });
}

const partBytes = 1024 * 1024;

/** A file of any size, a part at a time. */
export async function* fileParts(
  view: DiskView,
  path: string,
): AsyncGenerator<Uint8Array, void, void> {
  await using reader = await view.read(path);
  for (let offset = 0; ; ) {
    const bytes = await reader.readAt(offset, partBytes);
    if (bytes.length === 0) return;
    offset += bytes.length;
    yield bytes;
  }
}

interface TextLimits {
  /** For the sentence: `What was piped in`. */
  readonly what: string;
  readonly mostBytes: number;
}

/** A text in UTF-8 that comes in parts, from a file or through a pipe. It is never quoted. */
export async function textOf(
  parts: AsyncIterable<Uint8Array>,
  { what, mostBytes }: TextLimits,
): Promise<string> {
  return decoded(parts, {
    mostBytes,
    keepsMark: false,
    tooLong: () => pipedTooLong(what, mostBytes),
    notText: () => pipedNotText(what),
  });
}

interface TextRules {
  readonly mostBytes: number;
  /** Whether a byte order mark at the beginning is part of the text. */
  readonly keepsMark: boolean;
  tooLong(): AosError;
  notText(cause: unknown): AosError;
}

/** UTF-8 that comes in parts, as one text. */
async function decoded(
  parts: AsyncIterable<Uint8Array>,
  { mostBytes, keepsMark, tooLong, notText }: TextRules,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark });
  let text = '';
  let sizeBytes = 0;
  try {
    for await (const bytes of parts) {
      sizeBytes += bytes.length;
      if (sizeBytes > mostBytes) throw tooLong();
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  } catch (failure) {
    if (failure instanceof TypeError) throw notText(failure);
    throw failure;
  }
}

function pipedTooLong(what: string, mostBytes: number): AosError {
  return new AosError('usage.bad-value', {
    message: `${what} is larger than ${bytesWords(mostBytes)}`,
    fix: 'Give less',
  });
}

function pipedNotText(what: string): AosError {
  return new AosError('usage.bad-value', {
    message: `${what} is no text in UTF-8`,
    fix: 'Encode it, for example with base64',
  });
}
