/**
 * Follows the forms of a tree through a text, from one place on.
 *
 * W1. Where characters can be read in several ways, all of them are followed at once.
 * W2. From the same place, so far into the same form, it is not followed a second time: whatever
 *     would be found there was found from an earlier beginning, and covers this one.
 */
import type { Writing } from './secret-forms.ts';
import { isLead, readings, type SpelledCharacter, unfinished } from './spelling.ts';

/** What is gone through, from its first place to its last. */
export interface FollowedText {
  readonly text: string;
  readonly hasEnded: boolean;
  /** W2 */
  readonly been: Map<Branch, Set<number>>;
  kept: number;
  readonly read: { readonly at: number; readonly readings: readonly SpelledCharacter[] }[];
  /** How many characters were held against forms. */
  steps: number;
}

interface Forms {
  readonly writing: Writing;
  readonly tree: Branch;
}

export type FormFinding =
  | { readonly kind: 'none' }
  /** The text ends before it can be told. */
  | { readonly kind: 'may-follow' }
  | { readonly kind: 'found'; readonly end: number; readonly name: string };

const none: FormFinding = { kind: 'none' };

/** The longest form that begins at this place. */
export function longestForm(
  source: FollowedText,
  { writing, tree }: Forms,
  start: number,
): FormFinding {
  const way: Way = { source, writing, depth: 0, longest: none };
  let places: readonly Place[] = [{ branch: tree, at: start }];
  while (places.length > 0) {
    const [place] = places;
    if (places.length === 1 && place !== undefined) places = goStraight(way, place);
    const next: Place[] = [];
    for (const one of places) {
      const isCut = !readOn(way, one, next);
      if (isCut && !source.hasEnded) return { kind: 'may-follow' };
    }
    way.depth++;
    for (const { branch, at } of next) arrive(way, branch, at);
    places = next;
  }
  return way.longest;
}

/** From one beginning. */
interface Way {
  readonly source: FollowedText;
  readonly writing: Writing;
  depth: number;
  longest: FormFinding;
}

/** How far into which forms the text was followed to which place. */
interface Place {
  readonly branch: Branch;
  readonly at: number;
}

/** As long as each character stands for itself, which is nearly always. */
function goStraight(way: Way, place: Place): readonly Place[] {
  const { source, writing } = way;
  let { branch, at } = place;
  while (hasMore(branch, way.depth)) {
    const code = source.text.charCodeAt(at);
    const isPlain = at < source.text.length && !isLead(code);
    if (!isPlain || (way.depth > 0 && writing.gaps.has(code))) return [{ branch, at }];
    source.steps++;
    const next = goOn(branch, way.depth, writing.takenFor[code] ?? unfinished);
    if (next === undefined) return [];
    branch = next;
    at++;
    way.depth++;
    arrive(way, branch, at);
  }
  return [];
}

function arrive(way: Way, branch: Branch, at: number): void {
  const name = nameAt(branch, way.depth);
  if (name === undefined) return;
  if (way.longest.kind === 'found' && way.longest.end >= at) return;
  way.longest = { kind: 'found', end: at, name };
}

/** W1. Adds what one more character leads to; false when the text ends before it can be told. */
function readOn({ source, writing, depth }: Way, place: Place, next: Place[]): boolean {
  if (!hasMore(place.branch, depth)) return true;
  let isWhole = true;
  for (const start of depth === 0 ? [place.at] : beyondGaps(source, writing, place.at)) {
    for (const { code, end } of readingsAt(source, start)) {
      source.steps++;
      if (code === unfinished) isWhole = false;
      const branch = goOn(place.branch, depth, writing.takenFor[code] ?? unfinished);
      if (branch === undefined || !isFirst(source, branch, depth + 1, end)) continue;
      next.push({ branch, at: end });
    }
  }
  return isWhole;
}

// No form is that long.
const depths = 2 ** 17;
// To keep the first few costs more than to go them again.
const firstKept = 4;
// To forget them costs time only.
const mostKept = 100_000;

// W2
function isFirst(source: FollowedText, branch: Branch, depth: number, at: number): boolean {
  if (depth < firstKept) return true;
  const key = at * depths + depth;
  if (source.been.get(branch)?.has(key) === true) return false;
  if (++source.kept > mostKept) {
    source.been.clear();
    source.kept = 0;
  }
  const places = source.been.get(branch);
  if (places === undefined) source.been.set(branch, new Set([key]));
  else places.add(key);
  return true;
}

// A carriage return and a line feed.
const mostGaps = 2;

function beyondGaps(source: FollowedText, { gaps }: Writing, at: number): Iterable<number> {
  const code = source.text.charCodeAt(at);
  if (gaps.size === 0 || (!isLead(code) && !gaps.has(code))) return [at];
  const all = new Set([at]);
  let last: Iterable<number> = [at];
  for (let count = 0; count < mostGaps; count++) {
    const next = new Set<number>();
    for (const place of last) {
      for (const { code, end } of readingsAt(source, place)) if (gaps.has(code)) next.add(end);
    }
    for (const place of next) all.add(place);
    last = next;
  }
  return all;
}

const slots = 64;

/** Many forms come by the same place, one soon after the other. */
export function readingsAt({ text, read }: FollowedText, at: number): readonly SpelledCharacter[] {
  const slot = at % slots;
  const known = read[slot];
  if (known?.at === at) return known.readings;
  const fresh = { at, readings: readings(text, at) };
  read[slot] = fresh;
  return fresh.readings;
}

/**
 * Many forms as one tree: what begins alike is gone along once. A branch goes as far as
 * its forms are the same, so that a long form costs no more than its bytes.
 */

export interface Branch {
  /** Of a whole form that goes this way, from its beginning. */
  readonly codes: Uint8Array;
  /** How many of them are this branch and what leads to it. */
  end: number;
  /** Of the secret with a form that ends here. */
  name: string | undefined;
  /** By the code that follows. */
  next: Map<number, Branch>;
}

interface Row {
  readonly name: string;
  readonly codes: Uint8Array;
}

export function emptyTree(): Branch {
  return { codes: new Uint8Array(), end: 0, name: undefined, next: new Map() };
}

/** Of two that are the same, the first one is named. */
export function addToTree(tree: Branch, { name, codes }: Row): void {
  let branch = tree;
  for (let depth = 0; ; depth++) {
    const code = codes[depth];
    const theirs = depth < branch.end ? branch.codes[depth] : undefined;
    if (theirs !== undefined && theirs === code) continue;
    if (theirs !== undefined) split(branch, depth, theirs);
    if (code === undefined) {
      branch.name ??= name;
      return;
    }
    const next = branch.next.get(code);
    if (next === undefined) {
      branch.next.set(code, { codes, end: codes.length, name, next: new Map() });
      return;
    }
    branch = next;
  }
}

function split(branch: Branch, depth: number, code: number): void {
  const { codes, end, name, next } = branch;
  branch.end = depth;
  branch.name = undefined;
  branch.next = new Map([[code, { codes, end, name, next }]]);
}

/** The branch after one more character; undefined when no form goes on like that. */
function goOn(branch: Branch, depth: number, code: number): Branch | undefined {
  if (depth === branch.end) return branch.next.get(code);
  return branch.codes[depth] === code ? branch : undefined;
}

/** Of a secret of which a form ends here. */
function nameAt({ end, name }: Branch, depth: number): string | undefined {
  return depth === end ? name : undefined;
}

function hasMore({ end, next }: Branch, depth: number): boolean {
  return depth < end || next.size > 0;
}
