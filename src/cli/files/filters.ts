/** The options that say which files are meant. */
import { type Command, Option } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import {
  type FileFilters,
  type FileOptions,
  type SortKey,
  sortKeys,
} from '../../kernel/files/request.ts';
import { quote } from '../../kernel/text/quote.ts';
import { numberOf } from '../core/input.ts';
import { repeated } from '../core/words.ts';
import { sizeOf } from '../transfer/verb.ts';

export interface FilterOptions {
  readonly type?: string;
  readonly name?: string;
  readonly larger?: string;
  readonly smaller?: string;
  readonly after?: string;
  readonly before?: string;
  readonly exclude?: readonly string[];
  readonly recursive?: true;
  readonly hidden?: true;
}

export function filterOptions(command: Command): Command {
  return command
    .option('--type <types>', 'of these types: pdf, image/*, csv,xlsx')
    .option('--name <pattern>', 'whose name fits: "*invoice*"')
    .option('--larger <size>', 'with more bytes, as 10M or 1.5GB')
    .option('--smaller <size>', 'with fewer bytes')
    .option('--after <date>', 'changed at this time or later, as 2026-11-01')
    .option('--before <date>', 'changed before this time')
    .option('--exclude <pattern>', 'without names or folders that fit (may be repeated)', repeated)
    .option('-r, --recursive', 'also what is in the folders below')
    .option('--hidden', 'also names that begin with a dot');
}

/** What they say, in the words of a request. */
export function filtersOf(options: FilterOptions): {
  readonly filters: FileFilters;
  readonly options: FileOptions;
} {
  const { type, name, larger, smaller, after, before, exclude, recursive, hidden } = options;
  return {
    filters: {
      ...{ type, name, exclude },
      size_gt: larger === undefined ? undefined : sizeOf('--larger', larger),
      size_lt: smaller === undefined ? undefined : sizeOf('--smaller', smaller),
      modified_after: after === undefined ? undefined : dateOf('--after', after),
      modified_before: before === undefined ? undefined : dateOf('--before', before),
    },
    options: { recursive, hidden },
  };
}

export interface OrderOptions {
  readonly sort?: SortKey;
  readonly order?: 'asc' | 'desc';
  readonly limit?: string;
}

export function orderOptions(command: Command): Command {
  return command
    .addOption(new Option('--sort <key>', 'by what').choices([...sortKeys]))
    .addOption(new Option('--order <order>', 'from which end').choices(['asc', 'desc']))
    .option('--limit <n>', 'at most so many');
}

const mostShown = 100_000;

export function orderOf({ sort, order, limit }: OrderOptions): FileOptions {
  const most = limit && numberOf('--limit', limit, { least: 1, most: mostShown });
  return { sort, order, ...(most ? { limit: most } : {}) };
}

function dateOf(option: string, text: string): string {
  const shape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
  if (shape.test(text)) return text;
  throw new AosError('usage.bad-value', {
    message: `${option} wants a date, and got ${quote(text.slice(0, 100))}`,
    fix: `Write it as 2026-11-01 or 2026-11-01T08:00: ${option} 2026-11-01`,
  });
}
