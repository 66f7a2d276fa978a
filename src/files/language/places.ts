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
const objects = wordSet(
  'move copy rename delete remove up backup clone transfer relocate list show me display',
);
const entering = wordSet('in inside on ls browse through check');

/**
 * Every folder that the sentence names as a place; those that are led by a word come first, then
 * those that can be nothing else. `isDirect`: one may stand right behind the verb.
 */
export function takeFolders(
  sentence: Said,
  { isDirect }: { readonly isDirect: boolean },
): FolderFound[] {
  const rules = [...(isDirect ? [atHead] : []), behindWord, byNoun, byItself];
  return rules.flatMap((rule) => sentence.takeAll((cursor) => withSiblings(cursor, rule)).flat());
}

/** `Downloads and Desktop` are two. */
function withSiblings(
  cursor: Place,
  rule: (cursor: Place) => FolderFound | undefined,
): FolderFound[] | undefined {
  const all: FolderFound[] = [];
  for (let next = rule(cursor); next !== undefined; next = siblingAt(cursor)) all.push(next);
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

/** The folder here, with how it is written. */
function mentionAt(cursor: Place) {
  const { sentence, at } = cursor;
  const found = folderAt(cursor);
  const said = sentence.tokens.slice(at, cursor.at);
  const last = said.at(-1);
  return {
    found,
    isNamed: said.some(({ kind, fold }) => kind === 'path' || isFolderNoun(fold)),
    hasNoun: isFolderNoun(last?.fold),
    /** "Holiday 2026" is written with a capital, too. */
    hasCapital: said.some(({ text }) => /^\p{Lu}/u.test(text)),
    isCapital: /^\p{Lu}/u.test(last?.text ?? ''),
    isLower: last?.kind === 'word' && /^\p{Ll}/u.test(last.text),
    /** "Of my videos" are videos; "of Videos" and "of my videos folder" is the folder. */
    isKind: kindAt(sentence.cursor(cursor.at - 1)) !== undefined,
  };
}

// Right behind "what is in" or "size of"; "move Work" is the folder, "move my invoices" may be files.
function atHead(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  if (at === 0 || sentence.isFree(at - 1)) return undefined;
  const before = sentence.word(at - 1);
  if (entering.has(before)) return folderAt(cursor);
  if (!objects.has(before) && before !== 'search') return subjectAt(cursor);
  const { found, isNamed, hasCapital, isKind } = mentionAt(cursor);
  // "Search Work for …" is the folder; "search invoices" looks for them.
  const isSearched = before === 'search' && cursor.word === 'for' && !isKind;
  return isNamed || hasCapital || isSearched ? found : undefined;
}

/** Behind `of` and the like a kind of files is as likely as a folder. */
function subjectAt(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  const [inside, before] = [sentence.word(at - 2), sentence.word(at - 1)];
  const { found, hasNoun, isKind, isCapital, isLower } = mentionAt(cursor);
  // Only a folder has contents.
  if (inside === 'contents') return found;
  // "Search for invoices" looks for them.
  const isWanted = before === 'for' && isLower && found?.isKnown === false;
  return hasNoun || !(isWanted || (isKind && !isCapital)) ? found : undefined;
}

function behindWord(cursor: Place): FolderFound | undefined {
  cursor.skip(lying);
  if (cursor.take(subjects) !== undefined) return subjectAt(cursor);
  if (cursor.take(prepositions) !== undefined) return folderAt(cursor);
  return cursor.take('everywhere', 'anywhere') === undefined
    ? undefined
    : { ...exactly('~', 'everywhere'), isEverywhere: true };
}

/** `my Work folder`, a path. */
function byNoun(cursor: Place): FolderFound | undefined {
  const { found, isNamed } = mentionAt(cursor);
  return isNamed ? found : undefined;
}

/** `my downloads`, `here`; `pictures` could be a kind of files. */
function byItself(cursor: Place): FolderFound | undefined {
  const { sentence, at } = cursor;
  const { found, isCapital } = mentionAt(cursor);
  if (found?.said.includes('folder') || found?.said === 'here') return found;
  const { folders } = sentence.world;
  const isKnown = folders.some((folder) => folder.isKnown && folder.path === found?.path);
  const isKind = [at, at + 1].some(
    (place) => place < cursor.at && kindAt(sentence.cursor(place)) !== undefined,
  );
  return isKnown && (!isKind || (isCapital && at > 0)) ? found : undefined;
}

const quantifiers = wordSet('all any every some empty which the only just these those');

/** A place that is not known by this name: behind `in`, or before `folder`. */
export function takeUnknownFolder(sentence: Said): FolderFound | undefined {
  return sentence.take(unknownAt);
}

function unknownAt(cursor: Place): FolderFound | undefined {
  const { world } = cursor.sentence;
  const word = cursor.take('in', 'inside', 'from', 'on', 'within', 'of');
  cursor.skip('my', 'the', 'our', 'that');
  const words = phraseAt(cursor);
  const [first = '', ...rest] = words.map(({ fold }) => fold);
  const hasNoun = isFolderNoun(words.at(-1)?.fold);
  if (words.length === 0 || (word === undefined && !hasNoun)) return undefined;
  const like = word === 'of' ? undefined : misspelt(first, world);
  cursor.at += like === undefined ? words.length : isFolderNoun(rest[0]) ? 2 : 1;
  const found = like ?? partlyNamed([first, ...rest], world);
  if (found !== undefined) return found;
  const names = words.slice(0, -1);
  const isNew = hasNoun && !names.every(({ fold }) => quantifiers.has(fold));
  return isNew ? { ...exactly(`~/${textOf(names)}`, textOf(names)), how: 'new' } : undefined;
}
