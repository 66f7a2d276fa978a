/** Everything that a sentence says, each thing in its place. */
import { Sentence } from '../../kernel/language/cursor.ts';
import { type DateSpan, takeDates } from '../../kernel/language/dates.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { type Destination, namesAgain, takeDestination } from './destination.ts';
import {
  type FolderFound,
  folderAt,
  knownPath,
  misspelt,
  partlyNamed,
  type Said,
} from './folders.ts';
import { askedAbout, asksForFolders, asksSize, isOne } from './hints.ts';
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
  readonly sentence: Said;
  /** What is left, in its order. */
  readonly left: readonly Token[];
}

const everything = ['everything', 'anything', 'all', 'files', 'every', 'stuff', 'things'];

/** In this order: what is said more exactly is taken before what could be a part of it. */
export function slotsOf(
  sentence: Said,
  { verb: said, options }: Pick<Slots, 'verb' | 'options'>,
): Slots {
  // `dump the photos into Archive` keeps them.
  const isThrown = ['dump', 'toss'].includes(said.said) && / (?:into|onto) /.test(sentence.text);
  const verb = isThrown ? { ...said, verb: 'move' as const } : said;
  const isLooking = !isChange(verb.verb);
  const hasContents = !isLooking && takeContents(sentence);
  if (isLooking) takeSmallTalk(sentence);
  const { excludedAt, called, ...which } = takeWhich(sentence, verb);
  const { at: nameAt, found: newName } = taking(sentence, () =>
    verb.verb === 'rename' ? takeNewName(sentence, verb) : undefined,
  );
  const dates = takeDates(sentence, sentence.world);
  const order =
    takeOrder(sentence, { isSorting: isLooking }) ??
    (isLooking ? takeVagueOrder(sentence) : undefined);
  const { at: goalAt, found: destination } = taking(sentence, () =>
    takeDestination(sentence, verb),
  );
  const where = takeWhere(sentence, verb);
  const calledFiles = calledFile(called, verb);
  const files = [...takeFileNames(sentence), ...calledFiles];
  const says = saying(sentence, new Set([...nameAt, ...goalAt]));
  const spent = {
    order,
    dates,
    sizes: which.sizes,
    twins: which.areDuplicates,
    types: where.types,
  };
  const left = wordsLeft(sentence, verb).filter(({ fold }) => !isSpent(fold, spent));
  const guessed = where.folders.length === 0 ? guessedFolder(sentence, verb, left) : undefined;
  const isBare = where.types.length === 0 && order === undefined && left.length === 0;
  const isSized = where.types.length + files.length === 0 && asksSize(sentence, where.folders);
  return {
    ...{ ...which, ...where, dates, order, destination, options, files, says, sentence },
    verb: isSized ? { ...verb, verb: 'usage' } : askedAbout(sentence, verb, { files, isBare }),
    sizes: isSized ? undefined : which.sizes,
    called: calledFiles.length > 0 ? undefined : called,
    newName: withNewExtension(newName, files),
    folders: guessed === undefined ? where.folders : [guessed],
    areFolders: !says('files') && asksForFolders(sentence),
    isEverything: (says(...everything) || hasContents) && options.isWholeFolder !== true,
    isOne: isOne(sentence, new Set(excludedAt)),
    isNameLonger: left.some((token) => isBeforeName(sentence, token)),
    left: guessed === undefined ? left : [],
  };
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

/** No word of a new name says anything of what is there: `Old stuff`, `All files`. */
function saying({ tokens }: Said, goal: ReadonlySet<number>): Slots['says'] {
  return (...words) =>
    tokens.some(({ kind, fold }, at) => kind === 'word' && words.includes(fold) && !goal.has(at));
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

/** Which files, by what they are called, hold and weigh. */
function takeWhich(sentence: Said, { verb }: VerbFound) {
  const isLooking = !isChange(verb);
  const wanted = isLooking ? [twinsSeen, twins] : [twins];
  const areDuplicates = sentence.takePhrase(...wanted);
  const notCalled = isLooking ? takeNotCalled(sentence) : [];
  // "A folder called X" is a place, and a copy that is called so gets that name.
  const isFolder = / (?:folder|directory|subfolder) (?:called|named) /.test(sentence.text);
  const isCopied = verb === 'copy' && sentence.tokens.some((_, at) => namesAgain(sentence, at));
  const called = verb === 'rename' || isFolder || isCopied ? undefined : takeCalled(sentence);
  const { found, at: excludedAt } = taking(sentence, () =>
    takeExclusions(sentence, { isWide: !isLooking }),
  );
  const isOfContent = isLooking || sentence.text.includes(' containing ');
  const content = isOfContent ? takeContent(sentence) : undefined;
  const namePattern = takeNamePattern(sentence);
  const exclude = [...notCalled, ...found];
  const sizes = takeSizes(sentence);
  return { areDuplicates, called, exclude, excludedAt, content, namePattern, sizes };
}

/** Where they are, and of which kind: a word may be either. */
function takeWhere(sentence: Said, verb: VerbFound) {
  // "How large is code" asks for the folder of that name, where there is one.
  const own = verb.said.endsWith(' is') ? takeOwnFolder(sentence, verb) : [];
  const known = own.length > 0 ? own : takeFolders(sentence, { isDirect: isOpenEnded(verb) });
  const isKindOrFolder = known.length === 0 && namesBoth(sentence, verb);
  const kinds = takeKinds(sentence, { isTyped: isChange(verb.verb) });
  if (!isChange(verb.verb)) takeGatherings(sentence);
  const unknown = known.length === 0 ? takeUnknownFolder(sentence) : undefined;
  return { ...kinds, isKindOrFolder, folders: unknown === undefined ? known : [unknown] };
}

function takeOwnFolder(sentence: Said, { next }: VerbFound): FolderFound[] {
  const found = folderAt(sentence.cursor(next));
  const isLast = next === sentence.tokens.length - 1;
  if (!isLast || found?.isKnown !== false) return [];
  sentence.use(next);
  return [found];
}

function namesBoth({ tokens, world }: Said, { next }: VerbFound): boolean {
  const unread = new Sentence(tokens.slice(next, next + 1), world);
  const isKind = kindAt(unread.cursor(0)) !== undefined;
  return isKind && knownPath(unread.word(0), world) !== undefined;
}

/** `open the file called a.txt` is about that file. */
function calledFile(called: TextWanted | undefined, { verb }: VerbFound): string[] {
  const isAbout = ['read', 'details', 'usage'].includes(verb);
  const isWhole = called?.isPart !== true && /\.\w{1,8}$/.test(called?.text ?? '');
  return isAbout && isWhole && called !== undefined ? [called.text] : [];
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

function wordsLeft(sentence: Sentence, { verb, at: start, next }: VerbFound): Token[] {
  const isLooking = !isChange(verb);
  // `I think there is a huge one, find …`: what comes before is not looked for.
  const isLater = sentence.isEnd(start - 1) && next < sentence.tokens.length && isLooking;
  const isAbout = ['it', 'them', 'those', 'that', 'one'].includes(sentence.word(next));
  const from = isLater && !isAbout ? start : 0;
  const isKept = (word: string) =>
    isLooking ? !isFiller(word) && !isChatter(word) : isTelling(word);
  const left = sentence.free().filter(({ token, at }) => {
    // `Last modified`, and not `the last three`.
    const isTime = token.fold === 'last' && isParticiple(sentence.word(at + 1));
    return at >= from && !isTime && (token.kind !== 'word' || isKept(token.fold));
  });
  return left.map(({ token }) => token);
}

interface Spent extends Pick<Slots, 'order' | 'types' | 'sizes' | 'dates'> {
  readonly twins: boolean;
}

const sizeWords = wordSet('small tiny little large big huge');

/** Words that belong to what has been taken, wherever in the sentence they stand. */
function isSpent(word: string, { order, types, sizes, dates, twins: isTwin }: Spent): boolean {
  if (word === 'same') return isTwin;
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
  { world }: Said,
  { verb }: VerbFound,
  left: readonly Token[],
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

export function wasDownloaded({ says }: Slots): boolean {
  return says('downloaded') || (says('download') && says('i'));
}
