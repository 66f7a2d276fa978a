/**
 * Patterns of paths: `*`, `?`, `[a-z]`, `{a,b}` and `**`.
 *
 * G1. No pattern takes long: what braces stand for is counted before it is written out, and a
 *     name is compared without ever going back further than to the last star.
 * G2. Compared are composed characters (NFC), so that a name is found however its accents are
 *     stored. Capital letters count, but not in what comes after the last dot.
 * G3. A name that begins with a dot fits only where the pattern begins with one too, or where
 *     hidden names were asked for.
 * G4. There is no sign that takes the meaning from another: `[*]` is a star.
 */
import { AosError } from '../errors.ts';
import { must } from '../must.ts';
import { quote } from '../text/quote.ts';
import { type NameTest, namePattern } from './glob-name.ts';

export interface PathPattern {
  /** What stands before the pattern, as it was written: `~/Downloads`, `/`, or nothing. */
  readonly folder: string;
  /** The pattern below it, in parts; none where the path is an ordinary one. */
  readonly glob: readonly string[];
}

const longestPattern = 1000;
const mostAlternatives = 1000;
const mostAnyFolders = 10;

/**
 * `~/a/*.pdf` is `*.pdf` below `~/a`. Of a pattern it throws `files.outside-root` at a part `..`,
 * and `files.too-complex`; parts of it that are `.` or empty are dropped.
 */
export function parsePathPattern(text: string): PathPattern {
  // What an ordinary path may have in it, its reader says.
  if (!isPattern(text)) return { folder: text, glob: [] };
  checkLimits(text);
  const parts = plainParts(splitOutsideBraces(text));
  const first = parts.findIndex(isPattern);
  const folder = joined(text, parts.slice(0, first));
  const glob = parts.slice(first);
  for (const each of alternativesOf(glob)) plainParts(each.split('/'));
  return { folder, glob };
}

/** Whether a path or a name has signs of a pattern in it. */
export function isPattern(text: string): boolean {
  return /[*?[{]/.test(text);
}

function joined(text: string, parts: readonly string[]): string {
  return `${text.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

function plainParts(parts: readonly string[]): readonly string[] {
  if (parts.includes('..')) {
    throw new AosError('files.outside-root', {
      message: 'A path with a part ".." leads out of the folder that it begins with',
      fix: 'Write the path that it leads to',
    });
  }
  return parts.filter((part) => part !== '' && part !== '.');
}

function checkLimits(text: string): void {
  if (text.length > longestPattern) {
    throw tooComplex(text, `it has more than ${longestPattern} characters`);
  }
  const anyFolders = text.match(/\*\*+/g)?.length ?? 0;
  if (anyFolders > mostAnyFolders) {
    throw tooComplex(text, `it has more than ${mostAnyFolders} times "**"`);
  }
}

function alternativesOf(glob: readonly string[]): readonly string[] {
  const text = glob.join('/');
  checkLimits(text);
  const alternatives = expandBraces(text, mostAlternatives);
  if (alternatives !== undefined) return alternatives;
  throw tooComplex(text, `its braces stand for more than ${mostAlternatives} patterns`);
}

const shownCharacters = 60;

function tooComplex(text: string, why: string): AosError {
  const shown =
    text.length > shownCharacters ? `${quote(text.slice(0, shownCharacters))}…` : quote(text);
  return new AosError('files.too-complex', {
    message: `The pattern ${shown} is too complex: ${why}`,
    fix: 'Use a simpler pattern, or several',
  });
}

/** A place in a pattern, of which those before it have been fulfilled. */
type PatternStep =
  | { readonly kind: 'name'; readonly test: NameTest; readonly next: PatternStep }
  /** Any number of folders. */
  | { readonly kind: 'any-folders'; readonly next: PatternStep }
  | { readonly kind: 'end' };

/** Where the ways into a folder stand in the pattern. */
export type GlobState = readonly PatternStep[];

export interface Glob {
  /** In the folder that the pattern begins below. */
  readonly start: GlobState;
  /** In the folder of that name; without steps where nothing below can fit. */
  into(state: GlobState, name: string): GlobState;
  /** Whether what has that name here is meant by the pattern. */
  fits(state: GlobState, name: string): boolean;
}

export interface GlobOptions {
  readonly hidden: boolean;
}

/** Throws `files.too-complex` and `files.outside-root`. */
export function compileGlob(glob: readonly string[], { hidden }: GlobOptions): Glob {
  const testOf = keptTests();
  const start = new Set<PatternStep>();
  for (const alternative of alternativesOf(glob)) {
    addReached(start, chain(plainParts(alternative.split('/')), testOf));
  }
  return globFrom([...start], { hidden });
}

/** Of one path, in which no sign is a pattern's. */
export function exactPath(parts: readonly string[]): Glob {
  let step: PatternStep = { kind: 'end' };
  for (const part of parts.toReversed()) {
    const test = { isHidden: part.startsWith('.'), fits: (name: string) => name === part };
    step = { kind: 'name', test, next: step };
  }
  return globFrom([step], { hidden: true });
}

function globFrom(start: GlobState, { hidden }: GlobOptions): Glob {
  const maySee = (name: string) => hidden || !name.startsWith('.');
  return {
    start,
    into(state, name) {
      const reached = new Set<PatternStep>();
      for (const step of state) {
        if (step.kind === 'any-folders' && maySee(name)) addReached(reached, step);
        if (step.kind === 'name' && fitsHere(step.test, name, hidden))
          addReached(reached, step.next);
      }
      return [...reached].filter(({ kind }) => kind !== 'end');
    },
    fits: (state, name) =>
      state.some(
        (step) =>
          step.kind === 'name' && step.next.kind === 'end' && fitsHere(step.test, name, hidden),
      ),
  };
}

function chain(parts: readonly string[], testOf: (part: string) => NameTest): PatternStep {
  // What is meant by two stars at the end is what lies there.
  const whole = parts.at(-1) === '**' ? [...parts, '*'] : parts;
  let step: PatternStep = { kind: 'end' };
  for (const part of whole.toReversed()) {
    if (part === '**') step = { kind: 'any-folders', next: step };
    else step = { kind: 'name', test: testOf(part), next: step };
  }
  return step;
}

/** One for all alternatives that have the part. */
function keptTests(): (part: string) => NameTest {
  const tests = new Map<string, NameTest>();
  return (part) => {
    const test = tests.get(part) ?? namePattern(part);
    tests.set(part, test);
    return test;
  };
}

function addReached(reached: Set<PatternStep>, step: PatternStep): void {
  let at = step;
  while (at.kind === 'any-folders') {
    reached.add(at);
    at = at.next;
  }
  reached.add(at);
}

/** G3 */
function fitsHere(test: NameTest, name: string, hidden: boolean): boolean {
  return (hidden || test.isHidden || !name.startsWith('.')) && test.fits(name);
}

/** Braces in patterns: `{a,b}c` stands for `ac` and `bc`. Without a comma they are only signs. */

type GlobPiece = string | Braces;

/** One of these is written in its place. */
interface Braces {
  readonly alternatives: readonly (readonly GlobPiece[])[];
}

/** Every text that is meant; undefined where there are more than `most`. */
function expandBraces(text: string, most: number): readonly string[] | undefined {
  const pieces = parse(text);
  return countOf(pieces, most) > most ? undefined : written(pieces);
}

/** At slashes, but not at those in braces. */
function splitOutsideBraces(text: string): readonly string[] {
  const parts = [''];
  for (const piece of parse(text)) {
    const source = typeof piece === 'string' ? piece : sourceOf(piece);
    const [first = '', ...more] = typeof piece === 'string' ? source.split('/') : [source];
    parts.push(must(parts.pop(), 'the part before') + first, ...more);
  }
  return parts;
}

function sourceOf({ alternatives }: Braces): string {
  const texts = alternatives.map((pieces) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : sourceOf(piece))).join(''),
  );
  return `{${texts.join(',')}}`;
}

function parse(text: string): readonly GlobPiece[] {
  const reading = { text, place: 0, closing: closingBraces(text) };
  const pieces: GlobPiece[] = [];
  while (reading.place < text.length) pieces.push(parsePiece(reading));
  return pieces;
}

interface BraceReading {
  readonly text: string;
  place: number;
  /** Where braces with a comma begin, and where they end. */
  readonly closing: ReadonlyMap<number, number>;
}

function parsePiece(reading: BraceReading): GlobPiece {
  const end = reading.closing.get(reading.place);
  if (end === undefined) {
    const start = reading.place;
    reading.place += lengthAt(reading.text, start);
    return reading.text.slice(start, reading.place);
  }
  const alternatives: GlobPiece[][] = [[]];
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
function countOf(pieces: readonly GlobPiece[], most: number): number {
  let count = 1;
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    const inside = piece.alternatives.map((each) => countOf(each, most));
    count = Math.min(most + 1, count * inside.reduce((sum, each) => sum + each, 0));
  }
  return count;
}

function written(pieces: readonly GlobPiece[]): readonly string[] {
  let texts: readonly string[] = [''];
  for (const piece of pieces) {
    const ends = typeof piece === 'string' ? [piece] : piece.alternatives.flatMap(written);
    texts = texts.flatMap((text) => ends.map((end) => text + end));
  }
  return texts;
}
