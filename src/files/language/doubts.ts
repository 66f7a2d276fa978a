/** Why a sentence is not enough to act on, each as a question that says what is missing. */
import type { FileRequest } from '../../kernel/files/request.ts';
import { extensionOf, mayBeOfType } from '../../kernel/files/types.ts';
import { wordSet } from '../../kernel/language/phrases.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { isPathLonger } from './hints.ts';
import { textFiles } from './kinds.ts';
import { type Doubt, ofNames, tellsNothing } from './name-doubts.ts';
import { type Slots, wasDownloaded } from './slots.ts';
import { isChange, isClearing } from './verbs.ts';

/** The first thing that is not clear enough; nothing for what may go on. */
export function doubtOf(slots: Slots, request: FileRequest): string | undefined {
  const doubts = isChange(slots.verb.verb) ? ofChanges : ofLooks;
  for (const doubt of [severalFolders, ...doubts]) {
    const question = doubt(slots, request);
    if (typeof question === 'string') return question;
  }
  return undefined;
}

const nothingSaid = 'What shall I do? For example: find PDFs from last week.';
const whichChange = 'What shall I do with which files? Begin with it: "move …", "delete …".';
const changing = wordSet(`
delete remove erase trash move rename copy wipe purge discard deleting removing moving gone renaming
copying deleted removed erased trashed moved renamed copied uppercase lowercase`);
const leavingOut = wordSet('excluding except neither excepting');

const severalFolders: Doubt = ({ folders }) => {
  const paths = folders.map(({ path }) => path);
  const deepest = paths.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const isOne = folders.every(({ path, isListed }) => {
    const isAbove = deepest.startsWith(`${path}/`) || path === '~';
    return deepest === path ? isListed !== true || paths.length === 1 : isAbove;
  });
  return !isOne && `One folder at a time, please: ${paths.map(quoted).join(' or ')}?`;
};

function quoted(text: string): string {
  return quote(text);
}

function unread({ left }: Pick<Slots, 'left'>): string {
  const words = left.slice(0, 8).map(({ text }) => quote(text));
  return `I did not understand ${words.join(', ')}.`;
}

const ofLooks: readonly Doubt[] = [
  // What would happen, and nothing that could.
  (_, { action, options }) => action === 'search_files' && options?.dry_run === true && whichChange,
  // No verb where one would stand, and one among the rest: not a thing to look for.
  ({ verb, left, says }) => {
    const isHidden = left.some(({ kind, fold }) => kind === 'word' && changing.has(fold));
    if (isHidden && says('would', 'if')) return whichChange;
    const isWanted = says('go', 'goes', 'belong', 'belongs', 'should', 'must', 'needs', 'ought');
    return verb.said === '' && (isHidden || isWanted) && whichChange;
  },
  // `What's 2 + 2`: nothing that a file is called.
  ({ verb }, { query = 'any' }) => verb.said === 'what is' && !/\p{L}/u.test(query) && nothingSaid,
  // What is to be left out must not be what is looked for.
  ({ left }) =>
    left.some(({ kind, fold }) => kind === 'word' && leavingOut.has(fold)) &&
    'What shall I leave out? Say a type, a folder, or a name in quotes.',
  // How much space something takes is only told of what is fully understood.
  ({ left }, { action }) => {
    const unclear = left.filter(({ fold }) => fold !== 'most');
    if (action !== 'get_disk_usage' || unclear.length === 0) return undefined;
    return `${unread({ left: unclear })} Say how much space of which folder or type.`;
  },
  ({ folders, files }, { action }) => {
    const isOne = action === 'read_file' || action === 'get_metadata';
    const hasPlace = folders.length > 0 && action === 'get_metadata';
    const isMissing = isOne && files.length !== 1 && !hasPlace;
    return isMissing && 'Which file? Say its name, for example "notes.txt in Documents".';
  },
  ({ verb, folders, files }, { filters, query, options }) => {
    const isSaid = (filters ?? query ?? options?.sort ?? options?.limit) !== undefined;
    const isNothing = verb.said === '' && folders.length + files.length === 0 && !isSaid;
    return isNothing && nothingSaid;
  },
];

const ofChanges: readonly Doubt[] = [
  // `remove the photos to Archive`: gone, or there?
  ({ verb, destination }) =>
    verb.verb === 'delete' &&
    destination !== undefined &&
    destination.kind !== 'trash' &&
    'Shall they be deleted, or go to another folder? Say "delete …" or "move … to …".',
  // `chuck the installers in Downloads`: into it, or out of it?
  ({ verb, destination, folders, sentence }) => {
    const isThrown = ['throw', 'chuck', 'toss', 'drop'].includes(verb.said) && folders.length === 0;
    const isInto = / (?:into|onto|to) /.test(sentence.text);
    if (!isThrown || isInto || destination?.kind !== 'folder') return undefined;
    const path = quote(destination.folder.path);
    return `Shall they go to ${path}, or be deleted there? Say "move … to …" or "delete … in …".`;
  },
  // `bin files in Projects`: files that end so, or are they to go?
  (slots) =>
    ['bin', 'trash', 'dump', 'clear'].includes(slots.verb.said) &&
    slots.sentence.word(1) === 'files' &&
    !isNarrowed(slots) &&
    'Shall all the files there be deleted? Then say "delete everything in …".',
  // A caller outside of the home does not mean all of it.
  (slots) =>
    slots.sentence.world.isOutside === true &&
    slots.folders.length + slots.files.length === 0 &&
    !wasDownloaded(slots) &&
    isNarrowed(slots) &&
    `In which folder? Say for example "${slots.verb.said} … in Downloads".`,
  ({ folders, sentence, verb }) =>
    folders.length === 0 &&
    placeOpen.test(sentence.text) &&
    `In which folder? Say for example "${verb.said} … in Downloads".`,
  // understand.ts, U1
  ({ left, verb }) =>
    left.length > 0 &&
    `${unread({ left })} Say which files to ${verb.said} by folder, type, age, size or a name in quotes.`,
  // Of files that are the same, one is to stay: only the owner knows which.
  ({ areDuplicates, verb }) =>
    areDuplicates &&
    `Which of them shall stay? Find the duplicates first, and then say by name which to ${verb.said}.`,
  // What is in a file does not choose it for a change.
  ({ content, verb }) =>
    content !== undefined &&
    `I cannot choose by what is in the files. Find them first, and then say by name which to ${verb.said}.`,
  // Everything that is text may be much more than the speaker thinks of: keys, settings, programs.
  ({ types, verb }) =>
    verb.verb !== 'copy' &&
    types.some(({ type }) => type === textFiles) &&
    `Only names that end with .txt, or all that is text, such as programs and keys? Say "${verb.said} txt files …", or name the files.`,
  ({ isKindOrFolder, verb, sentence }) =>
    isKindOrFolder &&
    `Files of that kind, or the folder? Say "${verb.said} all ${sentence.word(verb.next)} files", or "the … folder".`,
  // `PDFs and everything older`: either, or both?
  ({ areMixed, types, files, sentence }) =>
    (areMixed || secondGroup.test(sentence.text)) &&
    types.length + files.length > 0 &&
    'These are two groups of files. Please tell me one at a time.',
  // `empty a.txt`: is it to go, or what is in it?
  ({ files: [file], verb }) =>
    file !== undefined &&
    isClearing(verb) &&
    `Shall ${quote(file)} be deleted? Then say so. What is in it is written anew by: write "…" to it.`,
  ...ofNames,
  ({ files: [file], types }) => {
    if (file === undefined || types.length === 0) return undefined;
    const all = types.flatMap(({ type }) => type.split(','));
    const fits = extensionOf(file) !== '' && all.some((each) => mayBeOfType(each, file));
    return !fits && `Only ${quote(file)}, or others too? Please tell me one at a time.`;
  },
  ({ called, verb }) => {
    if (called === undefined || called.isPart === true || called.text.includes('.'))
      return undefined;
    const text = quote(called.text);
    return `Is ${text} the whole name? Say it with its ending, or "${verb.said} files with ${text} in the name".`;
  },
  (slots) =>
    isPathLonger(slots.sentence) &&
    'Where does the name of the folder end? Please put it in quotes.',
  // `the PDFs in Work and everything in it`.
  (slots) =>
    slots.options.isWholeFolder === true &&
    (isNarrowed(slots) || slots.files.length > 0) &&
    `Only some of it, or all of it? Say for example "${slots.verb.said} everything in …".`,
  firstOfWhat,
  (slots) => {
    const { verb, types, folders, order } = slots;
    const isCleared = isClearing(verb) && types.length > 0 && folders.length === 0;
    const isSome = slots.isOne && !isNamed(slots) && order?.limit === undefined;
    const question = `Which one shall I ${verb.said}? Say its name, or "all the files" of a folder.`;
    return (isSome || isCleared) && question;
  },
  unsureFolder,
  (_, { path = '', destination = '' }) =>
    `${path}${destination}`.includes('\\') &&
    'Please write paths with "/", for example "~/Desktop/a.txt".',
  (_, { path = '', destination = '' }) =>
    [path, destination].some((each) => each.split('/').includes('..')) &&
    'I do not follow "..". Please say the whole path.',
  missingTarget,
  missingDestination,
  // A new name is one, and no place.
  ({ verb, newName }) =>
    verb.verb === 'rename' &&
    newName?.includes('/') === true &&
    `${quote(newName)} is a place and no name. Say "move … to" the folder, or the new name alone.`,
  // One name for many files.
  ({ verb, newName, files, types, isEverything }) => {
    const areMany = files.length === 0 && (types.length > 0 || isEverything);
    const isSame = verb.verb === 'rename' && newName?.includes('{') === false && areMany;
    return (
      isSame &&
      `They cannot all be called ${quote(newName)}. Say for example "to ${oneLine(newName)} and number them".`
    );
  },
  // `copy all PDFs to a.pdf`.
  ({ destination, files, called }) => {
    const name = destination !== undefined && 'name' in destination ? destination.name : undefined;
    if (name === undefined || files.length === 1 || called !== undefined) return undefined;
    return `They cannot all be called ${quote(name)}. Which one do you mean?`;
  },
  ({ folders, destination }, { path: from }) =>
    destination?.kind === 'folder' &&
    destination.name === undefined &&
    [from, ...folders.map(({ path }) => path)].includes(destination.folder.path) &&
    `They are in ${quote(destination.folder.path)} already. Where shall they go?`,
  ({ dates }) =>
    dates?.isAmbiguous === true &&
    'One of the dates can be read in two ways. Please write it as 3 April 2025.',
  // A file does not tell when it was opened last; that it was not changed is something else.
  ({ sentence, dates }) => {
    const said = sentence.tokens.find(({ kind, fold }) => kind === 'word' && openings.has(fold));
    if (said === undefined || dates?.field !== 'modified') return undefined;
    return `I know when files were changed, and not when they were ${said.fold}. Say "changed" if you mean that.`;
  },
];

/** `and everything in Work`, `and folders`, `and the Archive folder`. */
const secondGroup = new RegExp(
  ' (?:and|or|with|plus|also) (?:(?:also|the|my) )*(?:(?:files|everything|all|anything|any|every) |' +
    '(?:(?!(?:in|from|to|into|on|inside|under|within|of|at|its|their) )\\S+ ){0,3}' +
    '(?:folders?|director(?:y|ies)) )',
);

/** `in the folder`, `from ..`: a place that is not told. */
const placeOpen = new RegExp(
  ' (?:in|inside|within|under|from|on|of|at|below) ' +
    '(?:$|(?:(?:the|my|our|that|a|some) )*(?:folder|directory|dir) )',
);

const openings = wordSet('opened accessed used viewed looked');

function firstOfWhat({ order, verb }: Slots): string | undefined {
  if (order === undefined) return undefined;
  const { sort, limit, isNth } = order;
  // A rename may be in an order: what is numbered begins with the first.
  if (sort !== undefined && limit === undefined && verb.verb !== 'rename')
    return `How many shall I ${verb.said}? Say for example "the 3 largest" or "the 3 oldest".`;
  if (isNth === true) return 'I cannot choose by rank. Please say the name of the file.';
  if (limit === undefined || sort !== undefined) return undefined;
  return `Which ${limit}? Say for example "the ${limit} oldest" or "the ${limit} largest".`;
}

function unsureFolder({ folders, destination, verb }: Slots): string | undefined {
  const all = [...folders, ...(destination?.kind === 'folder' ? [destination.folder] : [])];
  const unclear = all.find(
    ({ how, others }) =>
      how === 'like' || others.length > 0 || (how === 'part' && verb.verb === 'delete'),
  );
  if (unclear !== undefined) {
    const paths = [unclear.path, ...unclear.others.slice(0, 4)].map(quoted);
    return `Do you mean ${paths.join(' or ')}? Please say the name of the folder ${quote(unclear.said)} in full.`;
  }
  const unknown = folders.find(({ how }) => how === 'new');
  return unknown && `I know no folder ${quote(unknown.said)}. Which one do you mean?`;
}

function missingTarget(slots: Slots): string | undefined {
  const { files, folders, verb, dates, sizes } = slots;
  if (files.length > 1) return 'One file at a time, please, or all of one folder or type.';
  // By age or size alone, all over the home: too much hangs on it.
  const isTold = (dates ?? sizes) !== undefined && slots.types.length === 0 && !isNamed(slots);
  const isPlaced = folders.length > 0 || wasDownloaded(slots);
  if (verb.verb !== 'copy' && isTold && !isPlaced)
    return `In which folder? Say for example "${verb.said} … in Downloads".`;
  const isCounted = slots.order?.limit !== undefined && folders.length > 0;
  if (files.length === 1 || isNarrowed(slots) || isCounted) return undefined;
  if (folders.every(({ path }) => path === '~' || path === '/'))
    return `Which files shall I ${verb.said}? Name a folder, a type, an age or a file.`;
  const saysFolder = slots.says('folder', 'directory') || slots.options.isWholeFolder === true;
  const isPattern = slots.newName?.includes('{') === true;
  const isClear = slots.isEverything || isClearing(verb) || saysFolder || isPattern;
  const isOurs = verb.verb !== 'copy' && folders.some(({ isKnown }) => isKnown === true);
  if (isClear || (verb.verb !== 'delete' && !isOurs)) return undefined;
  const { path } = must(folders[0], 'the folder that was named');
  return `Everything in ${quote(path)}, or the folder itself? Say "${verb.said} everything in …".`;
}

function isNamed({ files, called, namePattern }: Slots): boolean {
  return files.length > 0 || called !== undefined || namePattern !== undefined;
}

function isNarrowed({ types, dates, sizes, called, namePattern, areDuplicates }: Slots): boolean {
  // A pattern of nothing but stars is everything.
  const pattern = tellsNothing(namePattern ?? '') ? undefined : namePattern;
  const isTold = (dates ?? sizes ?? called ?? pattern) !== undefined;
  return isTold || types.length > 0 || areDuplicates;
}

function missingDestination({ verb, destination, newName }: Slots): string | undefined {
  if (verb.verb === 'rename' && newName === undefined)
    return 'What shall the new name be? For example: rename a.txt to b.txt.';
  if (verb.verb !== 'move' && verb.verb !== 'copy') return undefined;
  if (destination?.kind === 'vague')
    return `I know no folder ${quote(destination.said)}. Say: to a folder called ${quote(destination.said)}.`;
  return destination === undefined ? `Where to? Say: ${verb.said} … to Archive.` : undefined;
}
