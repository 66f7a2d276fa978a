/** Where the files are that a sentence speaks of. */
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import {
  exactly,
  type FolderFound,
  folderAt,
  isFolderNoun,
  misspelt,
  type Place,
  partlyNamed,
  phraseAt,
  type Said,
  textOf,
} from './folders.ts';
import { kindAt } from './kinds.ts';

const prepositions = phrases(`
in, inside, within, from, on, under, at, into, below, beneath, underneath, throughout, across, through`);
/** `which subfolders does Projects have`, `the space used by Archive`, `the size of Videos`. */
const subjects = phrases('of, for, does, (used|taken [up]|occupied) by');
const lying = phrases(`
that, which, are, is, stored, located, lying, sitting, living, saved, all over, directly, somewhere`);

type FolderRule = (cursor: Place) => FolderFound | undefined;

/** Every folder that the sentence names as a place. */
export function takeFolders(
  sentence: Said,
  { isDirect }: { readonly isDirect: boolean },
): FolderFound[] {
  const rules = [...(isDirect ? [atHead] : []), behindPreposition, beforeNoun, unmistakable];
  return rules.flatMap((rule) =>
    sentence.takeAll((cursor) => cursor.try((place) => withSiblings(place, rule))).flat(),
  );
}

/** `Downloads and Desktop` are two. */
function withSiblings(cursor: Place, rule: FolderRule): FolderFound[] | undefined {
  const all: FolderFound[] = [];
  for (let next = rule(cursor); next !== undefined; next = siblingAt(cursor)) {
    all.push(next);
  }
  return all.length === 0 ? undefined : all;
}

export function siblingAt(cursor: Place): FolderFound | undefined {
  return cursor.try((place) => {
    const isListed = place.sentence.isEnd(place.at - 1);
    const isJoined = place.take('and also', 'and', 'or', 'as well as', 'plus') !== undefined;
    place.skip('in', 'from', 'on');
    const found = isJoined || isListed ? folderAt(place) : undefined;
    return found && { ...found, isListed: isJoined };
  });
}

const things = wordSet(
  'move copy rename delete remove up backup clone transfer relocate list show me display',
);
const into = wordSet('in inside on ls browse through check');

// Right behind "what is in" or "size of".
function atHead(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  if (at === 0 || sentence.isFree(at - 1)) return undefined;
  const before = sentence.word(at - 1);
  if (things.has(before)) return capitalFolder(cursor);
  if (before === 'search') return searchedFolder(cursor);
  return into.has(before) ? folderAt(cursor) : properFolder(cursor);
}

/** "Search Work for …" is the folder; "search invoices" looks for them. */
function searchedFolder(cursor: Place): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor);
  const isKind = kindAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  if (cursor.word === 'for' && !isKind) return found;
  cursor.at = start;
  return capitalFolder(cursor);
}

/** "Move Work" is the folder; "move my invoices" may be some files. */
function capitalFolder(cursor: Place): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor);
  // "Holiday 2026" is written with a capital, too.
  const said = cursor.sentence.tokens.slice(start, cursor.at);
  const last = said.at(-1);
  const isNamed = last?.kind === 'path' || said.some(({ text }) => isCapital(text));
  return isNamed || isFolderNoun(last?.fold) ? found : undefined;
}

function isCapital(text: string | undefined): boolean {
  return /^\p{Lu}/u.test(text ?? '');
}

function behindPreposition(cursor: Place): FolderFound | undefined {
  cursor.skip(lying);
  if (cursor.take(subjects) !== undefined) return properFolder(cursor);
  if (cursor.take(prepositions) !== undefined) return folderAt(cursor);
  return cursor.take('everywhere', 'anywhere') === undefined
    ? undefined
    : { ...exactly('~', 'everywhere'), isEverywhere: true };
}

/** "Of my videos" are videos; "of Videos" and "of my videos folder" is the folder. */
function properFolder(cursor: Place): FolderFound | undefined {
  const before = cursor.sentence.tokens[cursor.at - 1]?.fold;
  const found = folderAt(cursor);
  const last = cursor.sentence.tokens[cursor.at - 1];
  if (found === undefined || last === undefined || isFolderNoun(last.fold)) return found;
  // "Search for invoices" looks for them.
  const isWord = last.kind === 'word' && /^\p{Ll}/u.test(last.text);
  if (before === 'for' && isWord && found.isKnown === false) return undefined;
  const isKind = kindAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  return isKind && !isCapital(last.text) ? undefined : found;
}

/** `my Work folder`. */
function beforeNoun(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor);
  return sentence.tokens.slice(at, cursor.at).some(({ fold }) => isFolderNoun(fold))
    ? found
    : undefined;
}

/** `my downloads`, a path, `this folder`; `pictures` could be a kind of files. */
function unmistakable(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor);
  if (found === undefined) return undefined;
  const isWritten = sentence.tokens.slice(at, cursor.at).some(({ kind }) => kind === 'path');
  if (isWritten || found.said.includes('folder') || found.said === 'here') return found;
  const isKnown = cursor.sentence.world.folders.some(
    (folder) => folder.isKnown && folder.path === found.path,
  );
  const first = [at, at + 1].map((place) => sentence.cursor(place));
  const isKind = first.some((place) => place.at < cursor.at && kindAt(place) !== undefined);
  const isProper = isCapital(sentence.tokens[cursor.at - 1]?.text) && cursor.at > 1;
  return isKnown && (!isKind || (isProper && at > 0)) ? found : undefined;
}

/** A place that is not known by this name: behind `in`, or before `folder`. */
export function takeUnknownFolder(sentence: Said): FolderFound | undefined {
  return sentence.take((cursor) => cursor.try(partAt))?.found;
}

const quantifiers = wordSet('all any every some empty which the only just these those');

function partAt(cursor: Place): FolderFound | undefined {
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
  const like = word === 'of' ? undefined : misspelt(folded[0] ?? '', cursor.sentence.world);
  if (like !== undefined) return ending(like, isFolderNoun(folded[1]) ? 2 : 1);
  const part = partlyNamed(folded, cursor.sentence.world);
  if (part !== undefined) return ending(part, words.length);
  const said = textOf(words.slice(0, -1));
  const isNamed = hasNoun && !folded.slice(0, -1).every((each) => quantifiers.has(each));
  if (!isNamed || said === '') return undefined;
  return ending({ ...exactly(`~/${said}`, said), how: 'new' }, words.length);
}
