/** Where the files are that a sentence speaks of. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import {
  exactly,
  type FolderFound,
  folderAt,
  isFolderNoun,
  misspelt,
  partlyNamed,
  phraseAt,
  textOf,
} from './folders.ts';
import { kindAt } from './kinds.ts';

const prepositions = phrases(`
in, inside, within, from, on, under, at, into, below, beneath, underneath, throughout, across, through`);
/** `which subfolders does Projects have`, `the space used by Archive`, `the size of Videos`. */
const subjects = phrases('of, for, does, (used|taken [up]|occupied) by');
const lying = phrases(`
that, which, are, is, stored, located, lying, sitting, living, saved, all over, directly, somewhere`);

type FolderRule = (cursor: Cursor, world: SentenceWorld) => FolderFound | undefined;

/** Every folder that the sentence names as a place. */
export function takeFolders(
  sentence: Sentence,
  world: SentenceWorld,
  { isDirect }: { readonly isDirect: boolean },
): FolderFound[] {
  const rules = [...(isDirect ? [atHead] : []), behindPreposition, beforeNoun, unmistakable];
  return rules.flatMap((rule) =>
    sentence.takeAll((cursor) => cursor.try((place) => withSiblings(place, world, rule))).flat(),
  );
}

/** `Downloads and Desktop` are two. */
function withSiblings(
  cursor: Cursor,
  world: SentenceWorld,
  rule: FolderRule,
): FolderFound[] | undefined {
  const all: FolderFound[] = [];
  for (let next = rule(cursor, world); next !== undefined; next = siblingAt(cursor, world)) {
    all.push(next);
  }
  return all.length === 0 ? undefined : all;
}

export function siblingAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  return cursor.try((place) => {
    const isListed = place.sentence.tokens[place.at - 1]?.isEnd === true;
    const isJoined = place.take('and also', 'and', 'or', 'as well as', 'plus') !== undefined;
    place.skip('in', 'from', 'on');
    const found = isJoined || isListed ? folderAt(place, world) : undefined;
    return found && { ...found, isListed: isJoined };
  });
}

const things = wordSet(
  'move copy rename delete remove up backup clone transfer relocate list show me display',
);
const into = wordSet('in inside on ls browse through check');

// Right behind "what is in" or "size of".
function atHead(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  if (at === 0 || sentence.isFree(at - 1)) return undefined;
  const before = sentence.tokens[at - 1]?.fold ?? '';
  if (things.has(before)) return capitalFolder(cursor, world);
  if (before === 'search') return searchedFolder(cursor, world);
  return into.has(before) ? folderAt(cursor, world) : properFolder(cursor, world);
}

/** "Search Work for …" is the folder; "search invoices" looks for them. */
function searchedFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor, world);
  const isKind = kindAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  if (cursor.word === 'for' && !isKind) return found;
  cursor.at = start;
  return capitalFolder(cursor, world);
}

/** "Move Work" is the folder; "move my invoices" may be some files. */
function capitalFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor, world);
  // "Holiday 2026" is written with a capital, too.
  const said = cursor.sentence.tokens.slice(start, cursor.at);
  const last = said.at(-1);
  const isNamed = last?.kind === 'path' || said.some(({ text }) => isCapital(text));
  return isNamed || isFolderNoun(last?.fold) ? found : undefined;
}

function isCapital(text: string | undefined): boolean {
  return /^\p{Lu}/u.test(text ?? '');
}

function behindPreposition(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  cursor.skip(lying);
  if (cursor.take(subjects) !== undefined) return properFolder(cursor, world);
  if (cursor.take(prepositions) !== undefined) return folderAt(cursor, world);
  return cursor.take('everywhere', 'anywhere') === undefined
    ? undefined
    : { ...exactly('~', 'everywhere'), isEverywhere: true };
}

/** "Of my videos" are videos; "of Videos" and "of my videos folder" is the folder. */
function properFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const before = cursor.sentence.tokens[cursor.at - 1]?.fold;
  const found = folderAt(cursor, world);
  const last = cursor.sentence.tokens[cursor.at - 1];
  if (found === undefined || last === undefined || isFolderNoun(last.fold)) return found;
  // "Search for invoices" looks for them.
  const isWord = last.kind === 'word' && /^\p{Ll}/u.test(last.text);
  if (before === 'for' && isWord && found.isKnown === false) return undefined;
  const isKind = kindAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  return isKind && !isCapital(last.text) ? undefined : found;
}

/** `my Work folder`. */
function beforeNoun(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor, world);
  return sentence.tokens.slice(at, cursor.at).some(({ fold }) => isFolderNoun(fold))
    ? found
    : undefined;
}

/** `my downloads`, a path, `this folder`; `pictures` could be a kind of files. */
function unmistakable(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor, world);
  if (found === undefined) return undefined;
  const isWritten = sentence.tokens.slice(at, cursor.at).some(({ kind }) => kind === 'path');
  if (isWritten || found.said.includes('folder') || found.said === 'here') return found;
  const isKnown = world.folders.some((folder) => folder.isKnown && folder.path === found.path);
  const first = [at, at + 1].map((place) => sentence.cursor(place));
  const isKind = first.some((place) => place.at < cursor.at && kindAt(place) !== undefined);
  const isProper = isCapital(sentence.tokens[cursor.at - 1]?.text) && cursor.at > 1;
  return isKnown && (!isKind || (isProper && at > 0)) ? found : undefined;
}

/** A place that is not known by this name: behind `in`, or before `folder`. */
export function takeUnknownFolder(
  sentence: Sentence,
  world: SentenceWorld,
): FolderFound | undefined {
  return sentence.take((cursor) => cursor.try((place) => partAt(place, world)))?.found;
}

const quantifiers = wordSet('all any every some empty which the only just these those');

function partAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const word = cursor.take('in', 'inside', 'from', 'on', 'within', 'of');
  cursor.skip('my', 'the', 'our', 'that');
  const words = phraseAt(cursor);
  const folded = words.map(({ fold }) => fold);
  const hasNoun = isFolderNoun(folded.at(-1));
  if (words.length === 0 || (word === undefined && !hasNoun)) return undefined;
  const ending = (found: FolderFound, length: number): FolderFound => {
    cursor.at += length;
    return found;
  };
  const like = word === 'of' ? undefined : misspelt(folded[0] ?? '', world);
  if (like !== undefined) return ending(like, isFolderNoun(folded[1]) ? 2 : 1);
  const part = partlyNamed(folded, world);
  if (part !== undefined) return ending(part, words.length);
  const said = textOf(words.slice(0, -1));
  const isNamed = hasNoun && !folded.slice(0, -1).every((each) => quantifiers.has(each));
  if (!isNamed || said === '') return undefined;
  return ending({ ...exactly(`~/${said}`, said), how: 'new' }, words.length);
}
