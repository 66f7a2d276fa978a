/** Everything that a sentence says, each thing in its place. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import { Sentence } from '../../kernel/language/cursor.ts';
import { type DateSpan, takeDates } from '../../kernel/language/dates.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { fold, type Token } from '../../kernel/language/tokens.ts';
import { type Destination, namesAgain, takeDestination } from './destination.ts';
import { type FolderFound, folderAt, misspelt, partlyNamed } from './folders.ts';
import { type Kind, kindAt, takeKinds } from './kinds.ts';
import {
  type TextWanted,
  takeCalled,
  takeContent,
  takeExclusions,
  takeFileNames,
  takeNamePattern,
  takeNotCalled,
} from './names.ts';
import { takeNewName } from './new-name.ts';
import type { SaidOptions } from './options.ts';
import { type Order, takeOrder, takeVagueOrder } from './order.ts';
import { takeFolders, takeUnknownFolder } from './places.ts';
import { type SizeSpan, takeSizes } from './sizes.ts';
import { isChange, isClearing, type VerbFound } from './verbs.ts';
import {
  isChatter,
  isFiller,
  isParticiple,
  isTelling,
  takeGatherings,
  takeSmallTalk,
} from './words.ts';

export interface Slots {
  readonly verb: VerbFound;
  readonly folders: readonly FolderFound[];
  readonly types: readonly Kind[];
  /** Two kinds side by side, with no word between them. */
  readonly areMixed: boolean;
  readonly dates?: DateSpan | undefined;
  readonly sizes?: SizeSpan | undefined;
  readonly order?: Order | undefined;
  readonly options: SaidOptions;
  readonly exclude: readonly string[];
  readonly destination?: Destination | undefined;
  /** A new name or a pattern of new names. */
  readonly newName?: string | undefined;
  readonly files: readonly string[];
  readonly called?: TextWanted | undefined;
  readonly content?: TextWanted | undefined;
  readonly namePattern?: string | undefined;
  readonly areDuplicates: boolean;
  /** Whether it says the word, but for where it says what is to come of it. */
  readonly says: (...words: readonly string[]) => boolean;
  /** Folders are what is looked for. */
  readonly areFolders: boolean;
  /** `everything`, `the contents of Work`. */
  readonly isEverything: boolean;
  /** `the file`, `a photo`: one, and not all of them. */
  readonly isOne: boolean;
  /** A kind and a folder have this name, and nothing says which is meant: `remove tmp`. */
  readonly isKindOrFolder: boolean;
  /** A word before the name of a file may be a part of it: `meeting notes.txt`. */
  readonly isNameLonger: boolean;
  readonly tokens: readonly Token[];
  /** What is left, in its order. */
  readonly left: readonly Token[];
}

const everything = ['everything', 'anything', 'all', 'files', 'every', 'stuff', 'things'];
const folderWords = wordSet('folders directories subfolders subdirectories sub-folders');

/** In this order: what is said more exactly is taken before what could be a part of it. */
export function slotsOf(
  sentence: Sentence,
  { verb: said, options }: Pick<Slots, 'verb' | 'options'>,
  world: SentenceWorld,
): Slots {
  const { tokens } = sentence;
  const verb = thrownInto(sentence, said) ? { ...said, verb: 'move' as const } : said;
  const isLooking = !isChange(verb.verb);
  const hasContents = !isLooking && takeContents(sentence);
  if (isLooking) takeSmallTalk(sentence);
  const areDuplicates = takeTwins(sentence, { isLooking });
  const notCalled = isLooking ? takeNotCalled(sentence) : [];
  const called = namesOther(sentence, verb) ? undefined : takeCalled(sentence);
  const exclusions = taking(sentence, () => takeExclusions(sentence, world));
  const isOfContent = isLooking || tokens.some(({ fold }) => fold === 'containing');
  const content = isOfContent ? takeContent(sentence) : undefined;
  const namePattern = takeNamePattern(sentence);
  const sizes = takeSizes(sentence);
  const newName = taking(sentence, () =>
    verb.verb === 'rename' ? takeNewName(sentence, verb) : undefined,
  );
  const dates = takeDates(sentence, world);
  const order =
    takeOrder(sentence, { isSorting: isLooking }) ??
    (isLooking ? takeVagueOrder(sentence) : undefined);
  const destination = taking(sentence, () => takeDestination(sentence, verb, world));
  // "How large is code" asks for the folder of that name, where there is one.
  const own = verb.said.endsWith(' is') ? takeOwnFolder(sentence, verb, world) : [];
  const known =
    own.length > 0 ? own : takeFolders(sentence, world, { isDirect: isOpenEnded(verb) });
  const kinds = takeKinds(sentence);
  if (isLooking) takeGatherings(sentence);
  const unknown = known.length === 0 ? takeUnknownFolder(sentence, world) : undefined;
  const calledFiles = calledFile(called, verb);
  const files = [...takeFileNames(sentence), ...calledFiles];
  // No word of a new name says anything of what is there: `Old stuff`, `All files`.
  const goal = new Set([...newName.at, ...destination.at]);
  const says = (...words: readonly string[]) =>
    tokens.some(({ kind, fold }, at) => kind === 'word' && words.includes(fold) && !goal.has(at));
  const areFolders = !says('files') && asksForFolders(sentence);
  const spent = { order, sizes, dates, areDuplicates, types: kinds.types };
  const left = wordsLeft(sentence, verb).filter(({ fold }) => !isSpent(fold, spent));
  const guessed = known.length === 0 ? guessedFolder(left, verb, world) : undefined;
  const folder = unknown ?? guessed;
  const isKindOrFolder = known.length === 0 && namesBoth(tokens[verb.next], kinds.types, world);
  const isBare = kinds.types.length === 0 && order === undefined && left.length === 0;
  const isSized = kinds.types.length + files.length === 0 && asksSize(sentence, known);
  return {
    ...{
      ...kinds,
      areDuplicates,
      content,
      namePattern,
      order,
      dates,
      options,
      files,
      says,
      tokens,
    },
    ...{
      areFolders,
      isKindOrFolder,
      isOne: isOne(sentence, new Set(exclusions.at)),
      destination: destination.found,
    },
    verb: isSized ? { ...verb, verb: 'usage' } : askedAbout(sentence, verb, { files, isBare }),
    sizes: isSized ? undefined : sizes,
    called: calledFiles.length > 0 ? undefined : called,
    exclude: [...notCalled, ...exclusions.found],
    isEverything: (says(...everything) || hasContents) && options.isWholeFolder !== true,
    newName: withNewExtension(newName.found, files),
    folders: folder === undefined ? known : [...known, folder],
    isNameLonger: left.some((token) => isBeforeName(sentence, token)),
    left: guessed === undefined ? left : [],
  };
}

/** `folders in Work`, `every folder`; the noun behind the name of a folder is used up. */
function asksForFolders(sentence: Sentence): boolean {
  return sentence.free().some(({ token: { fold: word }, at }) => {
    const isEach = ['every', 'each', 'any', 'all'].includes(sentence.tokens[at - 1]?.fold ?? '');
    return folderWords.has(word) || (isEach && ['folder', 'directory', 'subfolder'].includes(word));
  });
}

/** Also where the words stood of which it was made. */
function taking<Found>(
  sentence: Sentence,
  rule: () => Found,
): { readonly found: Found; readonly at: readonly number[] } {
  const before = sentence.free().map(({ at }) => at);
  const found = rule();
  return { found, at: before.filter((at) => !sentence.isFree(at)) };
}

/** `dump the photos into Archive` keeps them. */
function thrownInto({ tokens }: Sentence, { said }: VerbFound): boolean {
  const isThrown = ['dump', 'toss'].includes(said);
  return isThrown && tokens.some(({ fold }) => fold === 'into' || fold === 'onto');
}

/** `the contents of Work` is everything in it. */
function takeContents(sentence: Sentence): boolean {
  if (sentence.tokens.some(({ kind }) => kind === 'name')) return false;
  const found = sentence.take((cursor) => {
    const said = cursor.take('all the contents of', 'the contents of', 'contents of');
    // The folder is found behind its `of`.
    if (said !== undefined) cursor.at--;
    return said;
  });
  return found !== undefined;
}

const twins = phrases(
  'exact (duplicates|copies|duplicate), duplicates, duplicate, duplicated, identical',
);
/** Where something is changed, "two copies of" may be how many. */
const twinsSeen = phrases(`
(two|multiple|several) copies of, more than one copy of, [exact] copies of (each other|one another)
copies of the same, more than once, exactly the same, (that|which) are the same, twice`);

function takeTwins(sentence: Sentence, { isLooking }: { readonly isLooking: boolean }): boolean {
  const wanted = isLooking ? [twinsSeen, twins] : [twins];
  return sentence.take((cursor) => cursor.take(...wanted)) !== undefined;
}

/** "A folder called X" is a place, and a copy that is called so gets that name. */
function namesOther(sentence: Sentence, { verb }: VerbFound): boolean {
  const { tokens } = sentence;
  const at = tokens.findIndex(({ fold }) => fold === 'called' || fold === 'named');
  const isFolder = ['folder', 'directory', 'subfolder'].includes(tokens[at - 1]?.fold ?? '');
  const isCopied = verb === 'copy' && tokens.some((_, place) => namesAgain(sentence, place));
  return verb === 'rename' || isFolder || isCopied;
}

/** `open the file called a.txt` is about that file. */
function calledFile(called: TextWanted | undefined, { verb }: VerbFound): string[] {
  const isAbout = ['read', 'details', 'usage'].includes(verb);
  const isWhole = called?.isPart !== true && /\.\w{1,8}$/.test(called?.text ?? '');
  return isAbout && isWhole && called !== undefined ? [called.text] : [];
}

function takeOwnFolder(
  sentence: Sentence,
  { next }: VerbFound,
  world: SentenceWorld,
): FolderFound[] {
  const found = folderAt(sentence.cursor(next), world);
  const isLast = next === sentence.tokens.length - 1;
  if (!isLast || found?.isKnown !== false) return [];
  sentence.use(next);
  return [found];
}

function namesBoth(
  token: Token | undefined,
  [kind]: readonly Kind[],
  { folders }: SentenceWorld,
): boolean {
  const isKind = kind !== undefined && kindAt(new Sentence(token ? [token] : []).cursor(0));
  const isNamed = folders.some(({ names }) => names.some((name) => fold(name) === token?.fold));
  return isKind !== undefined && isKind !== false && isNamed;
}

/** Of one file it is a name, and no pattern. */
function withNewExtension(
  newName: string | undefined,
  files: readonly string[],
): string | undefined {
  const [, extension] = /^\{name\}(\.\w+)$/.exec(newName ?? '') ?? [];
  const [file, ...others] = files;
  if (extension === undefined || file === undefined || others.length > 0) return newName;
  return file.slice(file.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '') + extension;
}

function wordsLeft(sentence: Sentence, verb: VerbFound): Token[] {
  const { tokens } = sentence;
  const isLooking = !isChange(verb.verb);
  // `I think there is a huge one, find …`: what is told before is not looked for.
  const isLater = tokens[verb.at - 1]?.isEnd === true && verb.next < tokens.length;
  const isAbout = ['it', 'them', 'those', 'that', 'one'].includes(tokens[verb.next]?.fold ?? '');
  const from = isLater && !isAbout && isLooking ? verb.at : 0;
  const isKept = (word: string) =>
    isLooking ? !isFiller(word) && !isChatter(word) : isTelling(word);
  return sentence
    .free()
    .filter(({ token, at }) => {
      // `Last modified`, and not `the last three`.
      const isTime = token.fold === 'last' && isParticiple(tokens[at + 1]?.fold ?? '');
      return at >= from && !isTime && (token.kind !== 'word' || isKept(token.fold));
    })
    .map(({ token }) => token);
}

const sizeWords = wordSet('small tiny little large big huge');

/** Words that belong to what has been taken, wherever in the sentence they stand. */
function isSpent(
  word: string,
  spent: Pick<Slots, 'order' | 'types' | 'sizes' | 'dates' | 'areDuplicates'>,
): boolean {
  const { order, types, sizes, dates, areDuplicates } = spent;
  if (word === 'same') return areDuplicates;
  if (sizeWords.has(word)) return sizes !== undefined;
  if (word === 'first') return order !== undefined;
  if (word === 'or') return types.length > 1;
  // "Over 10 MB but under 20 MB".
  if (word === 'but') return sizes?.over !== undefined && sizes.under !== undefined;
  return dates !== undefined && isParticiple(word);
}

function isBeforeName({ tokens }: Sentence, token: Token): boolean {
  const next = tokens[tokens.indexOf(token) + 1];
  return token.kind === 'word' && !token.isEnd && next?.kind === 'name';
}

/** All that is left is a folder: misspelt, or with a part of its name. */
function guessedFolder(
  left: readonly Token[],
  { verb }: VerbFound,
  world: SentenceWorld,
): FolderFound | undefined {
  const words = left.map(({ fold }) => fold);
  if (verb === 'rename') return partlyNamed(words, world);
  const [word, ...others] = words;
  const isPlace = (verb === 'list' || verb === 'usage') && others.length === 0;
  return isPlace && word !== undefined ? misspelt(word, world) : undefined;
}

const direct = phrases(`
ls, browse, check, list, show [me], display, search, move, copy, rename, delete, remove, back up, backup
clone, transfer, relocate`);

/** The verb asks for a place at once: `what is in`, `size of`, `list`, `empty`. */
function isOpenEnded({ verb, said }: VerbFound): boolean {
  const isAsking = !isChange(verb) && / (?:in|inside|on|of|for|by|through)$/.test(said);
  return isAsking || direct.has(said) || isClearing({ said });
}

const sizeAdjectives = wordSet('bigger larger smaller over more big large huge full');

/** `is Videos bigger than 20 GB`: of the folder, and not of what is in it. */
function asksSize({ tokens }: Sentence, folders: readonly FolderFound[]): boolean {
  const at = tokens.findIndex(({ fold }) => sizeAdjectives.has(fold));
  const isPlain = tokens
    .slice(1, at)
    .every(({ fold }) => !['there', 'anything', 'something', 'any'].includes(fold));
  return tokens[0]?.fold === 'is' && at > 1 && isPlain && folders.length === 1;
}

const reading = phrases(`
display, show [me], view, see, let me see, what is (in|inside), (have|take) a look at, look at, print`);

/** What the verb is really about: "show me notes.md" reads it, "what is a.pdf" asks what it is. */
function askedAbout(
  { tokens }: Sentence,
  found: VerbFound,
  { files, isBare }: { readonly files: readonly string[]; readonly isBare: boolean },
): VerbFound {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return found;
  const details = { ...found, verb: 'details' } as const;
  const [first, second] = tokens.map(({ fold }) => fold);
  // `Where was sunset.jpg taken?`: what the file tells of itself.
  const isOrigin = ['taken', 'shot', 'recorded'].includes(tokens.at(-1)?.fold ?? '');
  if (first === 'where' && second === 'was' && isOrigin) return details;
  if (!isBare) {
    // "Is photo.heic an image?" wants to know what it is.
    const about = tokens
      .slice(1)
      .find(({ fold }) => !['the', 'my', 'file', 'photo', 'video'].includes(fold));
    const isAsked = first === 'is' && (about?.kind === 'name' || about?.kind === 'path');
    return isAsked ? { ...details, said: 'is' } : found;
  }
  // Whose path is known is not looked for: "is there a ~/Documents/a.txt".
  const isPlaced = file.includes('/');
  if (isPlaced && ['look inside', 'look in'].includes(found.said))
    return { ...found, verb: 'read' };
  if (isPlaced && found.verb === 'find') return details;
  if (found.verb !== 'list') return found;
  if (found.said === 'what is') return details;
  return reading.has(found.said) ? { ...found, verb: 'read' } : found;
}

const single = wordSet(`
file thing item document photo picture image video pdf spreadsheet song screenshot presentation movie
film zip archive note clip jpg jpeg png doc docx txt csv mp3 mp4`);
const plural = wordSet(`
files documents docs images photos pictures pics videos movies clips songs tracks recordings names
folder folders archives type`);

/** `the PDF`, and neither `the PDF files` nor `the zip folder`. */
function isOne({ tokens }: Sentence, exclusions: ReadonlySet<number>): boolean {
  return tokens.some(({ kind, fold }, at) => {
    // `What is not a PDF` are many.
    if (kind !== 'word' || !single.has(fold) || exclusions.has(at)) return false;
    const before = [tokens[at - 1]?.fold ?? '', tokens[at - 2]?.fold ?? ''];
    const isDefinite = before.some((word) =>
      ['the', 'a', 'an', 'this', 'that', 'my'].includes(word),
    );
    // `The folder Archive` is called so.
    const isName = ['folder', 'directory'].includes(before[0] ?? '');
    return isDefinite && !isName && !plural.has(tokens[at + 1]?.fold ?? '');
  });
}

/** `which folder`, `the biggest folders`; "in my home folder" asks for no folder. */
export function asksFolders({ tokens }: Slots): boolean {
  const asking = ['which', 'what', 'largest', 'biggest', 'heaviest', 'each', 'every'];
  return tokens.some(({ fold }, at) => {
    const isAsked = asking.includes(tokens[at - 1]?.fold ?? '');
    return (
      folderWords.has(fold) || (isAsked && ['folder', 'directory', 'subfolder'].includes(fold))
    );
  });
}

/** `Archive/old photos`: photos in a folder, or the name of it? */
export function isPathLonger({ tokens }: Slots): boolean {
  const unread = new Sentence(tokens);
  return tokens.some(({ kind, text, isEnd }, at) => {
    const isFolder = kind === 'path' && !isEnd && !/\.\w{1,8}$|[*/]$/.test(text);
    const isLower = /^\p{Ll}/u.test(tokens[at + 1]?.text ?? '');
    return isFolder && isLower && kindAt(unread.cursor(at + 1)) !== undefined;
  });
}

export function wasDownloaded({ says }: Slots): boolean {
  return says('downloaded') || (says('download') && says('i'));
}
