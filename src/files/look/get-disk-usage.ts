/** How much room something takes: as it says itself, and on the disk. */
import { countWords, sizeWords } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { hasFilters, lookRequest } from '../look-request.ts';
import { shownPath } from '../paths.ts';
import type { Look, Seen } from './deps.ts';
import { skippedWords } from './list-files.ts';
import { lookPlace } from './look-place.ts';
import { onlyListed } from './only-listed.ts';

export async function getDiskUsage(look: Look): Promise<Seen> {
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
