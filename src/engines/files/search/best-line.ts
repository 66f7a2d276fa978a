/** Of the lines that fit, the one that is shown. */
import type { Matcher } from '../../../files/search/matcher.ts';
import type { SearchHit } from '../../../kernel/files/look.ts';
import type { FittingLine } from './rg-output.ts';

const mostShown = 200;
const shownBefore = 60;

/** Of a longer line only what is around the first stretch that fits is kept. */
const mostKept = 4096;

/** The first of those with the most words in them. */
export function bestLine(matcher: Matcher, lines: readonly FittingLine[]): FittingLine | undefined {
  const line = fullestLine(matcher, lines);
  return line && cut(line);
}

// A copy: a part of a buffer would keep the whole text in memory.
function cut({ bytes, offset, ...line }: FittingLine): FittingLine {
  const [first = ''] = line.found;
  const start = bytes.length > mostKept ? Math.max(0, bytes.indexOf(first) - mostShown) : 0;
  const kept = Buffer.from(bytes.subarray(start, start + mostKept));
  return { ...line, offset: offset + start, bytes: kept, found: [first] };
}

function fullestLine(matcher: Matcher, lines: readonly FittingLine[]): FittingLine | undefined {
  const [first] = lines;
  if (lines.length < 2) return first;
  let [best, mostWords] = [first, 0];
  for (const line of lines) {
    const words = matcher.countsOf(line.found).filter((count) => count > 0).length;
    if (words > mostWords) [best, mostWords] = [line, words];
  }
  return best;
}

/** Cut around what fits. */
export function shownLine({ number, bytes, found }: FittingLine): NonNullable<SearchHit['line']> {
  const text = bytes.toString().replace(/\r?\n$/, '');
  const whole = text.trim();
  if (whole.length <= mostShown) return { number, text: whole };
  const start = Math.max(0, text.indexOf(found[0] ?? '') - shownBefore);
  // A character that was cut in two is shown as one that is broken.
  return { number, text: text.slice(start, start + mostShown).toWellFormed() };
}
