/** Where the files are that a sentence speaks of, and where they are to go. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { type FolderFound, folderAt, folderNouns, misspelt, partlyNamed } from './folders.ts';
import { typeAt } from './type-words.ts';

const prepositions = [
  ...['in', 'inside', 'within', 'from', 'on', 'under', 'of', 'at', 'for', 'into', 'below'],
  ...['beneath', 'underneath', 'throughout', 'across', 'through'],
];

/** `which subfolders does Projects have`, `the space used by Archive`. */
const subjects = ['does', 'used by', 'taken by', 'taken up by', 'occupied by'];

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

type FolderRule = (cursor: Cursor, world: SentenceWorld) => FolderFound | undefined;

/** `Downloads and Desktop` are two. */
function withSiblings(
  cursor: Cursor,
  world: SentenceWorld,
  rule: FolderRule,
): FolderFound[] | undefined {
  const first = rule(cursor, world);
  if (first === undefined) return undefined;
  const all = [first];
  for (let next = siblingAt(cursor, world); next !== undefined; next = siblingAt(cursor, world)) {
    all.push(next);
  }
  return all;
}

export function siblingAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  return cursor.try((place) => {
    const isListed = place.sentence.tokens[place.at - 1]?.isEnd === true;
    const isJoined = place.take('and also', 'and', 'or', 'as well as', 'plus') !== undefined;
    place.skip('in', 'from', 'on');
    return isJoined || isListed ? folderAt(place, world) : undefined;
  });
}

// Right behind "what is in" or "size of".
function atHead(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  if (at === 0 || sentence.isFree(at - 1)) return undefined;
  const isThing = ['move', 'copy', 'rename', 'delete', 'list', 'show', 'me', 'display'].includes(
    sentence.tokens[at - 1]?.fold ?? '',
  );
  if (isThing) return capitalFolder(cursor, world);
  if (sentence.tokens[at - 1]?.fold === 'search') return searchedFolder(cursor, world);
  const isIn = ['in', 'inside', 'on', 'ls', 'browse', 'through', 'check'].includes(
    sentence.tokens[at - 1]?.fold ?? '',
  );
  return isIn ? folderAt(cursor, world) : properFolder(cursor, world);
}

/** "Search Work for …" is the folder; "search invoices" looks for them. */
function searchedFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor, world);
  const isKind = typeAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  if (cursor.word === 'for' && !isKind) return found;
  cursor.at = start;
  return capitalFolder(cursor, world);
}

/** "Move Work" is the folder; "move my invoices" may be some files. */
function capitalFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const start = cursor.at;
  const found = folderAt(cursor, world);
  const last = cursor.sentence.tokens[cursor.at - 1];
  // "Holiday 2026" is written with a capital, too.
  const said = cursor.sentence.tokens.slice(start, cursor.at);
  const isNamed = last?.kind === 'path' || said.some(({ text }) => /^\p{Lu}/u.test(text));
  return isNamed || folderNouns.includes(last?.fold ?? '') ? found : undefined;
}

function behindPreposition(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  cursor.skip(
    'that',
    'which',
    'are',
    'is',
    'stored',
    'located',
    'lying',
    'sitting',
    'living',
    'saved',
  );
  cursor.skip('all over', 'directly', 'somewhere');
  const word = cursor.take(...subjects, ...prepositions);
  if (word === 'of' || word === 'for' || subjects.includes(word ?? ''))
    return properFolder(cursor, world);
  if (word !== undefined) return folderAt(cursor, world);
  return cursor.take('everywhere', 'anywhere') === undefined
    ? undefined
    : { path: '~', how: 'exact', others: [], isEverywhere: true, said: 'everywhere' };
}

/** "Of my videos" are videos; "of Videos" and "of my videos folder" is the folder. */
function properFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const before = cursor.sentence.tokens[cursor.at - 1]?.fold;
  const found = folderAt(cursor, world);
  const last = cursor.sentence.tokens[cursor.at - 1];
  if (found === undefined || last === undefined || folderNouns.includes(last.fold)) return found;
  // "Search for invoices" looks for them.
  const isWord = last.kind === 'word' && /^\p{Ll}/u.test(last.text);
  if (before === 'for' && isWord && found.isKnown === false) return undefined;
  const isKind = typeAt(cursor.sentence.cursor(cursor.at - 1)) !== undefined;
  return isKind && !/^\p{Lu}/u.test(last.text) ? undefined : found;
}

/** `my Work folder`. */
function beforeNoun(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor, world);
  const said = sentence.tokens.slice(at, cursor.at);
  return said.some(({ fold: word }) => folderNouns.includes(word)) ? found : undefined;
}

/** `my downloads`, a path, `this folder`; `pictures` could be a kind of files. */
function unmistakable(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const { sentence, at } = cursor;
  const found = folderAt(cursor, world);
  if (found === undefined) return undefined;
  const isSpoken = sentence.tokens.slice(at, cursor.at).some(({ kind }) => kind === 'path');
  if (isSpoken || found.said.includes('folder') || found.said === 'here') return found;
  const isKnown = world.folders.some(({ isKnown, path }) => isKnown && path === found.path);
  const first = [at, at + 1].map((place) => sentence.cursor(place));
  const isKind = first.some((place) => place.at < cursor.at && typeAt(place) !== undefined);
  const isProper = /^\p{Lu}/u.test(sentence.tokens[cursor.at - 1]?.text ?? '') && cursor.at > 1;
  return isKnown && (!isKind || (isProper && at > 0)) ? found : undefined;
}

/** A place that nobody knows by this name: behind `in`, or before `folder`. */
export function takeUnknownFolder(
  sentence: Sentence,
  world: SentenceWorld,
): FolderFound | undefined {
  const partly = sentence.take((cursor) => cursor.try((place) => partAt(place, world)));
  return partly?.found;
}

function partAt(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const word = cursor.take('in', 'inside', 'from', 'on', 'within', 'of');
  cursor.skip('my', 'the', 'our', 'that');
  const words = phraseAt(cursor);
  if (words.length === 0) return undefined;
  const hasNoun = folderNouns.includes(words.at(-1)?.fold ?? '');
  if (word === undefined && !hasNoun) return undefined;
  const folded = words.map(({ fold: folded }) => folded);
  const like = word === 'of' ? undefined : misspelt(folded[0] ?? '', world);
  if (like !== undefined)
    return endingAt(cursor, like, folderNouns.includes(folded[1] ?? '') ? 2 : 1);
  const part = partlyNamed(folded, world);
  if (part !== undefined) return endingAt(cursor, part, words.length);
  if (!hasNoun || folded.slice(0, -1).every((each) => determiners.has(each))) return undefined;
  const said = words
    .slice(0, -1)
    .map(({ text }) => text)
    .join(' ');
  if (said === '') return undefined;
  return endingAt(cursor, { path: `~/${said}`, how: 'new', others: [], said }, words.length);
}

const determiners = new Set('all any every some empty which the only just these those'.split(' '));

function endingAt(cursor: Cursor, found: FolderFound, length: number): FolderFound {
  cursor.at += length;
  return found;
}

const stops = new Set([
  ...[
    'and',
    'that',
    'which',
    'in',
    'on',
    'from',
    'to',
    'older',
    'newer',
    'if',
    'but',
    'except',
    'for',
  ],
  ...['by', 'with', 'inside', 'under', 'please', 'where', 'when', 'then', 'into', 'or', 'as', 'of'],
  ...[
    'saying',
    'containing',
    'are',
    'is',
    'was',
    'i',
    'taking',
    'without',
    'using',
    'take',
    'right',
    'now',
  ],
]);

/** Free words up to the next turn of the sentence. */
export function phraseAt(cursor: Cursor): { readonly text: string; readonly fold: string }[] {
  const words: { readonly text: string; readonly fold: string }[] = [];
  for (let at = cursor.at; at < cursor.at + 6; at++) {
    const token = cursor.sentence.tokens[at];
    if (token === undefined || !cursor.sentence.isFree(at)) break;
    const isPlain = token.kind === 'word' || token.kind === 'name';
    if (!isPlain || stops.has(token.fold)) break;
    words.push(token);
    if (token.isEnd) break;
  }
  return words;
}
