/** The files that were most likely meant, the likeliest first. */
import { AosError } from '../../kernel/errors.ts';
import { countWords } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { lookRequest, searchRequest } from '../look-request.ts';
import { skippedWords } from './list-files.ts';
import {
  describedFile,
  type FileLook,
  fitting,
  type LookOutcome,
  lookPlace,
  onlyListed,
} from './look.ts';

const usualHits = 50;
const indexNote =
  'By an index of very many texts: words that were added to a file in place since may be missing. To bring it up to date: aos files index PATH';

export async function searchFiles(look: FileLook): Promise<LookOutcome> {
  const { deps, caller, request } = look;
  if (request.filters?.duplicates === true) throw onlyListed();
  const at = await lookPlace(look);
  if (at.kind === 'one') {
    await at.place[Symbol.asyncDispose]();
    throw new AosError('files.not-a-folder', {
      message: 'Only a folder can be searched, and that is a file',
      fix: 'Name the folder that it is in',
    });
  }
  await using folder = at.folder;
  const wanted = await lookRequest(deps, caller, request, {
    ...{ folder, glob: at.glob, power: 'read', recursive: true },
    kind: request.filters?.kind ?? 'file',
    limit: request.options?.limit ?? usualHits,
  });
  const asked = searchRequest(deps, request, wanted);
  const found = await deps.searching.search(asked, caller.signal);
  const all = found.hits.map(({ file, score, why, line }) => ({
    ...describedFile(deps.zone, file, { technical: request.options?.technical }),
    ...{ score: Math.round(score * 1000) / 1000, why },
    ...(line === undefined ? {} : { line }),
  }));
  const { kept, isCut } = fitting(all, deps.limits.answerBytes);
  const bytes = found.hits.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  const what = `${countWords(found.total, 'file')} for ${quote(request.query ?? '')}`;
  return {
    ...{ words: `Found ${what}`, would: `Would list ${what}` },
    result: {
      files: kept,
      ...{ total: found.total, truncated: found.truncated || isCut, searched_by: found.by },
      ...(found.mayMissEdits === true ? { note: indexNote } : {}),
      ...skippedWords(found),
    },
    ...{ files: kept.length, bytes },
  };
}
