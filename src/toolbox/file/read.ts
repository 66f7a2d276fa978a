/**
 * A file, or a part of one, as the result of a call. What is read is in memory whole: at most
 * what the call may answer, however large the file is.
 */

import { followPath, type PathEnd, placesOn } from '../../files/follow-path.ts';
import { decodeUtf8, typeOfBytes, wholeCharacters } from '../../files/text-bytes.ts';
import { pathAction } from '../../kernel/capability/action-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { parseFilePath, printFilePath, readSteadily } from '../../kernel/files/file-path.ts';
import { must } from '../../kernel/must.ts';
import {
  type Clock,
  type Disk,
  type FileIdentity,
  type FileReader,
  type HeldFolder,
  lastInstant,
  type Random,
} from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Permit } from '../../security/permit.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import { plainFileTools } from '../../verbs/file-tools.ts';
import { toFileError } from './file-errors.ts';

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

// The path to a file for a call of a tool, followed as files/follow-path.ts does, with what the caller may do.
//
// P1. Before anything is looked at where a symlink leads, it is asked whether the caller may
//     do there what they came for.
// P2. Beyond the parts that the grant names, the disk stays the same: what is mounted there
//     is not what the owner had in mind who wrote a star.

export interface FileDeps {
  readonly disk: Disk;
  readonly random: Random;
  /** The folder of Agent OS, by the path that no symlink is on. */
  readonly home: string;
}

/** Of a call that has one action. */
export function permitOf({ permits: [permit] }: ToolCall): Permit {
  return must(permit, 'The permit for the action of a call');
}

interface FileTarget {
  readonly path: string;
  readonly action: 'read' | 'write';
  /** What the call is allowed to do there. */
  readonly permit: Permit;
}

/** Where a path has led. The caller of `walkTo` closes it. */
export interface WalkedPlace<Found> extends AsyncDisposable {
  /** Without symlinks. */
  readonly path: string;
  readonly folder: HeldFolder;
  /** The last name, in the held folder. */
  readonly entry: string;
  readonly permit: Permit;
  /** What `open` gave. */
  readonly found: Found;
}

/**
 * Walks to the folder of a path and opens the last name there. Where that turns out to be a
 * symlink, the path goes on behind it. What was opened is not used before it is permitted.
 */
export async function walkTo<Found extends FileReader | undefined>(
  deps: Pick<FileDeps, 'disk' | 'home'>,
  call: ToolCall,
  target: FileTarget,
  open: (entry: string) => Promise<Found>,
): Promise<WalkedPlace<Found>> {
  let parts = parseFilePath(target.path);
  try {
    const end = await followPath(deps.disk, parts, {
      open,
      signal: call.signal,
      async onTurn(turned) {
        parts = turned;
        // P1
        for (const place of placesOn(turned)) {
          const action = pathAction(deps.home, place, target.action);
          if (!(await call.may(action))) await call.permit(action);
        }
      },
    });
    return await permitted(deps, call, target, end);
  } catch (failure) {
    throw toFileError(failure, printFilePath(parts));
  }
}

async function permitted<Found extends FileReader | undefined>(
  { home }: Pick<FileDeps, 'home'>,
  call: ToolCall,
  target: FileTarget,
  { parts, folder, entry, found, open, devices }: PathEnd<Found>,
): Promise<WalkedPlace<Found>> {
  await using stack = open;
  const path = printFilePath(parts);
  const permit =
    path === target.path
      ? target.permit
      : await call.permit(pathAction(home, parts, target.action));
  const identity = await found?.identity();
  checkDisks(path, identity === undefined ? devices : [...devices, identity.device], permit);
  const kept = stack.move();
  return { path, folder, entry, permit, found, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** P2 */
function checkDisks(path: string, devices: readonly string[], { namedParts }: Permit): void {
  const beyond = devices.slice(namedParts);
  if (beyond.every((device) => device === beyond[0])) return;
  throw new AosError('file.other-disk', {
    message: `The way to ${quote(path)} leads onto another disk, and the grant does not name it`,
    fix: 'Ask for a grant that names the folder behind which the other disk begins',
  });
}
