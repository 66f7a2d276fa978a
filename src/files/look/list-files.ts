/** Files with what people want to know of them; or those that are there more than once. */
import type { LookRequest, SeenFile, SkippedFile } from '../../kernel/files/look.ts';
import { countWords, sizeWords } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { lookRequest } from '../look-request.ts';
import { shownPath } from '../paths.ts';
import { refuseUnused } from '../unused-parts.ts';
import {
  describedFile,
  type FileLook,
  fitting,
  foundThere,
  type LookOutcome,
  lookPlace,
} from './look.ts';

export async function listFiles(look: FileLook): Promise<LookOutcome> {
  const { deps, caller, request } = look;
  refuseUnused(request, ['query', 'destination', 'content', 'content_base64']);
  const at = await lookPlace(look);
  if (at.kind === 'one') {
    await using place = at.place;
    const files = place.there === undefined ? [] : [foundThere(place.path, place.there)];
    return listed(look, {
      files,
      total: files.length,
      truncated: false,
      skipped: [],
      skippedTotal: 0,
    });
  }
  await using folder = at.folder;
  const wanted = await lookRequest(deps, caller, request, {
    ...{ folder, glob: at.glob, power: 'read' },
    kind: kindOf(look),
    limit: request.options?.limit ?? deps.limits.usualListing,
    recursive: request.path === undefined,
  });
  if (request.filters?.duplicates === true) return await listDuplicates(look, wanted);
  return listed(look, await deps.looking.list(wanted, caller.signal), folder.path);
}

/** A request for a type, a size or the largest does not mean folders. */
function kindOf({ request: { filters, options } }: FileLook): 'file' | 'folder' | 'any' {
  const isSized = options?.sort === 'size' || options?.sort === 'taken';
  const { type, size_gt, size_lt, taken_after, taken_before } = filters ?? {};
  const isOfContent = [type, size_gt, size_lt, taken_after, taken_before].some(
    (one) => one !== undefined,
  );
  return filters?.kind ?? (isSized || isOfContent ? 'file' : 'any');
}

interface Listed {
  readonly files: readonly SeenFile[];
  readonly total: number;
  readonly totalBytes?: number | undefined;
  readonly truncated: boolean;
  readonly skipped: readonly SkippedFile[];
  readonly skippedTotal: number;
  readonly deniedTotal?: number | undefined;
  readonly typesBy?: string | undefined;
}

function listed(look: FileLook, found: Listed, folder?: string): LookOutcome {
  const { deps, caller, request } = look;
  const technical = request.options?.technical;
  const all = found.files.map((file) => describedFile(deps.zone, file, { technical }));
  const { kept, isCut } = fitting(all, deps.limits.answerBytes);
  const bytes = found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const where = folder === undefined ? '' : ` in ${quote(shownPath(caller.roots, folder))}`;
  const cut = found.truncated || isCut;
  const shown = cut ? `, of which ${countWords(kept.length, 'is', 'are')} listed` : '';
  const what = `${wordsFor(look, found.total)}${where}${shown}`;
  return {
    ...{ words: `Found ${what}`, would: `Would list ${what}` },
    result: {
      files: kept,
      ...{ total: found.total, total_bytes: found.totalBytes ?? bytes, truncated: cut },
      ...skippedWords(found),
      ...(found.typesBy === undefined || found.typesBy === 'none'
        ? {}
        : { types_by: found.typesBy }),
    },
    files: kept.length,
    bytes,
  };
}

function wordsFor(look: FileLook, count: number): string {
  const kind = kindOf(look);
  if (kind === 'any') return countWords(count, 'file or folder', 'files and folders');
  return countWords(count, kind);
}

/** What could not be looked at is said, and stops nothing. */
export function skippedWords({
  skipped,
  skippedTotal,
  deniedTotal = 0,
}: Pick<Listed, 'skipped' | 'skippedTotal' | 'deniedTotal'>) {
  return { skipped, skipped_total: skippedTotal, denied_total: deniedTotal };
}

async function listDuplicates(look: FileLook, wanted: LookRequest): Promise<LookOutcome> {
  const { deps, caller } = look;
  const { sort: _, ...request } = wanted;
  const found = await deps.looking.duplicates(
    { ...request, recursive: look.request.options?.recursive ?? true },
    caller.signal,
  );
  const all = found.groups.map(({ sha256, sizeBytes, files }) => ({
    ...{ sha256, size: sizeWords(sizeBytes), size_bytes: sizeBytes },
    files: files.map((file) => describedFile(deps.zone, file)),
  }));
  const { kept, isCut } = fitting(all, deps.limits.answerBytes);
  const files = found.groups.reduce((sum, group) => sum + group.files.length, 0);
  const what = `${countWords(found.totalGroups, 'group')} of files that are the same, which waste ${sizeWords(found.wastedBytes)}`;
  return {
    ...{ words: `Found ${what}`, would: `Would list ${what}` },
    result: {
      duplicates: kept,
      ...{ total: found.totalGroups, wasted_bytes: found.wastedBytes },
      truncated: found.truncated || isCut,
      ...skippedWords(found),
    },
    ...{ files, bytes: found.wastedBytes },
  };
}
