/** Lines of a text that fit, as ripgrep tells them. */
import type { FittingLine } from './rg-output.ts';

const linesOfFile = 50;
const longestLine = 1024 * 1024;
const lineEnd = 10;

export function scanLines(text: Buffer, script: RegExp): FittingLine[] {
  // One look at the whole is cheaper than one at each line; most files do not fit at all.
  if (!mayFit(text, script)) return [];
  const lines: FittingLine[] = [];
  let number = 1;
  for (let offset = 0; offset < text.length && lines.length < linesOfFile; number++) {
    const end = text.indexOf(lineEnd, offset);
    const next = end === -1 ? text.length : end + 1;
    const found = next - offset > longestLine ? [] : stretchesIn(text, offset, next, script);
    if (found.length > 0) {
      lines.push({ number, offset, bytes: text.subarray(offset, next), found });
    }
    offset = next;
  }
  return lines;
}

// A `$` or a `^` means an end of a line here too.
function mayFit(text: Buffer, script: RegExp): boolean {
  return new RegExp(script.source, script.flags.replace('g', 'm')).test(text.toString());
}

function stretchesIn(text: Buffer, start: number, end: number, script: RegExp): string[] {
  const line = text.toString('utf8', start, end).replace(/\n$/, '');
  return [...line.matchAll(script)].map(([found]) => found).filter((found) => found !== '');
}
