/** One line that says everything that will be used, so that a wrong reading is seen. */
import type { FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import { spanWords } from '../../kernel/language/span-words.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Slots } from './slots.ts';
import { isChange } from './verbs.ts';

const leads: Readonly<Record<FileRequest['action'], string>> = {
  ...{ list_files: '', search_files: '', read_file: 'Read ', write_file: 'Write ' },
  ...{ move_file: 'Move ', rename_file: 'Rename ', copy_file: 'Copy ', delete_file: 'Delete ' },
  ...{ get_metadata: 'Details of ', get_disk_usage: 'Space taken by ' },
};

export function readingOf(request: FileRequest, slots: Slots, world: SentenceWorld): string {
  const { dates, exclude } = slots;
  const parts = [
    what(request, slots),
    where(request, slots),
    dates === undefined ? '' : spanWords(dates, world),
    sizeWords(request),
    exclude.length > 0 ? `except ${exclude.join(', ')}` : '',
    orderWords(request),
    queryWords(request),
    destinationWords(request),
    optionWords(request),
  ];
  const text = `${leads[request.action]}${parts.filter((part) => part !== '').join(' ')}`;
  return oneLine(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`);
}

function what(request: FileRequest, slots: Slots): string {
  const { filters, options, query } = request;
  const { types, areFolders, files, sizes } = slots;
  if (files.length === 1 && query === undefined) return quote(must(files[0], 'the one file'));
  if (namesNothing(request, slots)) return 'something that was not named';
  if (isFolderItself(request, slots)) return 'the folder';
  const isEmpty = sizes?.under === 1 ? 'empty ' : '';
  const isTwin = filters?.duplicates === true ? 'duplicate ' : '';
  const count = options?.limit === undefined ? '' : `the first ${options.limit} of the `;
  const named = filters?.name === undefined ? '' : ` named ${quote(filters.name)}`;
  const all = filters?.kind === 'any' ? 'files and folders' : 'files';
  const noun = areFolders ? 'folders' : types.map(({ words }) => words).join(' and ') || all;
  return `${count}${isTwin}${isEmpty}${noun}${named}`;
}

/** A change of which only the verb was understood: that the whole root is meant was not said. */
function namesNothing({ filters, path }: FileRequest, { folders, files, verb }: Slots): boolean {
  const isBare = filters === undefined && path === '~';
  return isBare && isChange(verb.verb) && folders.length === 0 && files.length === 0;
}

function isFolderItself({ filters, path }: FileRequest, { verb }: Slots): boolean {
  return isChange(verb.verb) && filters === undefined && path?.endsWith('/*') === false;
}

function where(request: FileRequest, slots: Slots): string {
  const { path, options, action } = request;
  if (path === undefined || namesNothing(request, slots)) return '';
  const isOne = slots.files.length === 1 && action !== 'search_files';
  if (isOne || isFolderItself(request, slots)) return `at ${quote(path)}`;
  const isDeep = options?.recursive === true;
  if (path === '~') return isDeep ? 'everywhere in your home folder' : 'in your home folder';
  const folder = path.replace(/^~\//, '').replace(/\/\*$/, '');
  if (action === 'get_disk_usage') return `in ${folder}`;
  return isDeep ? `in ${folder} and its subfolders` : `directly in ${folder}`;
}

function sizeWords({ filters }: FileRequest): string {
  const { size_gt: over, size_lt: under } = filters ?? {};
  const lower = over === undefined ? '' : rounder(['larger than', over], ['at least', over + 1]);
  const isUpper = under !== undefined && under !== 1;
  const upper = isUpper ? rounder(['smaller than', under], ['at most', under - 1]) : '';
  return [lower, upper].filter((part) => part !== '').join(' and ');
}

type Limit = readonly [string, number];

/** The rounder of the two numbers was said. */
function rounder(first: Limit, second: Limit): string {
  const [one, other] = [first, second].map(([words, bytes]) => `${words} ${bytesWords(bytes)}`);
  const isFirst = bytesWords(first[1]).length <= bytesWords(second[1]).length;
  return must(isFirst ? one : other, 'the words of a limit');
}

const decimal = ['bytes', 'kB', 'MB', 'GB', 'TB'];
const binary = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

function bytesWords(bytes: number): string {
  return roundIn(bytes, 1000, decimal) ?? roundIn(bytes, 1024, binary) ?? `${bytes} bytes`;
}

function roundIn(bytes: number, base: number, units: readonly string[]): string | undefined {
  const step = Math.min(4, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(base) + 1e-9));
  const exact = bytes / base ** step;
  return Number.isInteger(exact * 100) ? `${exact} ${units[step]}` : undefined;
}

function orderWords({ options }: FileRequest): string {
  if (options?.sort === undefined) return '';
  const isDown = options.order === 'desc';
  if (options.sort === 'size') return isDown ? 'largest first' : 'smallest first';
  if (options.sort === 'name') return 'by name';
  return isDown ? 'newest first' : 'oldest first';
}

function queryWords({ query, options }: FileRequest): string {
  if (query === undefined) return '';
  const place = { name: ' by name', content: ' by content', both: '' }[
    options?.search_in ?? 'both'
  ];
  return `looking for ${quote(query)}${place}`;
}

function destinationWords({ action, destination }: FileRequest): string {
  if (destination === undefined) return '';
  if (action === 'rename_file') return `as ${quote(destination)}`;
  return `to ${destination.replace(/^~\//, '')}`;
}

function optionWords({ options }: FileRequest): string {
  const said = [
    options?.hidden === true ? 'with hidden ones' : '',
    options?.permanent === true ? 'for good, past the trash' : '',
    options?.on_conflict === undefined ? '' : `on a taken name: ${options.on_conflict}`,
    options?.dry_run === true ? '(only say what would happen)' : '',
  ];
  return said.filter((part) => part !== '').join(' ');
}
