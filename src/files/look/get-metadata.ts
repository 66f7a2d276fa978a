/** All that is to be known of one file, or of all that fit, in words. */
import { AosError } from '../../kernel/errors.ts';
import { isPattern } from '../../kernel/files/glob.ts';
import { countWords, momentWords, sizeWords } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { withTarget } from '../follow-path.ts';
import { hasFilters, lookRequest } from '../look-request.ts';
import { isInside, parsePath, shownPath } from '../paths.ts';
import { type FilePlace, findPlace } from '../place.ts';
import { changed, notFound } from '../refusals.ts';
import { listFiles, skippedWords } from './list-files.ts';
import {
  describedFile,
  type FileLook,
  foundThere,
  type LookOutcome,
  lookPlace,
  onlyListed,
} from './look.ts';

export async function getMetadata(look: FileLook): Promise<LookOutcome> {
  const { deps, caller, request } = look;
  if (request.path === undefined && !hasFilters(request)) throw noPath();
  if (request.path === undefined || hasFilters(request)) return listFiles(look);
  const parts = parsePath(caller.roots, request.path);
  await using place = await findPlace(deps, caller, parts, { power: 'read', last: 'keep' });
  if (place.there === undefined && isPattern(request.path)) return listFiles(look);
  if (place.there === undefined) {
    throw notFound();
  }
  const found = foundThere(place.path, place.there);
  const technical = request.options?.technical;
  const result = {
    ...describedFile(deps.zone, found, { technical }),
    ...(place.there.kind === 'file' ? await natureOf(look, place) : {}),
    ...(place.there.kind === 'symlink' ? await targetOf(look, place) : {}),
    ...(place.there.kind === 'folder' ? await insideOf(look) : {}),
  };
  const shown = quote(shownPath(caller.roots, place.path));
  const said = { words: `Looked at ${shown}`, would: `Would look at ${shown}` };
  return { ...said, result, files: 1, bytes: place.there.sizeBytes };
}

async function natureOf({ deps, caller }: FileLook, place: FilePlace) {
  const folder = {
    held: place.folder.path,
    path: place.path.slice(0, place.path.lastIndexOf('/')),
  };
  const nature = await deps.looking.nature(folder, place.name, caller.signal);
  const { takenAt, photo } = nature;
  return {
    ...{ type: nature.typeWords, media_type: nature.type },
    ...(nature.isNameWrong ? { name_is_wrong: true } : {}),
    ...(takenAt === undefined
      ? {}
      : { taken: momentWords(deps.zone, takenAt), taken_at: timeText(takenAt) }),
    ...(photo === undefined ? {} : { photo }),
  };
}

/** Where it leads, where that may be known. */
async function targetOf({ deps, caller }: FileLook, place: FilePlace) {
  const target = await deps.disk.readLink(place.entry).catch(() => {
    // It was one a moment ago.
    throw changed();
  });
  const parts = withTarget(place.parts, place.parts.length - 1, target);
  return isInside(caller.roots, parts) ? { target } : { target_outside: true };
}

/** How much is in a folder. */
async function insideOf(look: FileLook) {
  const { result } = await getDiskUsage(look);
  return { contains: result };
}

function noPath(): AosError {
  return new AosError('files.invalid-input', {
    message: 'get_metadata does not say which file is meant',
    fix: 'Say it in path',
  });
}

export async function getDiskUsage(look: FileLook): Promise<LookOutcome> {
  const { deps, caller, request } = look;
  if (request.filters?.duplicates === true) throw onlyListed();
  const at = await lookPlace(look);
  if (at.kind === 'one') {
    await using place = at.place;
    const bytes = place.there?.sizeBytes ?? 0;
    const words = `${quote(shownPath(caller.roots, place.path))} has ${sizeWords(bytes)}`;
    return {
      ...{ words, would: `Would say that ${words}` },
      result: { files: 1, folders: 0, size: sizeWords(bytes), apparent_bytes: bytes },
      ...{ files: 1, bytes },
    };
  }
  await using folder = at.folder;
  const {
    sort: _s,
    limit: _l,
    recursive: _r,
    ...wanted
  } = await lookRequest(deps, caller, request, {
    ...{ folder, glob: at.glob, power: 'read', limit: 1, hidden: true },
    kind: request.filters?.kind ?? (hasFilters(request) ? 'file' : 'any'),
  });
  const usage = await deps.looking.usage({ ...wanted, hidden: true }, caller.signal);
  const where = quote(shownPath(caller.roots, folder.path));
  const words = `${countWords(usage.files, 'file')} in ${where} ${usage.files === 1 ? 'takes' : 'take'} ${sizeWords(usage.apparentBytes)} (${sizeWords(usage.allocatedBytes)} on the disk)`;
  return {
    ...{ words, would: `Would say that ${words}` },
    result: {
      ...{ files: usage.files, folders: usage.folders, size: sizeWords(usage.apparentBytes) },
      ...{ apparent_bytes: usage.apparentBytes, allocated_bytes: usage.allocatedBytes },
      size_on_disk: sizeWords(usage.allocatedBytes),
      by_folder: usage.folderSizes.map(({ path, bytes }) => ({
        path,
        bytes,
        size: sizeWords(bytes),
      })),
      by_type: usage.typeSizes.map((one) => ({ ...one, size: sizeWords(one.bytes) })),
      ...skippedWords(usage),
    },
    ...{ files: usage.files, bytes: usage.apparentBytes },
  };
}
