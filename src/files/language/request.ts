/** The request that the slots of a sentence amount to. */
import type {
  FileAction,
  FileFilters,
  FileOptions,
  FileRequest,
} from '../../kernel/files/request.ts';
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import { belowHome, herePath, knownPath, pathBelow } from './folders.ts';
import { asksFolders } from './hints.ts';
import { type Slots, wasDownloaded } from './slots.ts';
import { actionOf, isChange, isClearing } from './verbs.ts';

export function requestOf(
  slots: Slots,
  world: SentenceWorld,
  { isDryRun }: { readonly isDryRun: boolean },
): FileRequest {
  const action = actionFor(slots);
  const narrowing = filtersOf(slots);
  const path = pathOf(slots, world, narrowing);
  const kind = action === 'get_disk_usage' ? undefined : kindOf(slots, { action, path, narrowing });
  const filters = { ...narrowing, ...(kind === undefined ? {} : { kind }) };
  const isHome = herePath(world) === '~';
  const options = optionsOf(slots, { action, isDryRun, isHome, filters: narrowing });
  const query = action === 'search_files' ? wantedWords(slots) : undefined;
  const destination = destinationOf(slots, path);
  return {
    ...{ action, path },
    ...(destination === undefined ? {} : { destination }),
    ...(query === undefined ? {} : { query }),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

/** The name of a file whose folder the sentence leaves open: it may lie elsewhere than here. */
export function bareNameOf(slots: Slots, { action, filters }: FileRequest): string | undefined {
  const [name] = slots.files;
  const isOne = action !== 'write_file' && (isChange(slots.verb.verb) || isAboutOne(slots));
  const isPlaced = name?.includes('/') === true || slots.folders.length > 0 || wasDownloaded(slots);
  return isOne && !isPlaced && filters?.name === undefined ? name : undefined;
}

function actionFor(slots: Slots): FileAction {
  const { verb, destination, types, order, folders } = slots;
  if (verb.verb === 'move' && destination?.kind === 'trash') return 'delete_file';
  if (isChange(verb.verb)) return actionOf[verb.verb];
  if (isAboutOne(slots)) return verb.verb === 'usage' ? 'get_metadata' : actionOf[verb.verb];
  if (wantedWords(slots) !== undefined) return 'search_files';
  // How large a folder is, is how much is in it.
  const isOfFolders = types.length === 0 && order?.sort === 'size' && asksFolders(slots.sentence);
  if (isOfFolders) return 'get_disk_usage';
  return verb.verb === 'read' && folders.length > 0 ? 'list_files' : actionOf[verb.verb];
}

/** A file is named, and what is asked is about it alone. */
function isAboutOne({ verb, files, isNameLonger }: Slots): boolean {
  return files.length === 1 && !isNameLonger && ['read', 'details', 'usage'].includes(verb.verb);
}

function wantedWords(slots: Slots): string | undefined {
  const { called, content, left, files, verb } = slots;
  // What space is taken by is told by filters; words do not narrow it.
  if (isAboutOne(slots) || verb.verb === 'usage') return undefined;
  const named = (called ?? content)?.text;
  const words = [
    ...(named === undefined ? [] : [named]),
    ...files,
    ...left.map(({ text }) => text),
  ];
  return words.length === 0 ? undefined : words.join(' ');
}

function pathOf(slots: Slots, world: SentenceWorld, filters: FileFilters): string {
  const folder = folderOf(slots, world);
  const isOne = isChange(slots.verb.verb) || isAboutOne(slots);
  const name = isOne ? (slots.files[0] ?? wholeName(slots)) : undefined;
  if (name === undefined || filters.name === name)
    return isAllOfIt(slots, filters) ? `${folder}/*` : (folder ?? openPlace(slots, world, filters));
  if (/^(?:[~/]|\.\/)/.test(name)) return belowHome(name, world);
  if (name.includes('/')) return knownPath(name, world) ?? `~/${name}`;
  return pathBelow(folder ?? herePath(world), name);
}

/** Where no folder is named: what changes files means those where the caller stands. */
function openPlace({ verb }: Slots, world: SentenceWorld, filters: FileFilters): string {
  return isChange(verb.verb) && Object.keys(filters).length > 0 ? herePath(world) : '~';
}

/** What is in a folder, and not the folder itself, where nothing else narrows it. */
function isAllOfIt(slots: Slots, filters: FileFilters): boolean {
  const { verb, folders, isEverything, newName, order } = slots;
  const isAll =
    isEverything || isClearing(verb) || order?.limit !== undefined || newName?.includes('{');
  const isNarrowed = Object.keys(filters).length > 0 || kindSaid(slots) !== undefined;
  return isChange(verb.verb) && folders.length > 0 && isAll === true && !isNarrowed;
}

interface KindAsked {
  readonly action: FileAction;
  readonly path: string;
  readonly narrowing: FileFilters;
}

/** Folders are not "files"; the speaker who says "everything" or "the contents" means them, too. */
function kindOf(slots: Slots, { action, path, narrowing }: KindAsked): FileFilters['kind'] {
  const { says, verb } = slots;
  const said = kindSaid(slots);
  if (said !== undefined) return said;
  if (path.endsWith('/*') && isChange(verb.verb)) {
    const isAll = isClearing(verb) || says('everything', 'anything', 'contents', 'content');
    return isAll ? 'any' : 'file';
  }
  // Only files have a type, a size, and a moment in which they were taken.
  const { type, size_gt, size_lt, taken_after, taken_before, duplicates } = narrowing;
  const isOfFiles =
    (type ?? size_gt ?? size_lt ?? taken_after ?? taken_before ?? duplicates) !== undefined;
  const isLeftOpen = action === 'list_files' && !isOfFiles && slots.order?.sort !== 'size';
  return isLeftOpen && says('file', 'files') ? 'file' : undefined;
}

function kindSaid({ options, areFolders, types }: Slots): FileFilters['kind'] {
  return options.kind ?? (areFolders && types.length === 0 ? 'folder' : undefined);
}

/** "All files named Thumbs.db", "Thumbs.db everywhere": more than one may have the name. */
function namedAnywhere(slots: Slots): string | undefined {
  const { verb, files, folders, options, says } = slots;
  const name = files[0] ?? wholeName(slots);
  if (!isChange(verb.verb) || verb.verb === 'rename' || name === undefined) return undefined;
  const isDeep = isEverywhere(slots) || options.recursive === true;
  const isAny = folders.length === 0 && says('files', 'every');
  return (isDeep || isAny) && !name.includes('/') ? name : undefined;
}

function isEverywhere({ folders }: Slots): boolean {
  return folders.some((folder) => folder.isEverywhere === true);
}

// "The file called old.txt" is that file; of a word without a dot it is a part of the name.
function wholeName({ called }: Slots): string | undefined {
  return called?.isPart === true ? undefined : called?.text;
}

/** The deepest of those that are one below the other. */
function folderOf(slots: Slots, world: SentenceWorld): string | undefined {
  const paths = slots.folders.map(({ path }) => path);
  const deepest = paths.toSorted((a, b) => b.length - a.length)[0];
  if (deepest !== undefined || !wasDownloaded(slots)) return deepest;
  return world.folders.find(({ path, isKnown }) => isKnown && /\/downloads$/i.test(path))?.path;
}

function filtersOf(slots: Slots): FileFilters {
  const { sizes, exclude, areDuplicates } = slots;
  const type = typeOf(slots);
  const name = namePatternOf(slots);
  return {
    ...(type === '' ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...datesOf(slots.dates),
    ...(sizes?.over === undefined ? {} : { size_gt: sizes.over }),
    ...(sizes?.under === undefined ? {} : { size_lt: sizes.under }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(areDuplicates ? { duplicates: true } : {}),
  };
}

function typeOf(slots: Slots): string {
  const { verb, files, types, newName } = slots;
  // A file that is named is of its kind, whatever that is.
  if ((isChange(verb.verb) && files.length === 1) || isAboutOne(slots)) return '';
  const every = new Set(types.flatMap((each) => each.type.split(',')));
  // What is called so already needs no new extension.
  const [, extension] = /^\{name\}\.(\w+)$/.exec(newName ?? '') ?? [];
  if (extension !== undefined && every.size > 1) every.delete(extension.toLowerCase());
  return [...every].join(',');
}

function namePatternOf(slots: Slots): string | undefined {
  const { verb, called, namePattern, types, options } = slots;
  const ofKind = types.find(({ name }) => name !== undefined)?.name;
  if (!isChange(verb.verb)) return namePattern ?? ofKind;
  const isPart = called !== undefined && wholeName(slots) === undefined;
  const hidden = options.isHiddenOnly === true ? '.*' : undefined;
  return (
    namePattern ??
    (isPart ? `*${called.text}*` : undefined) ??
    namedAnywhere(slots) ??
    ofKind ??
    hidden
  );
}

function datesOf(dates: Slots['dates']): FileFilters {
  if (dates === undefined) return {};
  const { field, after, before } = dates;
  return {
    ...(after === undefined ? {} : { [`${field}_after`]: new Date(after).toISOString() }),
    ...(before === undefined ? {} : { [`${field}_before`]: new Date(before).toISOString() }),
  };
}

interface OptionsAsked {
  readonly action: FileAction;
  readonly isDryRun: boolean;
  /** The caller stands in the home itself. */
  readonly isHome: boolean;
  readonly filters: FileFilters;
}

function optionsOf(slots: Slots, asked: OptionsAsked): FileOptions {
  const { order, called, content, verb, files, left } = slots;
  const { kind: _kind, isHiddenOnly: _hidden, isWholeFolder, recursive, ...said } = slots.options;
  const isWhole = isWholeFolder === true && !isChange(verb.verb);
  const isDeep = recursive ?? (isWhole || isDeepBy(slots, asked) ? true : undefined);
  const isSearch = asked.action === 'search_files';
  const isSorted = !['search_files', ...single].includes(asked.action);
  const isInText = content !== undefined || /^grep\b/.test(verb.said);
  const where = called !== undefined ? 'name' : isInText ? 'content' : undefined;
  const isExact = (called ?? content)?.isExact === true || (files.length > 0 && left.length === 0);
  return {
    ...(isDeep === undefined ? {} : { recursive: isDeep }),
    ...(order?.sort !== undefined && isSorted ? { sort: order.sort, order: order.order } : {}),
    ...(order?.limit === undefined ? {} : { limit: order.limit }),
    ...said,
    ...(isSearch && where !== undefined ? { search_in: where } : {}),
    ...(isSearch && isExact ? { exact: true } : {}),
    ...(asked.isDryRun ? { dry_run: true } : {}),
  };
}

/** They are about one thing. */
const single: readonly string[] = ['get_disk_usage', 'get_metadata', 'read_file', 'write_file'];

/**
 * Looking goes down wherever something is looked for; changes only where no folder is named, and
 * the caller stands in none.
 */
function isDeepBy(slots: Slots, { action, filters, isHome }: OptionsAsked): boolean {
  if (single.includes(action)) return false;
  if (action === 'search_files') return true;
  const isNamed = slots.folders.length > 0 || wasDownloaded(slots);
  if (isChange(slots.verb.verb)) {
    const hasName = slots.files.length > 0 || wholeName(slots) !== undefined;
    const isOneFile = hasName && namedAnywhere(slots) === undefined;
    return (isHome && !isNamed && !isOneFile) || isEverywhere(slots);
  }
  const isNarrowed = Object.keys(filters).some((key) => key !== 'exclude');
  const isListed = ['list', 'read'].includes(slots.verb.verb);
  return isNarrowed || slots.order !== undefined || !isNamed || !isListed;
}

function destinationOf({ verb, destination, newName }: Slots, path: string): string | undefined {
  if (verb.verb === 'rename') return newName;
  // Beside the file itself.
  if (destination?.kind === 'file')
    return pathBelow(path.slice(0, path.lastIndexOf('/')), destination.name);
  if (destination?.kind !== 'folder') return undefined;
  const { folder, name: there } = destination;
  return there === undefined ? folder.path : pathBelow(folder.path, there);
}
