/**
 * Folders in a sentence. The known ones come first, then those that are there by name. A name that
 * is also a word (`Pictures`, `Work`) is a folder only where the sentence treats it as one.
 */
import type { NamedFolder, SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { distance } from '../../kernel/language/spelling.ts';
import { fold, type Token } from '../../kernel/language/tokens.ts';

/** A sentence, and a place in it, with the home that it speaks of. */
export type Said = Sentence<SentenceWorld>;
export type Place = Cursor<SentenceWorld>;

export interface FolderFound {
  /** As it stands in a request. */
  readonly path: string;
  /** `like`: another spelling; `part`: only some words of its name; `new`: there is none yet. */
  readonly how: 'exact' | 'part' | 'like' | 'new';
  /** Other folders that it could be too. */
  readonly others: readonly string[];
  /** The whole of what is there, with everything below. */
  readonly isEverywhere?: boolean;
  /** One of those that every home has. */
  readonly isKnown?: boolean;
  /** Behind an `and`: one of several, whether it lies in another of them or not. */
  readonly isListed?: boolean;
  /** The words by which it was named. */
  readonly said: string;
}

const determiners = phrases('my, the, our, your, that, this, a, an, entire, whole');
const folderNouns = wordSet('folder folders directory directories dir subfolder');
const nounPhrases = phrases([...folderNouns].join(','));
const here = phrases(`
this (folder|directory), [the|my] current (folder|directory), the (folder|directory) i am in
the folder we are in, folder i am in, the working directory, the same folder, here`);
const everywhere = phrases(`
home [folder|directory|dir], computer, machine, laptop, pc, mac, hard (drive|disk), disk, drive, system
everywhere, anywhere`);

export function isFolderNoun(word: string | undefined): boolean {
  return word !== undefined && folderNouns.has(word);
}

export function exactly(path: string, said: string): FolderFound {
  return { path, how: 'exact', others: [], said };
}

/** What is named here, after `in`, `from` or `to` or the like. */
export function folderAt(cursor: Place): FolderFound | undefined {
  const said = cursor.take(here);
  if (said !== undefined) return exactly(herePath(cursor.sentence.world), said);
  if (cursor.token?.kind === 'path' && cursor.token.text === '.') {
    cursor.at++;
    return exactly(herePath(cursor.sentence.world), 'here');
  }
  return cursor.first(everywhereAt, writtenAt, exactAt);
}

export function pathBelow(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

export function herePath(world: SentenceWorld): string {
  return belowHome(world.here, world);
}

/** `/home/mary/x` is `~/x`, and `./x` is below where it was said. */
export function belowHome(path: string, world: SentenceWorld): string {
  const { root } = world;
  if (path.startsWith('./')) return pathBelow(herePath(world), path.slice(2));
  if (path === root) return '~';
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) ? `~/${path.slice(prefix.length)}` : path;
}

function everywhereAt(cursor: Cursor): FolderFound | undefined {
  cursor.skip(determiners, 'root of', 'top level of');
  const said = cursor.take(everywhere);
  return said === undefined ? undefined : { ...exactly('~', said), isEverywhere: true };
}

/** A path, or a quoted name. */
function writtenAt(cursor: Place): FolderFound | undefined {
  skipToName(cursor);
  const { token } = cursor;
  if (token?.kind !== 'path' && token?.kind !== 'quoted') return undefined;
  if (token.kind === 'path' && /\.[A-Za-z0-9]{1,8}$|\*/.test(token.text)) return undefined;
  const spaced = cursor.try(spacedPath);
  if (spaced !== undefined) return exactly(spaced, spaced);
  cursor.at++;
  const text = token.kind === 'path' ? takeRestOfPath(cursor, token.text) : token.text;
  const hasNoun = cursor.take(nounPhrases) !== undefined;
  const found = knownPath(text, cursor.sentence.world);
  // The rest of its name: "~/Desktop/To do.md".
  const isThere = found !== undefined && folderWritten(found, cursor.sentence.world) !== undefined;
  if (token.kind === 'path' && !token.isEnd && !isThere && cursor.token?.kind === 'name')
    return undefined;
  if (token.kind === 'quoted' && found === undefined && !hasNoun) return undefined;
  const path = found ?? (/^(?:[~/]|\.\/)/.test(text) ? text : `~/${text}`);
  const how = found === undefined && token.kind === 'quoted' ? 'new' : 'exact';
  return { ...exactly(belowHome(withoutSlash(path), cursor.sentence.world), text), how };
}

function skipToName(cursor: Cursor): void {
  cursor.skip(determiners);
  cursor.take(nounPhrases);
  cursor.skip('called', 'named');
}

/** `~/Pictures/Holiday 2026`: the words behind it belong to it where that folder is there. */
function spacedPath(cursor: Place): string | undefined {
  const texts = cursor.sentence.tokens.slice(cursor.at, cursor.at + longestName);
  for (let length = texts.length; length > 1; length--) {
    const found = folderWritten(textOf(texts.slice(0, length)), cursor.sentence.world);
    if (found === undefined) continue;
    cursor.at += length;
    return found.path;
  }
  return undefined;
}

/** As it was written. */
export function textOf(tokens: readonly Pick<Token, 'text'>[]): string {
  return tokens.map(({ text }) => text).join(' ');
}

/** `Archive/Old Photos`: words in capitals right behind a path are the rest of its name. */
function takeRestOfPath(cursor: Cursor, path: string): string {
  let whole = path;
  for (let { token } = cursor; token !== undefined; { token } = cursor) {
    const isEnded = cursor.sentence.isEnd(cursor.at - 1);
    const isPart = token.kind === 'word' && /^(?:\p{Lu}|\d+$)/u.test(token.text);
    if (isEnded || !isPart || whole.endsWith('/') || isFolderNoun(token.fold)) break;
    whole = `${whole} ${token.text}`;
    cursor.at++;
  }
  return whole;
}

/** Exactly this one is there; `Pictures/Holiday 2026` is below the root. */
function folderWritten(path: string, world: SentenceWorld): NamedFolder | undefined {
  const wanted = [fold(path), fold(`~/${path}`)];
  return world.folders.find((folder) => wanted.includes(fold(folder.path)));
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** `Documents/Work` is that of the known folder. */
export function knownPath(written: string, world: SentenceWorld): string | undefined {
  const wanted = fold(withoutSlash(written));
  const [first = '', ...rest] = wanted.split('/');
  const base = foldersNamed(world, first)[0];
  if (rest.length > 0 && base !== undefined) {
    return `${base.path}${withoutSlash(written).slice(written.indexOf('/'))}`;
  }
  const named = world.folders.find(({ path, names }) =>
    [path, ...names].some((name) => fold(name) === wanted),
  );
  return named?.path;
}

function foldersNamed({ folders }: SentenceWorld, name: string): NamedFolder[] {
  return folders.filter(({ names }) => names.some((each) => fold(each) === name));
}

const longestName = 6;

/** The longest name that is there, with its words in this order. */
function exactAt(cursor: Place): FolderFound | undefined {
  skipToName(cursor);
  for (let length = longestName; length > 0; length--) {
    const words = wordsFrom(cursor, length);
    const [first, ...others] =
      words === undefined ? [] : foldersNamed(cursor.sentence.world, words);
    if (first === undefined || words === undefined) continue;
    cursor.at += length;
    cursor.take(nounPhrases, 'project');
    return {
      ...exactly(first.path, words),
      others: first.isKnown ? [] : others.map(({ path }) => path),
      isKnown: first.isKnown,
    };
  }
  return undefined;
}

function wordsFrom({ sentence, at }: Cursor, length: number): string | undefined {
  const tokens = sentence.tokens.slice(at, at + length);
  const isFree = tokens.every(
    ({ kind }, index) => (kind === 'word' || kind === 'name') && sentence.isFree(at + index),
  );
  return isFree && tokens.length === length
    ? tokens.map(({ fold: word }) => word).join(' ')
    : undefined;
}

const vague = wordSet(
  'my the our last year summer folder directory trip stuff things files photos pictures vacation',
);

/** A folder of which the sentence says only a part of the name: `my holiday trip`. */
export function partlyNamed(
  words: readonly string[],
  world: SentenceWorld,
): FolderFound | undefined {
  const telling = words.filter((word) => !vague.has(word));
  if (telling.length === 0) return undefined;
  return oneOf(world, { how: 'part', said: words.join(' ') }, (name) => {
    const parts = name.split(/[\s_-]+/);
    return parts.length > 1 && telling.every((word) => parts.includes(word));
  });
}

/** One letter too many, too few or wrong; two in long names. */
export function misspelt(word: string, world: SentenceWorld): FolderFound | undefined {
  if (word.length < 5) return undefined;
  return oneOf(world, { how: 'like', said: word }, (name) => {
    const most = Math.min(name.length, word.length) >= 8 ? 2 : 1;
    return name.length >= 5 && distance(name, word) <= most;
  });
}

function oneOf(
  { folders }: SentenceWorld,
  found: Pick<FolderFound, 'how' | 'said'>,
  fits: (name: string) => boolean,
): FolderFound | undefined {
  const fitting = folders.filter(({ names }) => names.some((name) => fits(fold(name))));
  // A folder that every home has is there by its own name, too.
  const [first, ...others] = new Set(fitting.map(({ path }) => path));
  return first === undefined ? undefined : { ...found, path: first, others };
}

const stops = wordSet(`
and that which in on from to older newer if but except for by with inside under please where when then
into or as of saying containing are is was i taking without using take right now`);

/** Free words up to the next turn of the sentence. */
export function phraseAt({ sentence, at: start }: Cursor): Token[] {
  const words: Token[] = [];
  for (let at = start; at < start + longestName; at++) {
    const token = sentence.tokens[at];
    if (token === undefined || !sentence.isFree(at)) break;
    const isPlain = token.kind === 'word' || token.kind === 'name';
    if (!isPlain || stops.has(token.fold)) break;
    words.push(token);
    if (token.isEnd) break;
  }
  return words;
}
