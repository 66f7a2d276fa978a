/** One line that says everything that will be used, so that a wrong reading is seen. */
import type { FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import { spanWords } from '../../kernel/language/span-words.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Slots } from './slots.ts';
import { isChange } from './verbs.ts';

const leads: Readonly<Record<FileRequest['action'], string>> = {
  list_files: '',
  search_files: '',
  read_file: 'Read ',
  write_file: 'Write ',
  move_file: 'Move ',
  rename_file: 'Rename ',
  copy_file: 'Copy ',
  delete_file: 'Delete ',
  get_metadata: 'Details of ',
  get_disk_usage: 'Space taken by ',
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
  const { filters, options, query, path } = request;
  const { types, areFolders, files, sizes, verb } = slots;
  if (files.length === 1 && query === undefined) return quote(files[0] ?? '');
  if (namesNothing(request, slots)) return 'something that was not named';
  if (isChange(verb.deed) && filters === undefined && path?.endsWith('/*') === false)
    return 'the folder';
  const isEmpty = sizes?.under === 1 ? 'empty ' : '';
  const isTwin = filters?.duplicates === true ? 'duplicate ' : '';
  const count = options?.limit === undefined ? '' : `the first ${options.limit} of the `;
  const named = filters?.name === undefined ? '' : ` named ${quote(filters.name)}`;
  const noun = areFolders ? 'folders' : types.map(({ words }) => words).join(' and ') || 'files';
  return `${count}${isTwin}${isEmpty}${noun}${named}`;
}

/** A change of which only the verb was understood: nobody said that the whole root is meant. */
function namesNothing({ filters, path }: FileRequest, { folders, files, verb }: Slots): boolean {
  const isBare = filters === undefined && path === '~';
  return isBare && isChange(verb.deed) && folders.length === 0 && files.length === 0;
}

function where(request: FileRequest, slots: Slots): string {
  const { path, options, action, filters } = request;
  const { files, verb } = slots;
  if (path === undefined || namesNothing(request, slots)) return '';
  const isOne = files.length === 1 && action !== 'search_files';
  const isFolder = isChange(verb.deed) && filters === undefined && !path.endsWith('/*');
  if (isOne || isFolder) return `at ${quote(path)}`;
  const isDeep = options?.recursive === true;
  if (path === '~') return isDeep ? 'everywhere in your home folder' : 'in your home folder';
  const folder = path.replace(/^~\//, '').replace(/\/\*$/, '');
  if (action === 'get_disk_usage') return `in ${folder}`;
  return isDeep ? `in ${folder} and its subfolders` : `directly in ${folder}`;
}

function sizeWords({ filters }: FileRequest): string {
  const { size_gt: over, size_lt: under } = filters ?? {};
  const lower = over === undefined ? '' : limitWords(['larger than', over], ['at least', over + 1]);
  const upper =
    under === undefined || under === 1
      ? ''
      : limitWords(['smaller than', under], ['at most', under - 1]);
  return [lower, upper].filter((part) => part !== '').join(' and ');
}

/** The rounder of the two numbers was said. */
function limitWords(...limits: readonly (readonly [string, number])[]): string {
  const [words, bytes] = limits.toSorted(
    ([, a], [, b]) => bytesWords(a).length - bytesWords(b).length,
  )[0] ?? ['', 0];
  return `${words} ${bytesWords(bytes)}`;
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
  const isDown = options?.order === 'desc';
  if (options?.sort === 'size') return isDown ? 'largest first' : 'smallest first';
  if (options?.sort === 'name') return 'by name';
  return isDown ? 'newest first' : 'oldest first';
}

function queryWords({ query, options }: FileRequest): string {
  if (query === undefined) return '';
  const place = { name: 'by name', content: 'by content', both: '' }[options?.search_in ?? 'both'];
  return `looking for ${quote(query)}${place === '' ? '' : ` ${place}`}`;
}

function destinationWords({ action, destination, content }: FileRequest): string {
  if (content !== undefined)
    return content === '' ? 'with nothing in it' : `with ${quote(content)}`;
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
