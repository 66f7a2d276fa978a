/** Braces in patterns: `{a,b}c` stands for `ac` and `bc`. Without a comma they are only signs. */

type Piece = string | Braces;

/** One of these is written in its place. */
interface Braces {
  readonly alternatives: readonly (readonly Piece[])[];
}

/** Every text that is meant; undefined where there are more than `most`. */
export function expandBraces(text: string, most: number): readonly string[] | undefined {
  const pieces = parse(text);
  return countOf(pieces, most) > most ? undefined : written(pieces);
}

/** At slashes, but not at those in braces. */
export function splitOutsideBraces(text: string): readonly string[] {
  const parts = [''];
  for (const piece of parse(text)) {
    const source = typeof piece === 'string' ? piece : sourceOf(piece);
    const [first = '', ...more] = typeof piece === 'string' ? source.split('/') : [source];
    parts.push((parts.pop() ?? '') + first, ...more);
  }
  return parts;
}

function sourceOf({ alternatives }: Braces): string {
  const texts = alternatives.map((pieces) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : sourceOf(piece))).join(''),
  );
  return `{${texts.join(',')}}`;
}

function parse(text: string): readonly Piece[] {
  const reading = { text, place: 0, closing: closingBraces(text) };
  const pieces: Piece[] = [];
  while (reading.place < text.length) pieces.push(parsePiece(reading));
  return pieces;
}

interface Reading {
  readonly text: string;
  place: number;
  /** Where braces with a comma begin, and where they end. */
  readonly closing: ReadonlyMap<number, number>;
}

function parsePiece(reading: Reading): Piece {
  const end = reading.closing.get(reading.place);
  if (end === undefined) {
    const start = reading.place;
    reading.place += lengthAt(reading.text, start);
    return reading.text.slice(start, reading.place);
  }
  const alternatives: Piece[][] = [[]];
  for (reading.place++; reading.place < end; ) {
    const piece = parsePiece(reading);
    if (piece === ',') alternatives.push([]);
    else alternatives.at(-1)?.push(piece);
  }
  reading.place++;
  return { alternatives };
}

function closingBraces(text: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: { start: number; hasComma: boolean }[] = [];
  for (let place = 0; place < text.length; place += lengthAt(text, place)) {
    const sign = text[place];
    if (sign === '{') open.push({ start: place, hasComma: false });
    const inner = open.at(-1);
    if (sign === ',' && inner !== undefined) inner.hasComma = true;
    if (sign !== '}' || inner === undefined) continue;
    open.pop();
    if (inner.hasComma) closing.set(inner.start, place);
  }
  return closing;
}

// A set of characters is one piece, so that `[{]` opens nothing.
function lengthAt(text: string, place: number): number {
  if (text[place] !== '[') return 1;
  return /^\[[!^]?\]?[^\]/]*\]/.exec(text.slice(place))?.[0].length ?? 1;
}

/** No further than beyond `most`. */
function countOf(pieces: readonly Piece[], most: number): number {
  let count = 1;
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    const inside = piece.alternatives.map((each) => countOf(each, most));
    count = Math.min(most + 1, count * inside.reduce((sum, each) => sum + each, 0));
  }
  return count;
}

function written(pieces: readonly Piece[]): readonly string[] {
  let texts: readonly string[] = [''];
  for (const piece of pieces) {
    const ends = typeof piece === 'string' ? [piece] : piece.alternatives.flatMap(written);
    texts = texts.flatMap((text) => ends.map((end) => text + end));
  }
  return texts;
}
