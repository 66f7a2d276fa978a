/** The files that were most likely meant, the likeliest first. */
import { AosError } from '../../kernel/errors.ts';
import type { SearchHit, SearchRequest, SearchResult } from '../../kernel/files/look.ts';
import { countWords } from '../../kernel/files/words.ts';
import { whenWords } from '../../kernel/language/span-words.ts';
import { quote } from '../../kernel/text/quote.ts';
import { lookRequest, nearness, searchRequest } from '../look-request.ts';
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
  const { found, outside } = await inTime(deps, asked, caller.signal);
  const all = found.hits.map(({ file, score, why, line }) => ({
    ...describedFile(deps.zone, file, { technical: request.options?.technical }),
    ...{ score: Math.round(score * 1000) / 1000, why },
    ...(line === undefined ? {} : { line }),
  }));
  const { kept, isCut } = fitting(all, deps.limits.answerBytes);
  const bytes = found.hits.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  const of = `for ${quote(request.query ?? '')}`;
  const what =
    outside === undefined
      ? `${countWords(found.total, 'file')} ${of}`
      : `nothing ${of} changed ${outside}. Outside of that time, the nearest first: ${countWords(found.total, 'file')}`;
  return {
    ...{ words: `Found ${what}`, would: `Would list ${what}` },
    result: {
      files: kept,
      ...{ total: found.total, truncated: found.truncated || isCut, searched_by: found.by },
      ...(outside === undefined ? {} : { outside_time: true }),
      ...(found.mayMissEdits === true ? { note: indexNote } : {}),
      ...skippedWords(found),
    },
    ...{ files: kept.length, bytes },
  };
}

interface FoundInTime {
  readonly found: SearchResult;
  /** In words, the time in which nothing was found; undefined where something was. */
  readonly outside?: string;
}

/** A time that was asked for rules out the rest, unless nothing is left: people remember it roughly. */
async function inTime(
  { searching, zone, clock }: FileLook['deps'],
  { likelier, ...asked }: SearchRequest,
  signal: AbortSignal,
): Promise<FoundInTime> {
  if (likelier === undefined) return { found: await searching.search(asked, signal) };
  const { after, before } = likelier;
  const filters = { ...asked.filters, modifiedAfter: after, modifiedBefore: before };
  const found = await searching.search({ ...asked, filters }, signal);
  if (found.total > 0) return { found };
  const anytime = await searching.search(asked, signal);
  if (anytime.total === 0) return { found };
  const today = { now: clock.now(), zone };
  const span = {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
  return {
    found: { ...anytime, hits: nearestFirst(anytime.hits, span) },
    outside: whenWords(span, today),
  };
}

/** What fits the words about as well as the best, by how far it is from that time; then the rest. */
function nearestFirst(
  hits: readonly SearchHit[],
  { after = -Infinity, before = Infinity }: { readonly after?: number; readonly before?: number },
): readonly SearchHit[] {
  const [best] = hits;
  // All that was found may have gone meanwhile.
  if (best === undefined) return hits;
  const least = best.score * nearness;
  const distance = ({ file: { modifiedAt } }: SearchHit) =>
    modifiedAt < after ? after - modifiedAt : modifiedAt - before;
  const near = hits.filter(({ score }) => score >= least);
  return [
    ...near.toSorted((one, other) => distance(one) - distance(other)),
    ...hits.filter(({ score }) => score < least),
  ];
}
