/**
 * Folders in a sentence. The known ones come first, then those that are there by name. A name that
 * is also a word (`Pictures`, `Work`) is a folder only where the sentence treats it as one.
 */
import type { NamedFolder, SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor } from '../../kernel/language/cursor.ts';
import { distance } from '../../kernel/language/spelling.ts';
import { fold } from '../../kernel/language/tokens.ts';

export interface FolderFound {
  /** As it stands in a request. */
  readonly path: string;
  /** `like`: another spelling; `part`: only some words of its name; `new`: nobody knows it. */
  readonly how: 'exact' | 'part' | 'like' | 'new';
  /** Other folders that it could be too. */
  readonly others: readonly string[];
  /** The whole of what is there, with everything below. */
  readonly isEverywhere?: boolean;
  /** One of those that every home has. */
  readonly isKnown?: boolean;
  /** The words by which it was named. */
  readonly said: string;
}

const determiners = ['my', 'the', 'our', 'your', 'that', 'this', 'a', 'an', 'entire', 'whole'];
export const folderNouns = ['folder', 'folders', 'directory', 'directories', 'dir', 'subfolder'];

/** What is named here, after `in`, `from` or `to` or the like. */
export function folderAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  return (
    cursor.try((place) => hereAt(place, world)) ??
    cursor.try((place) => everywhereAt(place)) ??
    cursor.try((place) => writtenAt(place, world)) ??
    cursor.try((place) => exactAt(place, world))
  );
}

export function pathBelow(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

function hereAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const start = cursor.at;
  const said = cursor.take(
    ...['this folder', 'this directory', 'the current folder', 'the current directory'],
    ...['the folder i am in', 'the directory i am in', 'the folder we are in', 'folder i am in'],
    ...['my current folder', 'my current directory', 'the working directory'],
    ...['current folder', 'current directory', 'the same folder', 'here'],
  );
  if (said === undefined || cursor.at === start) return undefined;
  return { path: herePath(world), how: 'exact', others: [], said };
}

export function herePath(world: SentenceWorld): string {
  return belowHome(world.here, world);
}

/** `/home/mary/x` is `~/x`. */
export function belowHome(path: string, { root }: SentenceWorld): string {
  if (path === root) return '~';
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) ? `~/${path.slice(prefix.length)}` : path;
}

function everywhereAt(cursor: Cursor): FolderFound | undefined {
  cursor.skip(...determiners);
  cursor.skip('root of', 'top level of');
  cursor.skip(...determiners);
  const said = cursor.take(
    ...['home folder', 'home directory', 'home dir', 'computer', 'machine', 'laptop', 'pc', 'mac'],
    ...['hard drive', 'hard disk', 'disk', 'drive', 'system', 'everywhere', 'anywhere', 'home'],
  );
  if (said === undefined) return undefined;
  return { path: '~', how: 'exact', others: [], isEverywhere: true, said };
}

/** A path, or a quoted name. */
function writtenAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  cursor.skip(...determiners);
  cursor.take(...folderNouns);
  cursor.skip('called', 'named');
  const { token } = cursor;
  if (token?.kind !== 'path' && token?.kind !== 'quoted') return undefined;
  if (token.kind === 'path' && isFilePath(token.text)) return undefined;
  const spaced = cursor.try((place) => spacedPath(place, world));
  if (spaced !== undefined) return { path: spaced, how: 'exact', others: [], said: spaced };
  cursor.at++;
  const text = token.kind === 'path' ? takeRestOfPath(cursor, token.text) : token.text;
  const hasNoun = cursor.take(...folderNouns) !== undefined;
  const found = knownPath(text, world);
  // The rest of its name: "~/Desktop/To do.md".
  const isThere = found !== undefined && folderWritten(found, world) !== undefined;
  if (token.kind === 'path' && !token.isEnd && !isThere && cursor.token?.kind === 'name')
    return undefined;
  if (token.kind === 'quoted' && found === undefined && !hasNoun) return undefined;
  const path = found ?? (/^[~/]/.test(text) ? text : `~/${text}`);
  const how = found === undefined && token.kind === 'quoted' ? 'new' : 'exact';
  return { path: belowHome(withoutSlash(path), world), how, others: [], said: text };
}

/** `~/Pictures/Holiday 2026`: the words behind it belong to it where that folder is there. */
function spacedPath(cursor: Cursor, world: SentenceWorld): string | undefined {
  const texts = cursor.sentence.tokens.slice(cursor.at, cursor.at + longestName);
  for (let length = texts.length; length > 1; length--) {
    const path = texts
      .slice(0, length)
      .map(({ text }) => text)
      .join(' ');
    const found = folderWritten(path, world);
    if (found === undefined) continue;
    cursor.at += length;
    return found.path;
  }
  return undefined;
}

/** `Archive/Old Photos`: words in capitals right behind a path are the rest of its name. */
function takeRestOfPath(cursor: Cursor, path: string): string {
  let whole = path;
  for (let { token } = cursor; token !== undefined; { token } = cursor) {
    const isEnded = cursor.sentence.tokens[cursor.at - 1]?.isEnd === true;
    const isPart = token.kind === 'word' && /^(?:\p{Lu}|\d+$)/u.test(token.text);
    if (isEnded || !isPart || whole.endsWith('/') || folderNouns.includes(token.fold)) break;
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

function isFilePath(path: string): boolean {
  return /\.[A-Za-z0-9]{1,8}$/.test(path) || path.includes('*');
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
  return world.folders.find(
    ({ names, path }) => names.some((name) => fold(name) === wanted) || fold(path) === wanted,
  )?.path;
}

function foldersNamed({ folders }: SentenceWorld, name: string): NamedFolder[] {
  return folders.filter(({ names }) => names.some((each) => fold(each) === name));
}

const longestName = 6;

/** The longest name that is there, with its words in this order. */
function exactAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  cursor.skip(...determiners);
  cursor.take(...folderNouns);
  cursor.skip('called', 'named');
  for (let length = longestName; length > 0; length--) {
    const words = wordsFrom(cursor, length);
    if (words === undefined) continue;
    const found = foldersNamed(world, words);
    const [first, ...others] = found;
    if (first === undefined) continue;
    cursor.at += length;
    cursor.take(...folderNouns, 'project');
    const isSure = first.isKnown || others.length === 0;
    return {
      path: first.path,
      how: 'exact',
      others: isSure ? [] : others.map(({ path }) => path),
      isKnown: first.isKnown,
      said: words,
    };
  }
  return undefined;
}

function wordsFrom(cursor: Cursor, length: number): string | undefined {
  const words: string[] = [];
  for (let at = cursor.at; at < cursor.at + length; at++) {
    const token = cursor.sentence.tokens[at];
    const isPlain = token?.kind === 'word' || token?.kind === 'name';
    if (token === undefined || !isPlain || !cursor.sentence.isFree(at)) return undefined;
    words.push(token.fold);
  }
  return words.join(' ');
}

/** A folder of which the sentence says only a part of the name: `my holiday trip`. */
export function partlyNamed(
  words: readonly string[],
  world: SentenceWorld,
): FolderFound | undefined {
  const telling = words.filter((word) => !vague.has(word));
  if (telling.length === 0) return undefined;
  const found = world.folders.filter(({ names }) =>
    names.some((name) => {
      const parts = fold(name).split(/[\s_-]+/);
      return parts.length > 1 && telling.every((word) => parts.includes(word));
    }),
  );
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  return {
    path: first.path,
    how: 'part',
    others: others.map(({ path }) => path),
    said: words.join(' '),
  };
}

const vague = new Set([
  ...['my', 'the', 'our', 'last', 'year', 'summer', 'folder', 'directory'],
  'trip',
  'stuff',
  'things',
  'files',
  'photos',
  'pictures',
  'folder',
  'vacation',
]);

/** One letter too many, too few or wrong; two in long names. */
export function misspelt(word: string, world: SentenceWorld): FolderFound | undefined {
  if (word.length < 5) return undefined;
  const close = world.folders.filter(({ names }) =>
    names.some((name) => {
      const folded = fold(name);
      const most = Math.min(folded.length, word.length) >= 8 ? 2 : 1;
      return folded.length >= 5 && distance(folded, word) <= most;
    }),
  );
  const [first, ...others] = close;
  if (first === undefined) return undefined;
  return { path: first.path, how: 'like', others: others.map(({ path }) => path), said: word };
}
