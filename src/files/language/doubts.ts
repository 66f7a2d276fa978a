/** Why a sentence is not enough to act on, each as a question that says what is missing. */
import type { FileRequest } from '../../kernel/files/request.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Slots } from './slots.ts';
import { isChange, isClearing } from './verbs.ts';

/** The first thing that is not clear enough; nothing for what may go on. */
export function doubtOf(slots: Slots, request: FileRequest): string | undefined {
  const several = severalFolders(slots);
  if (several !== undefined) return several;
  if (!isChange(slots.verb.deed)) {
    return (
      whatWould(request) ??
      hiddenChange(slots) ??
      leftOut(slots) ??
      sizeOfWhat(slots, request) ??
      missingFile(slots, request) ??
      nothingSaid(slots, request)
    );
  }
  return (
    deletedWhere(slots) ??
    thrownIn(slots) ??
    nounOrVerb(slots) ??
    unusedWords(slots) ??
    whichTwin(slots) ??
    byContent(slots) ??
    joined(slots) ??
    otherType(slots) ??
    halfName(slots) ??
    longerPath(slots) ??
    partAndWhole(slots) ??
    firstOfWhat(slots) ??
    whichOne(slots) ??
    unsureFolder(slots) ??
    strangePath(request) ??
    missingTarget(slots) ??
    missingDestination(slots) ??
    elsewhere(slots) ??
    sameName(slots) ??
    oneNameForMany(slots) ??
    sameFolder(slots) ??
    unsureDate(slots)
  );
}

function severalFolders({ folders }: Slots): string | undefined {
  const paths = folders.map(({ path }) => path);
  const deepest = paths.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const isOne = paths.every(
    (path) => deepest === path || deepest.startsWith(`${path}/`) || path === '~',
  );
  return isOne
    ? undefined
    : `One folder at a time, please: ${paths.map((path) => quote(path)).join(' or ')}?`;
}

const changing = new Set(
  [
    'delete remove erase trash move rename copy wipe purge discard deleting removing moving',
    'gone renaming copying deleted removed erased trashed moved renamed copied uppercase lowercase',
  ]
    .join(' ')
    .split(' '),
);

/** No verb where one would stand, and one among the rest: not a thing to look for. */
function hiddenChange({ verb, left, saysWish, saysIf }: Slots): string | undefined {
  const isHidden = left.some(({ kind, fold }) => kind === 'word' && changing.has(fold));
  if (isHidden && saysIf) return whichChange;
  if (verb.said !== '' || (!isHidden && !saysWish)) return undefined;
  return whichChange;
}

const leavingOut = new Set(['excluding', 'except', 'neither', 'excepting']);

/** What is to be left out must not be what is looked for. */
function leftOut({ left }: Slots): string | undefined {
  const isSaid = left.some(({ kind, fold }) => kind === 'word' && leavingOut.has(fold));
  return isSaid ? 'What shall I leave out? Say a type, a folder, or a name in quotes.' : undefined;
}

const whichChange = 'What shall I do with which files? Begin with it: "move …", "delete …".';

/** What would happen, and nothing that could. */
function whatWould({ action, options }: FileRequest): string | undefined {
  return action === 'search_files' && options?.dry_run === true ? whichChange : undefined;
}

function nothingSaid(
  { verb, folders, files }: Slots,
  { filters, query, options }: FileRequest,
): string | undefined {
  const isSaid = filters ?? query ?? options?.sort ?? options?.limit;
  const isNamed = folders.length > 0 || files.length > 0;
  if (verb.said !== '' || isNamed || isSaid !== undefined) return undefined;
  return 'What shall I do? For example: find PDFs from last week.';
}

/** How much space something takes is only told of what is fully understood. */
function sizeOfWhat({ left }: Slots, { action }: FileRequest): string | undefined {
  const unclear = left.filter(({ fold }) => fold !== 'most');
  if (action !== 'get_disk_usage' || unclear.length === 0) return undefined;
  const words = unclear.slice(0, 8).map(({ text }) => quote(text));
  return `I did not understand ${words.join(', ')}. Say how much space of which folder or type.`;
}

function missingFile(slots: Slots, { action }: FileRequest): string | undefined {
  const isOne = action === 'read_file' || action === 'get_metadata';
  const hasPlace = slots.folders.length > 0 && action === 'get_metadata';
  if (!isOne || slots.files.length === 1 || hasPlace) return undefined;
  return 'Which file? Say its name, for example "notes.txt in Documents".';
}

/** `remove the photos to Archive`: gone, or there? */
function deletedWhere({ verb, destination }: Slots): string | undefined {
  if (verb.deed !== 'delete' || destination === undefined || destination.kind === 'trash') {
    return undefined;
  }
  return 'Shall they be deleted, or go to another folder? Say "delete …" or "move … to …".';
}

/** `chuck the installers in Downloads`: into it, or out of it? */
function thrownIn({ verb, destination, folders, isInto }: Slots): string | undefined {
  const isThrown = ['throw', 'chuck', 'toss', 'drop'].includes(verb.said);
  if (!isThrown || destination?.kind !== 'folder' || folders.length > 0 || isInto) return undefined;
  const path = quote(destination.folder.path);
  return `Shall they go to ${path}, or be deleted there? Say "move … to …" or "delete … in …".`;
}

/** `bin files in Projects`: files that end so, or are they to go? */
function nounOrVerb(slots: Slots): string | undefined {
  const isNoun = ['bin', 'trash', 'dump', 'clear'].includes(slots.verb.said);
  if (!isNoun || !slots.saysBareFiles || isNarrowed(slots)) return undefined;
  return 'Shall all the files there be deleted? Then say "delete everything in …".';
}

/** U1 */
function unusedWords({ left, verb }: Slots): string | undefined {
  if (left.length === 0) return undefined;
  const words = left.slice(0, 8).map(({ text }) => quote(text));
  return `I did not understand ${words.join(', ')}. Say which files to ${verb.said} by folder, type, age, size or a name in quotes.`;
}

/** What is in a file does not choose it for a change. */
function byContent({ content, verb }: Slots): string | undefined {
  if (content === undefined) return undefined;
  return `I cannot choose by what is in the files. Find them first, and then say by name which to ${verb.said}.`;
}

/** Of files that are the same, one is to stay: nobody but the owner knows which. */
function whichTwin({ areDuplicates, verb }: Slots): string | undefined {
  if (!areDuplicates) return undefined;
  return `Which of them shall stay? Find the duplicates first, and then say by name which to ${verb.said}.`;
}

function joined({ isJoined, areMixed, types }: Slots): string | undefined {
  if ((!isJoined && !areMixed) || types.length === 0) return undefined;
  return 'These are two groups of files. Please tell me one at a time.';
}

function otherType({ files, types }: Slots): string | undefined {
  const [file] = files;
  if (file === undefined || types.length === 0) return undefined;
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const fits = types.some(({ type }) => type.split(',').includes(extension) || type.endsWith('*'));
  return fits ? undefined : `Only ${quote(file)}, or others too? Please tell me one at a time.`;
}

function halfName({ called, verb }: Slots): string | undefined {
  if (called === undefined || called.isPart === true || called.text.includes('.')) return undefined;
  const text = quote(called.text);
  return `Is ${text} the whole name? Say it with its ending, or "${verb.said} files with ${text} in the name".`;
}

function longerPath({ isPathLonger }: Slots): string | undefined {
  return isPathLonger
    ? 'Where does the name of the folder end? Please put it in quotes.'
    : undefined;
}

/** `the PDFs in Work and everything in it`. */
function partAndWhole(slots: Slots): string | undefined {
  const isPart = isNarrowed(slots) || slots.files.length > 0;
  if (slots.options.isWholeFolder !== true || !isPart) return undefined;
  return `Only some of it, or all of it? Say for example "${slots.verb.said} everything in …".`;
}

function firstOfWhat({ order, verb }: Slots): string | undefined {
  // A rename may be in an order: what is numbered begins with the first.
  if (order?.sort !== undefined && order.limit === undefined && verb.deed !== 'rename') {
    return `How many shall I ${verb.said}? Say for example "the 3 largest" or "the 3 oldest".`;
  }
  if (order?.isNth === true) return 'I cannot choose by rank. Please say the name of the file.';
  if (order?.limit === undefined || order.sort !== undefined) return undefined;
  return `Which ${order.limit}? Say for example "the ${order.limit} oldest" or "the ${order.limit} largest".`;
}

function whichOne({
  isOne,
  files,
  called,
  namePattern,
  order,
  verb,
  types,
  folders,
}: Slots): string | undefined {
  const isCleared = isClearing(verb) && types.length > 0 && folders.length === 0;
  const isNamed = files.length > 0 || called !== undefined || namePattern !== undefined;
  if ((!isOne || isNamed || order?.limit !== undefined) && !isCleared) return undefined;
  return `Which one shall I ${verb.said}? Say its name, or "all the files" of a folder.`;
}

function unsureFolder({ folders, destination, verb }: Slots): string | undefined {
  const all = [...folders, ...(destination?.kind === 'folder' ? [destination.folder] : [])];
  const unclear = all.find(
    ({ how, others }) =>
      how === 'like' || others.length > 0 || (how === 'part' && verb.deed === 'delete'),
  );
  if (unclear !== undefined) {
    const paths = [unclear.path, ...unclear.others.slice(0, 4)].map((path) => quote(path));
    return `Do you mean ${paths.join(' or ')}? Please say the name of the folder ${quote(unclear.said)} in full.`;
  }
  const unknown = folders.find(({ how }) => how === 'new');
  return unknown && `I know no folder ${quote(unknown.said)}. Which one do you mean?`;
}

function strangePath({ path = '', destination = '' }: FileRequest): string | undefined {
  if (path.includes('\\') || destination.includes('\\')) {
    return 'Please write paths with "/", for example "~/Desktop/a.txt".';
  }
  const isAbove = [path, destination].some((each) => each.split('/').includes('..'));
  return isAbove ? 'I do not follow "..". Please say the whole path.' : undefined;
}

function missingTarget(slots: Slots): string | undefined {
  const { files, folders, verb } = slots;
  if (files.length > 1) return 'One file at a time, please, or all of one folder or type.';
  if (isHomeWide(slots)) {
    return `In which folder? Say for example "${verb.said} … in Downloads".`;
  }
  const isCounted = slots.order?.limit !== undefined && folders.length > 0;
  if (files.length === 1 || isNarrowed(slots) || isCounted) return undefined;
  const isWholeHome = folders.every(({ path }) => path === '~' || path === '/');
  if (isWholeHome)
    return `Which files shall I ${verb.said}? Name a folder, a type, an age or a file.`;
  const isPattern = slots.newName?.includes('{') === true;
  const isClear = slots.isEverything || isClearing(verb) || slots.saysFolder || isPattern;
  const isOurs = verb.deed !== 'copy' && folders.some(({ isKnown }) => isKnown === true);
  if (isClear || (verb.deed !== 'delete' && !isOurs)) return undefined;
  return `Everything in ${quote(folders[0]?.path ?? '')}, or the folder itself? Say "${verb.said} everything in …".`;
}

/** By age or size alone, all over the home: too much hangs on it. */
function isHomeWide(slots: Slots): boolean {
  const { files, folders, types, called, namePattern, wasDownloaded, verb } = slots;
  const isNamed = files.length > 0 || called !== undefined || namePattern !== undefined;
  const isPlaced = folders.length > 0 || wasDownloaded;
  const isTold = slots.dates !== undefined || slots.sizes !== undefined;
  return verb.deed !== 'copy' && isTold && !isNamed && !isPlaced && types.length === 0;
}

function isNarrowed({ types, dates, sizes, called, namePattern, areDuplicates }: Slots): boolean {
  // A pattern of nothing but stars is everything.
  const pattern = /[^*.?]/.test(namePattern ?? '') ? namePattern : undefined;
  const told = [dates, sizes, called, pattern].some((slot) => slot !== undefined);
  return told || types.length > 0 || areDuplicates;
}

function missingDestination({ verb, destination, newName }: Slots): string | undefined {
  if (verb.deed === 'rename') {
    return newName === undefined
      ? 'What shall the new name be? For example: rename a.txt to b.txt.'
      : undefined;
  }
  if (verb.deed !== 'move' && verb.deed !== 'copy') return undefined;
  if (destination?.kind === 'vague') {
    return `I know no folder ${quote(destination.said)}. Say: to a folder called ${quote(destination.said)}.`;
  }
  return destination === undefined ? `Where to? Say: ${verb.said} … to Archive.` : undefined;
}

/** A new name is one, and no place. */
function elsewhere({ verb, newName }: Slots): string | undefined {
  if (verb.deed !== 'rename' || newName?.includes('/') !== true) return undefined;
  return `${quote(newName)} is a place and no name. Say "move … to" the folder, or the new name alone.`;
}

/** One name for many files. */
function sameName({ verb, newName, files, types, isEverything }: Slots): string | undefined {
  const areMany = files.length === 0 && (types.length > 0 || isEverything);
  if (verb.deed !== 'rename' || newName === undefined || newName.includes('{') || !areMany) {
    return undefined;
  }
  return `They cannot all be called ${quote(newName)}. Say for example "to ${oneLine(newName)} and number them".`;
}

/** `copy all PDFs to a.pdf`. */
function oneNameForMany({ destination, files, called }: Slots): string | undefined {
  const name =
    destination?.kind === 'trash' || destination?.kind === 'vague' ? undefined : destination?.name;
  if (name === undefined || files.length === 1 || called !== undefined) return undefined;
  return `They cannot all be called ${quote(name)}. Which one do you mean?`;
}

function sameFolder({ folders, destination }: Slots): string | undefined {
  if (destination?.kind !== 'folder' || destination.name !== undefined) return undefined;
  const { path } = destination.folder;
  return folders.some((folder) => folder.path === path)
    ? `They are in ${quote(path)} already. Where shall they go?`
    : undefined;
}

function unsureDate({ dates }: Slots): string | undefined {
  return dates?.isAmbiguous === true
    ? 'One of the dates can be read in two ways. Please write it as 3 April 2025.'
    : undefined;
}
