/** The request that the slots of a sentence amount to. */
import type { FileFilters, FileOptions, FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import { belowHome, herePath, knownPath, pathBelow } from './folders.ts';
import type { Slots } from './slots.ts';
import { actionOf, isChange, isClearing } from './verbs.ts';

export function requestOf(
  slots: Slots,
  world: SentenceWorld,
  { isDryRun }: { readonly isDryRun: boolean },
): FileRequest {
  const action = actionFor(slots);
  const filters = filtersOf(slots, action);
  const path = pathOf(slots, world, filters);
  const options = optionsOf(slots, { action, isDryRun, filters });
  const query = action === 'search_files' ? queryOf(slots) : undefined;
  const destination = destinationOf(slots, path);
  return {
    action,
    path,
    ...(destination === undefined ? {} : { destination }),
    ...(query === undefined ? {} : { query }),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

function actionFor(slots: Slots): FileRequest['action'] {
  const { deed } = slots.verb;
  if (deed === 'move' && slots.destination?.kind === 'trash') return 'delete_file';
  if (isChange(deed)) return actionOf[deed];
  if (isLookingForOne(slots)) {
    return deed === 'usage' ? 'get_metadata' : actionOf[deed];
  }
  if (wantedWords(slots) !== undefined) return 'search_files';
  // How large a folder is, is how much is in it.
  const isOfFolders = slots.asksFolders && slots.types.length === 0;
  if (isOfFolders && slots.order?.sort === 'size') return 'get_disk_usage';
  if (deed === 'read' || deed === 'details')
    return slots.folders.length > 0 && deed === 'read' ? 'list_files' : actionOf[deed];
  return actionOf[deed];
}

/** A file is named, and what is asked is about it alone. */
function isLookingForOne({ verb, files, isNameLonger }: Slots): boolean {
  return files.length === 1 && !isNameLonger && ['read', 'details', 'usage'].includes(verb.deed);
}

function wantedWords(slots: Slots): string | undefined {
  const { called, content, left, files, verb } = slots;
  if (isLookingForOne(slots)) return undefined;
  const named = called ?? content;
  const words = [
    ...(named === undefined ? [] : [named.text]),
    ...files,
    ...left.map(({ text }) => text),
  ];
  // What space is taken by is told by filters; words do not narrow it.
  if (words.length === 0 || verb.deed === 'usage') return undefined;
  return words.join(' ');
}

const queryOf = wantedWords;

function pathOf(slots: Slots, world: SentenceWorld, filters: FileFilters): string {
  const folder = folderOf(slots, world);
  const [file] = slots.files;
  const isOne = isChange(slots.verb.deed) || isLookingForOne(slots);
  const name = isOne ? (file ?? wholeName(slots)) : undefined;
  if (name === undefined || filters.name === name) {
    return isAllOfIt(slots, filters) ? `${folder}/*` : (folder ?? '~');
  }
  if (/^[~/]/.test(name)) return belowHome(name, world);
  if (name.includes('/')) return knownPath(name, world) ?? `~/${name}`;
  return pathBelow(folder ?? herePath(world), name);
}

/** What is in a folder, and not the folder itself, where nothing else narrows it. */
function isAllOfIt(
  { verb, folders, isEverything, newName, order }: Slots,
  filters: FileFilters,
): boolean {
  const isAll =
    isEverything ||
    isClearing(verb) ||
    order?.limit !== undefined ||
    newName?.includes('{') === true;
  const isNarrowed = Object.keys(filters).length > 0;
  return isChange(verb.deed) && folders.length > 0 && isAll && !isNarrowed;
}

/** "All files named Thumbs.db", "Thumbs.db everywhere": more than one may have the name. */
function namedAnywhere(slots: Slots): string | undefined {
  const { verb, files, folders, options, saysAllFiles } = slots;
  const name = files[0] ?? wholeName(slots);
  if (!isChange(verb.deed) || verb.deed === 'rename' || name === undefined) return undefined;
  const isEverywhere = folders.some((folder) => folder.isEverywhere === true);
  const isDeep = isEverywhere || options.recursive === true;
  const isAny = saysAllFiles && folders.length === 0;
  return (isDeep || isAny) && !name.includes('/') ? name : undefined;
}

// "The file called old.txt" is that file; of a word without a dot it is a part of the name.
function wholeName({ called }: Slots): string | undefined {
  return called !== undefined && called.isPart !== true ? called.text : undefined;
}

/** The deepest of those that are one below the other. */
export function folderOf(
  { folders, wasDownloaded }: Slots,
  world: SentenceWorld,
): string | undefined {
  const paths = folders.map(({ path }) => path);
  const deepest = paths.toSorted((a, b) => b.length - a.length)[0];
  if (deepest !== undefined || !wasDownloaded) return deepest;
  return world.folders.find(({ path, isKnown }) => isKnown && /\/downloads$/i.test(path))?.path;
}

function filtersOf(slots: Slots, action: FileRequest['action']): FileFilters {
  const { types, dates, sizes, exclude, options, namePattern, areDuplicates, called } = slots;
  const isNamed = isChange(slots.verb.deed) && slots.files.length === 1;
  // A file that is named is of its kind, whatever that is.
  const kinds = isNamed || isLookingForOne(slots) ? [] : types;
  // What is called so already needs no new extension.
  const [, extension] = /^\{name\}\.(\w+)$/.exec(slots.newName ?? '') ?? [];
  const every = new Set(kinds.flatMap((each) => each.type.split(',')));
  if (extension !== undefined && every.size > 1) every.delete(extension.toLowerCase());
  const type = [...every].join(',');
  const named = types.find(({ name }) => name !== undefined)?.name;
  const partOfName =
    isChange(slots.verb.deed) && called !== undefined && wholeName(slots) === undefined
      ? `*${called.text}*`
      : undefined;
  const hidden = isChange(slots.verb.deed) && options.isHiddenOnly === true ? '.*' : undefined;
  const name = namePattern ?? partOfName ?? namedAnywhere(slots) ?? named ?? hidden;
  const kind = options.kind ?? (slots.areFolders && types.length === 0 ? 'folder' : undefined);
  return {
    ...(type === '' ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...datesOf(dates),
    ...(sizes?.over === undefined ? {} : { size_gt: sizes.over }),
    ...(sizes?.under === undefined ? {} : { size_lt: sizes.under }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(kind === undefined || action === 'get_disk_usage' ? {} : { kind }),
    ...(areDuplicates ? { duplicates: true } : {}),
  };
}

function datesOf(dates: Slots['dates']): FileFilters {
  if (dates === undefined) return {};
  const { field, after, before } = dates;
  return {
    ...(after === undefined ? {} : { [`${field}_after`]: new Date(after).toISOString() }),
    ...(before === undefined ? {} : { [`${field}_before`]: new Date(before).toISOString() }),
  };
}

function optionsOf(
  slots: Slots,
  given: {
    readonly action: FileRequest['action'];
    readonly isDryRun: boolean;
    readonly filters: FileFilters;
  },
): FileOptions {
  const { order, called, content } = slots;
  const { kind: _kind, isHiddenOnly: _hidden, isWholeFolder, ...options } = slots.options;
  const { recursive, ...said } = options;
  const isWhole = isWholeFolder === true && !isChange(slots.verb.deed);
  const isDeep = recursive ?? (isWhole || isDeepBy(slots, given) ? true : undefined);
  const isSearch = given.action === 'search_files';
  const isUnsorted = ['get_disk_usage', 'get_metadata', 'read_file'].includes(given.action);
  const isGrep = /^grep\b/.test(slots.verb.said);
  const wanted = called ?? content;
  const isExact =
    wanted?.isExact === true || (isSearch && slots.files.length > 0 && slots.left.length === 0);
  return {
    ...(isDeep === undefined ? {} : { recursive: isDeep }),
    ...(order?.sort === undefined || isSearch || isUnsorted
      ? {}
      : { sort: order.sort, order: order.order }),
    ...(order?.limit === undefined ? {} : { limit: order.limit }),
    ...said,
    ...(isSearch && (content !== undefined || isGrep) ? { search_in: 'content' } : {}),
    ...(isSearch && called !== undefined ? { search_in: 'name' } : {}),
    ...(isSearch && isExact ? { exact: true } : {}),
    ...(given.isDryRun ? { dry_run: true } : {}),
  };
}

/** Looking goes down wherever something is looked for; changes only where no folder is named. */
function isDeepBy(
  slots: Slots,
  { action, filters }: { readonly action: FileRequest['action']; readonly filters: FileFilters },
): boolean {
  if (['get_disk_usage', 'get_metadata', 'read_file', 'write_file'].includes(action)) return false;
  if (action === 'search_files') return true;
  const isNamed = slots.folders.length > 0 || slots.wasDownloaded;
  const isEverywhere = slots.folders.some((folder) => folder.isEverywhere === true);
  if (isChange(slots.verb.deed)) return (!isNamed && !isOneFile(slots)) || isEverywhere;
  const isNarrowed = Object.keys(filters).some((key) => key !== 'exclude' && key !== 'kind');
  return (
    isNarrowed ||
    slots.order?.limit !== undefined ||
    slots.order !== undefined ||
    !isNamed ||
    !['list', 'read'].includes(slots.verb.deed)
  );
}

function isOneFile(slots: Slots): boolean {
  const isNamed = slots.files.length > 0 || wholeName(slots) !== undefined;
  return isNamed && namedAnywhere(slots) === undefined;
}

function destinationOf({ verb, destination, newName }: Slots, path: string): string | undefined {
  if (verb.deed === 'rename') return newName;
  // Beside the file itself.
  if (destination?.kind === 'file')
    return pathBelow(path.slice(0, path.lastIndexOf('/')), destination.name);
  if (destination?.kind !== 'folder') return undefined;
  const { folder, name: there } = destination;
  return there === undefined ? folder.path : pathBelow(folder.path, there);
}
