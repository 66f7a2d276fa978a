/** The stretch of a text that has most of what was asked for. */
import type { QueryUnit } from './query.ts';
import { folded, formsOf, wordsOf } from './words.ts';

const mostCharacters = 200;
/** Behind this nothing is looked for: a snippet need not be the very best. */
export const mostLookedAt = 100_000;
/** So much before the first word that fits is shown, so that it can be understood. */
const lead = 40;

export function snippetOf(text: string, units: readonly QueryUnit[]): string {
  const line = text.slice(0, mostLookedAt).replace(/\s+/g, ' ').trim();
  if (line.length <= mostCharacters && text.length <= mostLookedAt) return line;
  const begin = Math.max(0, bestBegin(line, units) - lead);
  return cut(line, begin === 0 ? 0 : line.indexOf(' ', begin) + 1 || begin);
}

interface Fit {
  readonly at: number;
  readonly unit: number;
}

/** Where the most different units follow within the length of a snippet. */
function bestBegin(line: string, units: readonly QueryUnit[]): number {
  const fits = fitsIn(line, units);
  let best = { begin: 0, count: 0 };
  for (const [index, { at }] of fits.entries()) {
    const reach = at + mostCharacters - 2 * lead;
    const within = new Set<number>();
    for (let next = index; next < fits.length; next++) {
      const fit = fits[next];
      if (fit === undefined || fit.at > reach) break;
      within.add(fit.unit);
    }
    if (within.size > best.count) best = { begin: at, count: within.size };
    if (best.count === units.length) break;
  }
  return best.begin;
}

function fitsIn(line: string, units: readonly QueryUnit[]): readonly Fit[] {
  const stems = units.flatMap((unit, index) =>
    (unit.kind === 'phrase' ? unit.words : formsOf(unit.word)).map((word) => ({
      stem: stemOf(word),
      unit: index,
    })),
  );
  const fits: Fit[] = [];
  let at = 0;
  for (const word of wordsOf(line)) {
    at = line.indexOf(word, at);
    const fold = folded(word);
    const found = stems.find(({ stem }) => fold.startsWith(stem));
    if (found !== undefined) fits.push({ at, unit: found.unit });
    at += word.length;
  }
  return fits;
}

/** What is left of a word without a usual end: enough to find it by. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ations?|ings?|ed|es|s|e|y|ies|ied)$/, '');
  return stem.length >= 3 ? stem : word;
}

function cut(line: string, begin: number): string {
  const start = begin > 0 ? '…' : '';
  const room = mostCharacters - start.length;
  if (line.length - begin <= room) return start + whole(line.slice(begin));
  const end = begin + room - 1;
  const space = line.lastIndexOf(' ', end);
  return `${start}${whole(line.slice(begin, space > begin + room / 2 ? space : end))}…`;
}

/** Without half of a character at either end. */
function whole(stretch: string): string {
  return stretch.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
