/** What people call kinds of files, and which extensions and media types are meant by it. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { extensions, spelledOut } from '../../kernel/language/extensions.ts';

export interface TypeWord {
  /** As in `filters.type`. */
  readonly type: string;
  /** In the reading: "PDF files". */
  readonly words: string;
  /** A pattern of the name that belongs to it. */
  readonly name?: string;
}

const families: readonly (readonly [string, TypeWord])[] = [
  ['photo photograph picture pic image foto photos', { type: 'image/*', words: 'images' }],
  ['video film movie clip', { type: 'video/*', words: 'videos' }],
  ['song music audio track tune podcast recording', { type: 'audio/*', words: 'audio files' }],
  ['spreadsheet', { type: 'csv,xlsx,xls,ods', words: 'spreadsheets' }],
  ['document', { type: 'doc,docx,odt,pdf,txt,md,rtf', words: 'documents' }],
  ['presentation slideshow slide', { type: 'ppt,pptx,odp,key', words: 'presentations' }],
  ['archive', { type: 'zip,tar,gz,tgz,7z,rar,xz,bz2', words: 'archives' }],
  ['zip', { type: 'zip', words: 'ZIP files' }],
  ['powerpoint', { type: 'ppt,pptx', words: 'PowerPoint presentations' }],
  ['ebook e-book', { type: 'epub,mobi,azw3', words: 'e-books' }],
  ['installer', { type: 'exe,msi,dmg,pkg,deb,rpm,appimage', words: 'installers' }],
  ['logfile', { type: 'log', words: 'log files' }],
  ['font', { type: 'ttf,otf,woff,woff2', words: 'fonts' }],
  ['screenshot', { type: 'image/*', words: 'screenshots', name: '*screenshot*' }],
];

const codeTypes = 'js,ts,py,java,c,cpp,h,go,rs,rb,php,sh,html,css';
const phrases: readonly (readonly [string, TypeWord])[] = [
  ['word', { type: 'doc,docx', words: 'Word documents' }],
  ['excel', { type: 'xls,xlsx', words: 'Excel spreadsheets' }],
  ['powerpoint', { type: 'ppt,pptx', words: 'PowerPoint presentations' }],
  ['text', { type: 'txt', words: 'text files' }],
  ['plain text', { type: 'txt', words: 'text files' }],
  ['source code', { type: codeTypes, words: 'source code' }],
  ['source', { type: codeTypes, words: 'source code' }],
  ['code', { type: codeTypes, words: 'source code' }],
  ['python', { type: 'py', words: 'Python files' }],
  ['javascript', { type: 'js', words: 'JavaScript files' }],
  ['typescript', { type: 'ts', words: 'TypeScript files' }],
  ['java', { type: 'java', words: 'Java files' }],
  ['markdown', { type: 'md', words: 'Markdown files' }],
  ['log', { type: 'log', words: 'log files' }],
  ['temp', { type: 'tmp', words: 'TMP files' }],
  ['temporary', { type: 'tmp', words: 'TMP files' }],
  ['backup', { type: 'bak', words: 'BAK files' }],
  ['shell', { type: 'sh', words: 'shell scripts' }],
  ['media', { type: 'image/*,video/*,audio/*', words: 'images, videos and audio files' }],
  ['disk', { type: 'iso,dmg,img', words: 'disk images' }],
  ['sound', { type: 'audio/*', words: 'audio files' }],
  ['web', { type: 'html,htm', words: 'web pages' }],
  ['zip', { type: 'zip', words: 'ZIP files' }],
  ['zipped', { type: 'zip', words: 'ZIP files' }],
  ['compressed', { type: 'zip,tar,gz,tgz,7z,rar,xz,bz2', words: 'archives' }],
  ['raw', { type: 'raw,cr2,nef,arw,dng', words: 'raw photos' }],
];
const phraseNouns = [
  ...['file', 'document', 'doc', 'sheet', 'spreadsheet', 'presentation', 'slide', 'script'],
  ...['archive', 'note', 'deck', 'workbook', 'image', 'photo'],
];
/** `mp4 videos`, `png pictures`. */
const extensionNouns = [
  ...['picture', 'pic', 'video', 'movie', 'clip', 'song', 'track', 'recording', 'page', 'ebook'],
  ...['ending', 'extension', 'installer'],
];

/** Patterns of names, for what is passed over. */
export function patternsOf({ type, name }: TypeWord): string[] {
  if (name !== undefined) return [name];
  return type
    .split(',')
    .flatMap((part) => (spelledOut[part] ?? part).split(','))
    .map((extension) => `*.${extension}`);
}

export interface TypesTaken {
  readonly types: readonly TypeWord[];
  /** `music videos`: the first says what kind of the second, or both are meant. */
  readonly areMixed: boolean;
}

export function takeTypes(sentence: Sentence): TypesTaken {
  const taken: { readonly type: TypeWord; readonly at: number; readonly next: number }[] = [];
  sentence.takeAll((cursor) => {
    const { at } = cursor;
    const type = cursor.try(typeAt);
    if (type !== undefined) taken.push({ type, at, next: cursor.at });
    return type;
  });
  const areMixed = taken.some(({ at, type }, index) => {
    const before = taken[index - 1];
    const isListed = sentence.tokens[at - 1]?.isEnd === true;
    return before?.next === at && !isListed && before.type.type !== type.type;
  });
  return { types: taken.map(({ type }) => type), areMixed };
}

export function typeAt(cursor: Cursor): TypeWord | undefined {
  return cursor.try(phraseType) ?? cursor.try(extensionType) ?? cursor.try(familyType);
}

function phraseType(cursor: Cursor): TypeWord | undefined {
  const word = cursor.take(...phrases.map(([phrase]) => phrase));
  const found = phrases.find(([phrase]) => phrase === word);
  if (found === undefined) return undefined;
  const isNoun =
    takeNoun(cursor, word === 'web' ? ['page'] : phraseNouns) ||
    isByItself(found[0], cursor) ||
    sharesNoun(cursor);
  return isNoun ? found[1] : undefined;
}

/** `markdown and text files`: the noun stands behind the last of them. */
function sharesNoun({ sentence, at }: Cursor): boolean {
  const ahead = sentence.cursor(at);
  const isListed = sentence.tokens[at - 1]?.isEnd === true;
  const isJoined = ahead.take('and', 'or') !== undefined;
  return (isJoined || isListed) && typeAt(ahead) !== undefined;
}

// "The code for the alarm" is another.
function isByItself(phrase: string, cursor: Cursor): boolean {
  return phrase === 'source code' || (phrase === 'code' && cursor.word !== 'for');
}

function takeNoun(cursor: Cursor, nouns: readonly string[]): boolean {
  // "PDFs, videos" are two.
  const isListed = cursor.sentence.tokens[cursor.at - 1]?.isEnd === true;
  const isNoun = !isListed && nouns.includes(singular(cursor.word ?? ''));
  if (isNoun) cursor.at++;
  return isNoun;
}

/** `.py files`, `*.log`, `jpgs`, `PDF`. */
function extensionType(cursor: Cursor): TypeWord | undefined {
  cursor.skip(
    'with the extension',
    'with the file extension',
    'with extension',
    'with an extension of',
  );
  const { token } = cursor;
  const starred = /^\*\.([a-z0-9]{1,10})$/.exec(token?.fold ?? '')?.[1];
  const dotted = /^\.([a-z0-9]{1,10})$/.exec(token?.fold ?? '')?.[1];
  const word = cursor.word ?? '';
  const plain = extensions.has(word) ? word : word.replace(/(?<=\w)'?s$/, '');
  const isHidden = token?.kind === 'name' || ['ssh', 'git'].includes(dotted ?? '');
  const extension = starred ?? dotted ?? (extensions.has(plain) ? plain : undefined);
  if (extension === undefined || isHidden || token?.kind === 'quoted') return undefined;
  cursor.at++;
  takeNoun(cursor, [...phraseNouns, ...extensionNouns]);
  const isSpoken = starred === undefined && dotted === undefined;
  const type = isSpoken || extension !== 'doc' ? (spoken[extension] ?? extension) : extension;
  return { type, words: `${extension.toUpperCase()} files` };
}

const spoken: Readonly<Record<string, string>> = {
  jpg: 'jpg,jpeg',
  jpeg: 'jpg,jpeg',
  doc: 'doc,docx',
};

function familyType(cursor: Cursor): TypeWord | undefined {
  // One log may be a diary.
  const word = cursor.word === 'logs' ? 'logfile' : singular(cursor.word ?? '');
  const found = families.find(([names]) => names.split(' ').includes(word))?.[1];
  if (found === undefined) return undefined;
  cursor.at++;
  takeNoun(cursor, ['file']);
  return found;
}

export function singular(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || word.endsWith('ss')) return word;
  return word.slice(0, -1);
}
