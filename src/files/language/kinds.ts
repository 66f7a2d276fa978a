/**
 * What people call kinds of files. What is typed as an ending (`txt`, `.jpg`) is one; a kind in
 * words (`photos`, `documents`) is told by the content, as the type of `filters` has it.
 */
import { endingsOfKind, typeOfExtension } from '../../kernel/files/types.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { extensions, spelledOut } from '../../kernel/language/extensions.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { must } from '../../kernel/must.ts';

export interface Kind {
  /** As in `filters.type`. */
  readonly type: string;
  /** In the reading: "PDF files". */
  readonly words: string;
  /** A pattern of the name that belongs to it. */
  readonly name?: string;
  /** The one ending that was typed, of those that it may stand for: `jpg`. */
  readonly typed?: string;
}

/** Nouns by themselves: the words, the type, what the reading calls it, a pattern of the name. */
const nouns = kindsIn(`
photo photograph picture pic image foto|image/*|images
video film movie clip|video/*|videos
song music audio track tune podcast recording|audio/*|audio files
spreadsheet|spreadsheet/*|spreadsheets
document|document/*|documents
presentation slideshow slide|presentation/*|presentations
archive|archive/*|archives
zip|zip|ZIP files
powerpoint|powerpoint/*|PowerPoint presentations
ebook e-book|ebook/*|e-books
installer|installer/*|installers
logfile|log|log files
font|font/*|fonts
screenshot|image/*|screenshots|*screenshot*`);

export const textFiles = 'text/plain,text/markdown';

/** Kinds only before a noun such as `file`; a hyphen stands for the space between two words. */
const adjectives = kindsIn(`
word|word/*|Word documents
excel|excel/*|Excel spreadsheets
powerpoint|powerpoint/*|PowerPoint presentations
text plain-text|${textFiles}|text files
source-code source code|code/*|source code
python|py|Python files
javascript|js|JavaScript files
typescript|ts|TypeScript files
java|java|Java files
markdown|md|Markdown files
log|log|log files
temp temporary|tmp|TMP files
backup|bak|BAK files
shell|sh|shell scripts
media|image/*,video/*,audio/*|images, videos and audio files
disk|iso,dmg,img|disk images
sound|audio/*|audio files
web|html,htm|web pages
zip zipped|zip|ZIP files
compressed|archive/*|archives
raw|raw,cr2,nef,arw,dng|raw photos`);

function kindsIn(text: string): ReadonlyMap<string, Kind> {
  const rows = text.trim().split('\n');
  return new Map(
    rows.flatMap((row) => {
      const [names = '', type = '', words = '', name] = row.split('|');
      const kind = { type, words, ...(name === undefined ? {} : { name }) };
      return names.split(' ').map((each) => [each.replace('-', ' '), kind] as const);
    }),
  );
}

const adjectiveWords = phrases([...adjectives.keys()].join(','));
const fileNouns = wordSet(
  'file document doc sheet spreadsheet presentation slide script archive note deck workbook image photo',
);
/** `mp4 videos`, `png pictures`. */
const endingNouns = wordSet(
  'picture pic video movie clip song track recording page ebook ending extension installer',
);
const spokenEndings: Readonly<Record<string, string>> = {
  ...{ jpg: 'jpg,jpeg', jpeg: 'jpg,jpeg', doc: 'doc,docx' },
};

/** Patterns of names, for what is passed over: rather one too many than one too few. */
export function patternsOf({ type, name }: Kind): string[] {
  if (name !== undefined) return [name];
  const endings = type.split(',').flatMap((part) => {
    if (part.startsWith('text/')) return ['txt', 'md'];
    return endingsOfKind(part) ?? (spelledOut[part] ?? part).split(',');
  });
  return [...new Set(endings)].map((ending) => `*.${ending}`);
}

export interface KindsTaken {
  readonly types: readonly Kind[];
  /** `music videos`: the first says what kind of the second, or both are meant. */
  readonly areMixed: boolean;
}

/** `isTyped`: an ending is that one alone, as where something is changed. */
export function takeKinds(
  sentence: Sentence,
  { isTyped }: { readonly isTyped: boolean },
): KindsTaken {
  const taken: { readonly type: Kind; readonly at: number; readonly next: number }[] = [];
  sentence.takeAll((cursor) => {
    const { at } = cursor;
    const type = kindAt(cursor);
    if (type !== undefined) taken.push({ type, at, next: cursor.at });
    return type;
  });
  const areMixed = taken.some(({ at, type }, index) => {
    const before = taken[index - 1];
    const isListed = sentence.isEnd(at - 1);
    return before?.next === at && !isListed && before.type.type !== type.type;
  });
  return { types: taken.map(({ type }) => (isTyped ? asTyped(type) : type)), areMixed };
}

function asTyped(kind: Kind): Kind {
  const { typed } = kind;
  return typed === undefined ? kind : { type: typed, words: endingWords(typed) };
}

function endingWords(...endings: readonly string[]): string {
  return `${endings.map((ending) => ending.toUpperCase()).join(' and ')} files`;
}

export function kindAt(cursor: Cursor): Kind | undefined {
  return cursor.first(adjectiveKind, ending, nounKind);
}

function adjectiveKind(cursor: Cursor): Kind | undefined {
  const word = cursor.take(adjectiveWords);
  if (word === undefined) return undefined;
  // "The code for the alarm" is another.
  const isAlone = word === 'source code' || (word === 'code' && cursor.word !== 'for');
  const isBefore =
    takeNoun(cursor, word === 'web' ? new Set(['page']) : fileNouns) ||
    isAlone ||
    sharesNoun(cursor);
  return isBefore ? must(adjectives.get(word), 'the kind of an adjective') : undefined;
}

/** `markdown and text files`: the noun stands behind the last of them. */
function sharesNoun({ sentence, at }: Cursor): boolean {
  const ahead = sentence.cursor(at);
  const isListed = sentence.isEnd(at - 1);
  const isJoined = ahead.take('and', 'or') !== undefined;
  return (isJoined || isListed) && kindAt(ahead) !== undefined;
}

function takeNoun(cursor: Cursor, allowed: ReadonlySet<string>): boolean {
  // "PDFs, videos" are two.
  const isListed = cursor.sentence.isEnd(cursor.at - 1);
  const isNoun = !isListed && allowed.has(singular(cursor.word ?? ''));
  if (isNoun) cursor.at++;
  return isNoun;
}

const beforeEnding = phrases('with (the|an) [file] extension [of], with extension');

/** `.py files`, `*.log`, `jpgs`, `PDF`. */
function ending(cursor: Cursor): Kind | undefined {
  cursor.skip(beforeEnding);
  const { token } = cursor;
  const written = /^\*?\.([a-z0-9]{1,10})$/.exec(token?.fold ?? '')?.[1];
  const word = cursor.word ?? '';
  const plain =
    extensions.has(word) || isRareEnding(cursor) ? word : word.replace(/(?<=\w)'?s$/, '');
  const isHidden = token?.kind === 'name' || ['ssh', 'git'].includes(written ?? '');
  const isEnding = extensions.has(plain) || isRareEnding(cursor);
  const found = written ?? (isEnding ? plain : undefined);
  if (found === undefined || isHidden || token?.kind === 'quoted') return undefined;
  cursor.at++;
  takeNoun(cursor, new Set([...fileNouns, ...endingNouns]));
  const isSpoken = written === undefined || found !== 'doc';
  const type = isSpoken ? (spokenEndings[found] ?? found) : found;
  const words = endingWords(...type.split(','));
  return type === found ? { type, words } : { type, words, typed: found };
}

/** Endings that are words, too. */
const alsoWords = wordSet('text key pages numbers class org tab desktop log');

/** `nef files`: hardly ever spoken of without the noun. */
function isRareEnding({ word = '', sentence, at }: Cursor): boolean {
  const isNoun = ['file', 'files'].includes(sentence.word(at + 1)) && !sentence.isEnd(at);
  const isKnown = word.length > 1 && typeOfExtension(word) !== undefined;
  return isNoun && isKnown && !alsoWords.has(word);
}

function nounKind(cursor: Cursor): Kind | undefined {
  // One log may be a diary.
  const found = nouns.get(cursor.word === 'logs' ? 'logfile' : singular(cursor.word ?? ''));
  if (found === undefined) return undefined;
  cursor.at++;
  takeNoun(cursor, new Set(['file']));
  return found;
}

function singular(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
