/** What is in a file: a text as it is, the bytes of anything else only on request. */
import { AosError } from '../../kernel/errors.ts';
import { readSteadily } from '../../kernel/files/file-path.ts';
import { sizeWords, thousands } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { parsePath, shownPath } from '../paths.ts';
import { type FilePlace, findPlace } from '../place.ts';
import { beingWritten, notFound } from '../refusals.ts';
import { decodeUtf8, wholeCharacters } from '../text-bytes.ts';
import type { FileLook, LookOutcome } from './look.ts';

export async function readFile(look: FileLook): Promise<LookOutcome> {
  const { deps, caller, request } = look;
  if (request.path === undefined) throw noPath();
  const parts = parsePath(caller.roots, request.path);
  if (parts.length === 0) throw isFolder();
  await using place = await findPlace(deps, caller, parts, { power: 'read', last: 'follow' });
  checkKind(place);
  await using reader = await deps.disk.read(place.entry);
  const saidBytes = await reader.sizeBytes();
  const { offset = 0, length, encoding } = request.options ?? {};
  const most = mostBytes(deps.limits.answerBytes, encoding);
  if (Math.min(length ?? saidBytes, saidBytes - offset) > most) throw tooLarge(saidBytes, most);
  const wanted = { offset, mostBytes: Math.min(length ?? most + 1, most + 1) };
  const read = await readSteadily(deps.clock, reader, wanted);
  if (read === undefined) throw beingWritten();
  const { bytes } = read;
  const { sizeBytes } = read.identity;
  if (bytes.length > most) throw tooLarge(Math.max(sizeBytes, bytes.length), most);
  const shown = quote(shownPath(caller.roots, place.path));
  const folder = {
    held: place.folder.path,
    path: place.path.slice(0, place.path.lastIndexOf('/')),
  };
  const nature = await deps.looking.nature(folder, place.name, caller.signal);
  const facts = {
    ...{ path: place.path, size: sizeWords(sizeBytes), size_bytes: sizeBytes, offset },
    ...{ type: nature.typeWords, media_type: nature.type },
  };
  const content = contentOf(bytes, { offset, sizeBytes, encoding });
  // What is spelt out in JSON takes up to six times the room.
  if (Buffer.byteLength(JSON.stringify(content ?? '')) > deps.limits.answerBytes - roomForRest) {
    throw tooLarge(sizeBytes, Math.floor(most / 3));
  }
  const isDry = request.options?.dry_run === true;
  const inside = content === undefined ? { binary: true, note: binaryNote } : content;
  return {
    words: `${content === undefined ? 'Looked at' : 'Read'} ${shown}`,
    would: `Would ${content === undefined ? 'look at' : 'read'} ${shown} (${sizeWords(bytes.length)})`,
    // What is in it is what is not asked for yet.
    result: { ...facts, bytes: bytes.length, ...(isDry ? {} : inside) },
    ...{ files: 1, bytes: bytes.length },
  };
}

const roomForRest = 32 * 1024;
const binaryNote = 'This is no text. Say options.encoding: "base64" to get its bytes.';

interface Read {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly encoding: 'utf8' | 'base64' | undefined;
}

/** Undefined for what is no text, where its bytes were not asked for. */
function contentOf(bytes: Uint8Array, { offset, sizeBytes, encoding }: Read) {
  if (encoding === 'base64') return { content_base64: Buffer.from(bytes).toString('base64') };
  const cut = { start: offset > 0, end: offset + bytes.length < sizeBytes };
  const whole = wholeCharacters(bytes, cut);
  const content = decodeUtf8(whole);
  const isText = content !== undefined && (whole.length > 0 || bytes.length === 0);
  return isText && (encoding === 'utf8' || !whole.includes(0)) ? { content } : undefined;
}

/** A text may be written twice as long, and a byte as six characters. */
function mostBytes(answerBytes: number, encoding: Read['encoding']): number {
  const room = answerBytes - 64 * 1024;
  return Math.floor(encoding === 'base64' ? (room / 4) * 3 : room / 2);
}

function checkKind({ there }: FilePlace): void {
  if (there === undefined) {
    throw notFound();
  }
  if (there.kind === 'folder') throw isFolder();
  if (there.kind !== 'file') {
    throw new AosError('files.not-a-regular-file', {
      message: 'That is not an ordinary file, so I do not read it',
      fix: 'Name a file',
    });
  }
}

function isFolder(): AosError {
  return new AosError('files.is-a-folder', {
    message: 'That is a folder, and only files can be read',
    fix: 'List it with list_files',
  });
}

function noPath(): AosError {
  return new AosError('files.invalid-input', {
    message: 'read_file does not say which file is meant',
    fix: 'Say it in path',
  });
}

function tooLarge(sizeBytes: number, most: number): AosError {
  return new AosError('files.too-large', {
    message: `That file has ${sizeWords(sizeBytes)}, and at most ${thousands(most)} bytes can be read at once`,
    fix: 'Read a part of it, with options.offset and options.length',
    details: { size_bytes: sizeBytes, limit_bytes: most },
  });
}
