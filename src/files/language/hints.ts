/** What a sentence says in passing: single words that matter without naming anything. */
import { Sentence } from '../../kernel/language/cursor.ts';
import { typeAt } from './type-words.ts';

export interface Hints {
  /** Folders are what is looked for. */
  readonly areFolders: boolean;
  readonly asksFolders: boolean;
  readonly wasDownloaded: boolean;
  readonly isEverything: boolean;
  /** `the file`, `a photo`: one, and not all of them. */
  readonly isOne: boolean;
  /** `should`, `go`: something is to be done, whatever it is. */
  readonly saysWish: boolean;
  /** `would`, `if`: what has not happened. */
  readonly saysIf: boolean;
  /** `all files named X`. */
  readonly saysAllFiles: boolean;
  /** `PDFs and everything older`: either, or both? */
  readonly isJoined: boolean;
  /** `the Work folder`, and not only `Work`. */
  readonly saysFolder: boolean;
  /** `bin files`, with no word between. */
  readonly saysBareFiles: boolean;
  /** `into`, `to`, and not only `in`. */
  readonly isInto: boolean;
  /** `Archive/old photos`: photos in a folder, or the name of it? */
  readonly isPathLonger: boolean;
}

const everything = ['everything', 'anything', 'all', 'files', 'every', 'stuff', 'things'];
const wishes = ['go', 'goes', 'belong', 'belongs', 'should', 'must', 'needs', 'ought'];
const folderWords = ['folders', 'directories', 'subfolders', 'subdirectories', 'sub-folders'];

/** When everything else has been taken out; `goal` is where it says what is to come of it. */
export function hintsOf(
  sentence: Sentence,
  {
    goal,
    exclusions,
  }: { readonly goal: ReadonlySet<number>; readonly exclusions: ReadonlySet<number> },
): Hints {
  const words = new Set(
    sentence.tokens
      .filter(({ kind }, at) => kind === 'word' && !goal.has(at))
      .map(({ fold }) => fold),
  );
  const says = (word: string) => words.has(word);
  const isFree = sentence.free().some(({ token }) => folderWords.includes(token.fold));
  return {
    areFolders: isFree && !says('files'),
    asksFolders: asksFolders(sentence),
    wasDownloaded: says('downloaded') || (says('download') && says('i')),
    isEverything: everything.some(says),
    isOne: isOne(sentence, exclusions),
    saysWish: wishes.some(says),
    saysAllFiles: says('files') || says('every'),
    saysIf: says('would') || says('if'),
    isJoined: isJoined(sentence),
    saysFolder: says('folder') || says('directory'),
    saysBareFiles: sentence.tokens[1]?.fold === 'files',
    isPathLonger: isPathLonger(sentence),
    isInto: sentence.tokens.some(({ fold }) => ['into', 'onto', 'to'].includes(fold)),
  };
}

const single =
  /^(?:file|thing|item|document|photo|picture|image|video|pdf|spreadsheet|song|screenshot|presentation|movie|film|zip|archive|note|clip|jpg|jpeg|png|doc|docx|txt|csv|mp3|mp4)$/;
const plural =
  /^(?:files|documents|docs|images|photos|pictures|pics|videos|movies|clips|songs|tracks|recordings|names|folder|folders|archives|type)$/;

/** `the PDF`, and neither `the PDF files` nor `the zip folder`. */
function isOne({ tokens }: Sentence, exclusions: ReadonlySet<number>): boolean {
  return tokens.some(({ kind, fold }, at) => {
    // `what is not a PDF` are many.
    const isSingle = kind === 'word' && single.test(fold) && !exclusions.has(at);
    const before = [tokens[at - 1]?.fold ?? '', tokens[at - 2]?.fold ?? ''];
    const isDefinite = before.some((word) =>
      ['the', 'a', 'an', 'this', 'that', 'my'].includes(word),
    );
    // `the folder Archive` is called so.
    const isName = ['folder', 'directory'].includes(before[0] ?? '');
    return isSingle && isDefinite && !isName && !plural.test(tokens[at + 1]?.fold ?? '');
  });
}

const askingWords = ['which', 'what', 'largest', 'biggest', 'heaviest', 'each', 'every'];

/** `which folder`, `the biggest folders`; "in my home folder" asks for no folder. */
function asksFolders({ tokens }: Sentence): boolean {
  return tokens.some(({ fold }, at) => {
    if (folderWords.includes(fold)) return true;
    const isAsked = askingWords.includes(tokens[at - 1]?.fold ?? '');
    return isAsked && ['folder', 'directory', 'subfolder'].includes(fold);
  });
}

function isPathLonger({ tokens }: Sentence): boolean {
  const unread = new Sentence(tokens);
  return tokens.some(({ kind, text, isEnd }, at) => {
    const isFolder = kind === 'path' && !isEnd && !/\.\w{1,8}$|[*/]$/.test(text);
    const isLower = /^\p{Ll}/u.test(tokens[at + 1]?.text ?? '');
    return isFolder && isLower && typeAt(unread.cursor(at + 1)) !== undefined;
  });
}

function isJoined({ tokens }: Sentence): boolean {
  const seconds = ['files', 'everything', 'all', 'anything', 'any', 'every'];
  return tokens.some(
    ({ kind, fold }, at) =>
      kind === 'word' &&
      (fold === 'and' || fold === 'or') &&
      seconds.includes(tokens[at + 1]?.fold ?? ''),
  );
}
