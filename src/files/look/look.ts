/**
 * What the requests that change nothing have in common: the folder or file they are about, and
 * files as people read of them.
 */
import { AosError } from '../../kernel/errors.ts';
import { parsePathPattern } from '../../kernel/files/glob.ts';
import type { SeenFile } from '../../kernel/files/look.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import { extensionOf, typeOfExtension, wordsOfType } from '../../kernel/files/types.ts';
import { momentWords, sizeWords } from '../../kernel/files/words.ts';
import type { DiskEntry, TimeZone } from '../../kernel/ports.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { parsePath } from '../paths.ts';
import { type FilePlace, type FolderPlace, findFolder, findPlace } from '../place.ts';

/** One request that changes nothing. */
export interface FileLook {
  readonly deps: FilesDeps;
  readonly caller: FileCaller;
  readonly request: FileRequest;
}

/** What comes of it. */
export interface LookOutcome {
  /** What was done, in plain words. */
  readonly words: string;
  /** What a dry run says, e.g. "Would read "~/notes.txt"". */
  readonly would: string;
  readonly result: unknown;
  readonly files: number;
  readonly bytes: number;
}

interface DescribedFile {
  readonly name: string;
  readonly path: string;
  readonly kind: SeenFile['kind'];
  /** e.g. "3.4 MB". */
  readonly size: string;
  readonly size_bytes: number;
  /** e.g. "PDF document". */
  readonly type: string;
  /** e.g. "3 November 2026, 14:05". */
  readonly modified: string;
  readonly modified_at: string;
  readonly taken?: string | undefined;
  readonly taken_at?: string | undefined;
  /** It does not say when it was taken: that is when it was changed. */
  readonly taken_guessed?: boolean | undefined;
  readonly technical?: object | undefined;
}

export function describedFile(
  zone: TimeZone,
  file: SeenFile,
  { technical = false }: { readonly technical?: boolean | undefined } = {},
): DescribedFile {
  const { path, kind, sizeBytes, modifiedAt, takenAt } = file;
  return {
    ...{ name: path.slice(path.lastIndexOf('/') + 1), path, kind },
    ...{ size: kind === 'folder' ? '' : sizeWords(sizeBytes), size_bytes: sizeBytes },
    type: typeWords(file),
    ...{ modified: momentWords(zone, modifiedAt), modified_at: timeText(modifiedAt) },
    ...(takenAt === undefined ? {} : takenWords(zone, file, takenAt)),
    ...(technical ? { technical: technicalFacts(file) } : {}),
  };
}

/** By what is in it where that was looked at, else by its name. */
function typeWords({ kind, path, type, sizeBytes }: SeenFile): string {
  if (kind === 'folder') return 'folder';
  if (kind === 'symlink') return 'link';
  if (kind === 'other') return 'special file';
  if (type !== undefined) return wordsOfType(type);
  if (sizeBytes === 0) return 'empty file';
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  const known = typeOfExtension(extension)?.words;
  return known ?? (/^[a-z0-9]{1,8}$/.test(extension) ? `${extension.toUpperCase()} file` : 'file');
}

function takenWords(zone: TimeZone, { isTakenGuessed }: SeenFile, takenAt: number) {
  return {
    taken: momentWords(zone, takenAt),
    taken_at: timeText(takenAt),
    ...(isTakenGuessed === true ? { taken_guessed: true } : {}),
  };
}

function technicalFacts({ inode, device, mode, ownerUid, links, allocatedBytes }: SeenFile) {
  return {
    ...{ inode, device, mode: mode.toString(8).padStart(3, '0'), owner_uid: ownerUid, links },
    allocated_bytes: allocatedBytes,
  };
}

/** As many of them, from the first, as an answer may have. */
export function fitting<T>(
  all: readonly T[],
  answerBytes: number,
): { readonly kept: readonly T[]; readonly isCut: boolean } {
  // The rest of an answer takes little.
  let room = answerBytes - 64 * 1024;
  for (const [index, one] of all.entries()) {
    room -= Buffer.byteLength(JSON.stringify(one)) + 1;
    if (room < 0) return { kept: all.slice(0, index), isCut: true };
  }
  return { kept: all, isCut: false };
}

/** One that was named, as one that was found. */
export function foundThere(path: string, there: DiskEntry): SeenFile {
  const { kind, sizeBytes, modifiedNs, modifiedAt, inode, device, mode, ownerUid } = there;
  return {
    ...{ path, kind, sizeBytes, modifiedNs, modifiedAt, inode, device, mode, ownerUid },
    ...{ allocatedBytes: sizeBytes, createdAt: modifiedAt, links: 1 },
  };
}

export function onlyListed(): AosError {
  return new AosError('files.invalid-input', {
    message: 'Files that are the same are found by list_files',
    fix: 'Use list_files with filters.duplicates',
  });
}

type LookPlace =
  | { readonly kind: 'folder'; readonly folder: FolderPlace; readonly glob: readonly string[] }
  | { readonly kind: 'one'; readonly place: FilePlace };

/** The caller that gets it closes it. */
export async function lookPlace({ deps, caller, request }: FileLook): Promise<LookPlace> {
  const text = request.path ?? '~';
  const { folder, glob } = parsePathPattern(text);
  if (glob.length > 0) {
    const exact = await oneNamed(deps, caller, text).catch(() => undefined);
    if (exact !== undefined) return exact;
  }
  const parts = parsePath(caller.roots, glob.length === 0 ? text : folder === '' ? '~' : folder);
  try {
    return {
      kind: 'folder',
      folder: await findFolder(deps, caller, parts, { power: 'read' }),
      glob,
    };
  } catch (failure) {
    const isNone = failure instanceof AosError && /^disk\.not-a-f/.test(failure.code);
    if (!isNone || glob.length > 0) throw failure;
    const one = await oneNamed(deps, caller, text);
    if (one === undefined) throw failure;
    return one;
  }
}

async function oneNamed(deps: FileLook['deps'], caller: FileLook['caller'], text: string) {
  const parts = parsePath(caller.roots, text);
  if (parts.length === 0) return undefined;
  const place = await findPlace(deps, caller, parts, { power: 'read', last: 'follow' });
  if (place.there !== undefined && place.there.kind !== 'folder') {
    return { kind: 'one', place } as const;
  }
  await place[Symbol.asyncDispose]();
  return undefined;
}
