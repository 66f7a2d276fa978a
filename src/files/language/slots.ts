/** Everything that a sentence says, each thing in its place. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';
import { type DateSpan, takeDates } from '../../kernel/language/dates.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import {
  aboutOne,
  askedAbout,
  asksOrigin,
  asksSize,
  calledFile,
  thrownInto,
} from './asked-about.ts';
import {
  type Destination,
  namesAgain,
  takeDestination,
  takeLastArgument,
  takeNameThere,
} from './destination.ts';
import { type FolderFound, misspelt, partlyNamed } from './folders.ts';
import { type Hints, hintsOf } from './hints.ts';
import {
  type TextWanted,
  takeCalled,
  takeContent,
  takeExclusions,
  takeFileNames,
  takeNamePattern,
  takeNotCalled,
} from './named-files.ts';
import { takeNewName } from './new-name.ts';
import { type Order, takeOrder, takeVagueOrder } from './order.ts';
import { takeFolders, takeUnknownFolder } from './places.ts';
import type { SaidOptions } from './said-options.ts';
import { type SizeSpan, takeSizes } from './sizes.ts';
import { takeGatherings, takeSmallTalk } from './small-talk.ts';
import { isChatter, isFiller, isParticiple, isTelling } from './stop-words.ts';
import { type TypeWord, takeTypes } from './type-words.ts';
import { isChange, isClearing, type VerbFound } from './verbs.ts';

export interface Slots extends Hints {
  readonly verb: VerbFound;
  readonly folders: readonly FolderFound[];
  readonly types: readonly TypeWord[];
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
  /** A word before the name of a file may be a part of it: `meeting notes.txt`. */
  readonly isNameLonger: boolean;
  /** What is left, in its order. */
  readonly left: readonly Token[];
}

export function slotsOf(
  sentence: Sentence,
  { verb: said, options }: Pick<Slots, 'verb' | 'options'>,
  world: SentenceWorld,
): Slots {
  const verb = thrownInto(sentence, said) ? { ...said, deed: 'move' as const } : said;
  const hasContents = isChange(verb.deed) && takeContents(sentence);
  if (!isChange(verb.deed)) takeSmallTalk(sentence);
  const { excludedAt, ...told } = takeTold(sentence, verb, world);
  const { found: newName, at: nameAt } = taking(sentence, () =>
    verb.deed === 'rename' ? takeNewName(sentence, verb) : undefined,
  );
  const isCalledFile = calledFile(told.called, verb).length > 0;
  const narrowing = {
    ...told,
    called: isCalledFile ? undefined : told.called,
    ...takeWhen(sentence, verb, world),
  };
  const { found: destination, at: destinationAt } = taking(sentence, () =>
    destinationOf(sentence, verb, world),
  );
  const known = takeFolders(sentence, world, { isDirect: isOpenEnded(verb) });
  const { types, areMixed } = takeTypes(sentence);
  if (!isChange(verb.deed)) takeGatherings(sentence);
  const partly = known.length === 0 ? takeUnknownFolder(sentence, world) : undefined;
  const files = [...takeFileNames(sentence), ...calledFile(told.called, verb)];
  // No word of a new name says anything of what is there: `Old stuff`, `All files`.
  const hints = hintsOf(sentence, {
    goal: new Set([...nameAt, ...destinationAt]),
    exclusions: new Set(excludedAt),
  });
  const left = wordsLeft(sentence, verb).filter(
    ({ fold }) => !isSpent(fold, { ...narrowing, types }),
  );
  const guessed = known.length === 0 ? guessedFolder(left, verb, world) : undefined;
  const folder = partly ?? guessed;
  const isSized = types.length === 0 && files.length === 0 && asksSize(sentence, known);
  return {
    ...hints,
    isEverything: (hints.isEverything || hasContents) && options.isWholeFolder !== true,
    saysFolder: hints.saysFolder || options.isWholeFolder === true,
    ...narrowing,
    newName: withNewExtension(newName, files),
    ...(isSized ? { sizes: undefined } : {}),
    verb: isSized
      ? { ...verb, deed: 'usage' }
      : asksOrigin(sentence, files)
        ? { ...verb, deed: 'details' }
        : left.length + types.length === 0 && narrowing.order === undefined
          ? aboutOne(verb, files)
          : askedAbout(sentence, verb, files),
    options,
    folders: folder === undefined ? known : [...known, folder],
    types,
    areMixed,
    destination,
    files,
    isNameLonger: left.some((token) => isBeforeName(sentence, token)),
    left: guessed === undefined ? left : [],
  };
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

/** Also where the words stood of which it was made. */
function taking<Found>(
  sentence: Sentence,
  rule: () => Found,
): { readonly found: Found; readonly at: readonly number[] } {
  const before = sentence.free().map(({ at }) => at);
  const found = rule();
  return { found, at: before.filter((at) => !sentence.isFree(at)) };
}

type Told = Pick<
  Slots,
  'areDuplicates' | 'called' | 'exclude' | 'content' | 'namePattern' | 'sizes'
> & { readonly excludedAt: readonly number[] };

function excludedBy(
  sentence: Sentence,
  world: SentenceWorld,
  notCalled: readonly string[],
): Pick<Told, 'exclude' | 'excludedAt'> {
  const { found, at } = taking(sentence, () => takeExclusions(sentence, world));
  return { exclude: [...notCalled, ...found], excludedAt: at };
}

/** In this order: what is said more exactly is taken before what could be a part of it. */
function takeTold(sentence: Sentence, { deed }: VerbFound, world: SentenceWorld): Told {
  const isContent = !isChange(deed) || sentence.tokens.some(({ fold }) => fold === 'containing');
  const isCopied = deed === 'copy' && sentence.tokens.some((_, at) => namesAgain(sentence, at));
  const isCalled = deed !== 'rename' && !isCopied && !namesFolder(sentence);
  const twinsSaid = isChange(deed) ? twinWords : [...twinPhrases, ...twinWords];
  const twins = sentence.take((cursor) => cursor.take(...twinsSaid));
  const notCalled = isChange(deed) ? [] : takeNotCalled(sentence);
  return {
    areDuplicates: twins !== undefined,
    called: isCalled ? takeCalled(sentence) : undefined,
    ...excludedBy(sentence, world, notCalled),
    content: isContent ? takeContent(sentence) : undefined,
    namePattern: takeNamePattern(sentence),
    sizes: takeSizes(sentence),
  };
}

function takeWhen(
  sentence: Sentence,
  { deed }: VerbFound,
  world: SentenceWorld,
): Pick<Slots, 'dates' | 'order'> {
  return {
    dates: takeDates(sentence, world),
    order:
      takeOrder(sentence, { isSorting: !isChange(deed) }) ??
      (isChange(deed) ? undefined : takeVagueOrder(sentence)),
  };
}

/** `the contents of Work` is everything in it. */
function takeContents(sentence: Sentence): boolean {
  const isOfFile = sentence.tokens.some(({ kind }) => kind === 'name');
  return (
    !isOfFile &&
    sentence.take((cursor) => {
      const said = cursor.take('all the contents of', 'the contents of', 'contents of');
      // The folder is found behind its `of`.
      if (said !== undefined) cursor.at--;
      return said;
    }) !== undefined
  );
}

const twinWords = [
  'exact duplicates',
  'exact copies',
  'exact duplicate',
  'duplicates',
  'duplicate',
  'duplicated',
  'identical',
];

/** Where something is changed, "two copies of" may be how many. */
const twinPhrases = [
  ...['two copies of', 'more than one copy of', 'multiple copies of', 'several copies of'],
  ...['exact copies of each other', 'copies of each other', 'copies of one another'],
  ...['copies of the same', 'more than once', 'exactly the same', 'that are the same'],
  ...['which are the same', 'twice'],
];

function wordsLeft(sentence: Sentence, verb: VerbFound): Token[] {
  const keep = isChange(verb.deed)
    ? isTelling
    : (word: string) => !isFiller(word) && !isChatter(word);
  const from = isPreface(sentence, verb) ? verb.at : 0;
  return sentence
    .free()
    .filter(({ at }) => at >= from && !isLastTime(sentence, at))
    .map(({ token }) => token)
    .filter(({ kind, fold }) => kind !== 'word' || keep(fold));
}

/** `last modified`, and not `the last three`. */
function isLastTime({ tokens }: Sentence, at: number): boolean {
  return tokens[at]?.fold === 'last' && isParticiple(tokens[at + 1]?.fold ?? '');
}

/** `I think there is a huge one, find …`: what is told before is not looked for. */
function isPreface({ tokens }: Sentence, { deed, at, next }: VerbFound): boolean {
  const isLater = tokens[at - 1]?.isEnd === true && next < tokens.length;
  const isAbout = ['it', 'them', 'those', 'that', 'one'].includes(tokens[next]?.fold ?? '');
  return isLater && !isAbout && !isChange(deed);
}

const sizeWords = new Set('small tiny little large big huge'.split(' '));

/** Words that belong to what has been taken, wherever in the sentence they stand. */
function isSpent(
  word: string,
  {
    order,
    types,
    sizes,
    dates,
    areDuplicates,
  }: Pick<Slots, 'order' | 'types' | 'sizes' | 'dates' | 'areDuplicates'>,
): boolean {
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
  { deed }: VerbFound,
  world: SentenceWorld,
): FolderFound | undefined {
  const words = left.map(({ fold }) => fold);
  if (deed === 'rename') return partlyNamed(words, world);
  const isPlace = (deed === 'list' || deed === 'usage') && words.length === 1;
  return isPlace ? misspelt(words[0] ?? '', world) : undefined;
}

// "A folder called X" is a place, and no name of a file.
function namesFolder({ tokens }: Sentence): boolean {
  const at = tokens.findIndex(({ fold }) => fold === 'called' || fold === 'named');
  return ['folder', 'directory', 'subfolder'].includes(tokens[at - 1]?.fold ?? '');
}

/** The verb asks for a place at once: `what is in`, `size of`, `list`, `empty`. */
function isOpenEnded({ deed, said }: VerbFound): boolean {
  const isDirect = [
    'ls',
    'browse',
    'check',
    'list',
    'show',
    'show me',
    'display',
    'search',
  ].includes(said);
  if (isDirect || ['move', 'copy', 'rename', 'delete'].includes(said)) return true;
  if (isClearing({ said })) return true;
  return !isChange(deed) && / (?:in|inside|on|of|for|by|through)$/.test(said);
}

function destinationOf(
  sentence: Sentence,
  { deed, said, next }: VerbFound,
  world: SentenceWorld,
): Destination | undefined {
  // Nothing is deleted to somewhere: there is a doubt of its own for that.
  if (deed === 'delete') return takeDestination(sentence, world, { from: next, isPut: false });
  if (deed !== 'move' && deed !== 'copy') return undefined;
  // With its whole path said, nothing but the place of the copy is left to say.
  const isWhole = said.endsWith('copy of') && sentence.tokens[next]?.kind === 'path';
  const isPut = isWhole || putting.has(said);
  const name = takeNameThere(sentence, next);
  // "From Downloads to Music, move all songs" says it before.
  const found =
    takeDestination(sentence, world, { from: next, isPut }) ??
    takeDestination(sentence, world, { from: 0, isPut: false });
  if (name !== undefined) return named(found, name);
  const isCommand = said === 'mv' || said === 'cp';
  return found ?? (isCommand ? takeLastArgument(sentence, world, next) : undefined);
}

const putting = new Set([
  ...['put', 'stick', 'drop', 'stash', 'tuck', 'throw', 'send', 'chuck', 'place', 'shove'],
  ...['put a copy of', 'place a copy of', 'keep a copy of', 'save a copy of', 'store a copy of'],
]);

function named(found: Destination | undefined, name: string): Destination {
  if (found === undefined) return { kind: 'file', name };
  return found.kind === 'folder' ? { ...found, name } : { kind: 'vague', said: name };
}
