/**
 * A file, or a part of one, as the result of a call. What is read is in memory whole: at most
 * what the call may answer, however large the file is.
 */

import { decodeUtf8, typeOfBytes, wholeCharacters } from '../../files/text-bytes.ts';
import { AosError } from '../../kernel/errors.ts';
import { readSteadily } from '../../kernel/files/steady-read.ts';
import { type Clock, type FileIdentity, type FileReader, lastInstant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Permit } from '../../security/permit.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import { plainFileTools } from '../../verbs/file-tools.ts';
import { toFileError } from './file-errors.ts';
import { type FileDeps, permitOf, type WalkedPlace, walkTo } from './walk-path.ts';

/** Reading waits for who is writing. */
export interface FileReadDeps extends FileDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

/** The tool `file.read`. */
export function fileRead(deps: FileReadDeps): Tool {
  return toolOf(plainFileTools.read, deps, {
    run({ path, offset, length, encoding }, call) {
      const permit = permitOf(call);
      return readFileWithin(deps, call, { path, offset, length, encoding, permit });
    },
  });
}

interface FileToRead {
  readonly path: string;
  readonly offset: number;
  /** To the end of the file, where nothing is said. */
  readonly length: number | undefined;
  /** Where nothing is said it is text, and what is none is refused. */
  readonly encoding: 'utf8' | 'base64' | undefined;
  /** For reading this path. */
  readonly permit: Permit;
}

interface ReadFile {
  /** Without symlinks. */
  readonly path: string;
  readonly size_bytes: number;
  readonly modified_at: string;
  /** Of the first byte that is given. */
  readonly offset: number;
  /** How many are given. */
  readonly bytes: number;
  readonly content?: string;
  readonly content_base64?: string;
}

async function readFileWithin(
  deps: FileReadDeps,
  call: ToolCall,
  wanted: FileToRead,
): Promise<ReadFile> {
  const target = { path: wanted.path, action: 'read', permit: wanted.permit } as const;
  await using place = await walkTo(deps, call, target, (entry) => deps.disk.read(entry));
  try {
    return await readPart(deps.clock, call, place, wanted);
  } catch (failure) {
    throw toFileError(failure, place.path);
  }
}

async function readPart(
  clock: FileReadDeps['clock'],
  call: ToolCall,
  { path, permit, found: reader }: WalkedPlace<FileReader>,
  { offset, length, encoding }: FileToRead,
): Promise<ReadFile> {
  const saidBytes = await reader.sizeBytes();
  const roomBytes = call.outputBytes - Buffer.byteLength(JSON.stringify(path)) - envelopeBytes;
  const mostBytes = mostAtOnce(roomBytes, permit, encoding);
  const tooLarge = () => tooLargeAtOnce(path, saidBytes, mostBytes);
  if (Math.min(length ?? saidBytes, saidBytes - offset) > mostBytes) throw tooLarge();
  const wantedBytes = Math.min(length ?? mostBytes + 1, mostBytes + 1);
  const read = await readSteadily(clock, reader, { offset, mostBytes: wantedBytes });
  if (read === undefined) throw changed(path);
  const { bytes, identity } = read;
  const { sizeBytes, modifiedAt } = identity;
  // It has grown, or is of a kind that does not tell its size.
  if (bytes.length > mostBytes) throw tooLarge();
  const part = { bytes, cut: { start: offset > 0, end: offset + bytes.length < sizeBytes } };
  const content = encoding === 'base64' ? inBase64(part) : asText(path, part, encoding);
  if (Buffer.byteLength(JSON.stringify(content.words)) > roomBytes) throw tooLarge();
  return {
    path,
    // Files of /proc say 0.
    size_bytes: Math.max(sizeBytes, offset + bytes.length),
    modified_at: timeText(modifiedAt),
    offset: offset + content.skipped,
    bytes: content.bytes,
    ...content.words,
  };
}

/** More than all the rest of a result takes. */
const envelopeBytes = 512;

function mostAtOnce(roomBytes: number, { sizeBytes }: Permit, encoding: FileToRead['encoding']) {
  const fitting = encoding === 'base64' ? Math.floor(roomBytes / 4) * 3 : roomBytes;
  return Math.max(0, Math.min(fitting, sizeBytes ?? Number.POSITIVE_INFINITY));
}

interface Part {
  readonly bytes: Uint8Array;
  /** Where there is more of the file on that side. */
  readonly cut: { readonly start: boolean; readonly end: boolean };
}

interface Content {
  readonly skipped: number;
  readonly bytes: number;
  readonly words: { readonly content: string } | { readonly content_base64: string };
}

function inBase64({ bytes }: Part): Content {
  const words = { content_base64: Buffer.from(bytes).toString('base64') };
  return { skipped: 0, bytes: bytes.length, words };
}

function asText(path: string, { bytes, cut }: Part, encoding: 'utf8' | undefined): Content {
  const whole = wholeCharacters(bytes, cut);
  const content = decodeUtf8(whole);
  const isText = content !== undefined && (whole.length > 0 || bytes.length === 0);
  // Text has no NUL, and nearly every other file does.
  if (!isText || (encoding === undefined && whole.includes(0))) throw notText(path, bytes);
  const skipped = whole.byteOffset - bytes.byteOffset;
  return { skipped, bytes: whole.length, words: { content } };
}

function changed(path: string): AosError {
  return new AosError('file.changed', {
    message: `${quote(path)} is written to all the time, so that nobody can tell what is in it`,
    fix: 'Try again when that is done',
  });
}

function tooLargeAtOnce(path: string, sizeBytes: number, mostBytes: number): AosError {
  return new AosError('file.too-large', {
    message: `${quote(path)} has ${sizeBytes} bytes, and at most ${mostBytes} can be read at once`,
    fix: 'Read a part of it, with offset and length',
    details: { size_bytes: sizeBytes, limit_bytes: mostBytes },
  });
}

function notText(path: string, bytes: Uint8Array): AosError {
  const type = typeOfBytes(bytes);
  return new AosError('file.not-text', {
    message: `${quote(path)} is no text in UTF-8 but ${type}`,
    fix: 'Say encoding: base64 to read its bytes',
    details: { type },
  });
}

// Some disks keep times that no date can show.
function timeText(at: FileIdentity['modifiedAt']): string {
  return new Date(Math.min(Math.max(at, -lastInstant), lastInstant)).toISOString();
}
