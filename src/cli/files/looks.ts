/** `aos files list`, `read`, `search`, `info` and `usage`. */
import { type Command, Option } from 'commander';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { type AsOption, filesVerb } from './call.ts';
import {
  type FilterOptions,
  filterOptions,
  filtersOf,
  type OrderOptions,
  orderOf,
  orderOptions,
} from './filters.ts';
import { look } from './look.ts';
import { typedPath } from './path.ts';

interface LookOptions extends AsOption, FilterOptions, OrderOptions {
  readonly dryRun?: true;
}

export function defineFilesLooks(group: Command, context: Context): void {
  defineList(group, context);
  defineRead(group, context);
  defineSearch(group, context);
  defineInfo(group, context);
  defineUsage(group, context);
}

const here = 'a folder, a file or a pattern (the current folder)';

function defineList(group: Command, context: Context): void {
  const command = lookVerb(group, 'list', 'list files, by type, size, date or name')
    .aliases(['list-files', 'list_files'])
    .argument('[path]', here)
    .option('--duplicates', 'only files that are there more than once')
    .addHelpText(
      'after',
      '\nA sentence has to be in quotes: aos files "list my PDFs"\n\nExamples:\n  aos files list\n  aos files list ~/Downloads --type pdf --after 2026-11-01\n  aos files list ~ -r --sort size --limit 10\n  aos files list "~/Pictures/**/*.jpg"',
    );
  orderOptions(filterOptions(command)).action(
    (path: string | undefined, options: LookOptions & { readonly duplicates?: true }) => {
      const { filters, options: which } = filtersOf(options);
      return doLook(context, command, options, {
        ...{ action: 'list_files', path: typedPath(path ?? '.') },
        filters: { ...filters, duplicates: options.duplicates },
        options: { ...which, ...orderOf(options) },
      });
    },
  );
}

interface ReadOptions extends AsOption {
  readonly offset?: string;
  readonly length?: string;
  readonly base64?: true;
  readonly dryRun?: true;
}

const longest = 999_999_999;

function defineRead(group: Command, context: Context): void {
  const command = lookVerb(group, 'read', 'print what is in a text file')
    .aliases(['read-file', 'read_file'])
    .argument('<path>', 'the file')
    .option('--offset <bytes>', 'from this byte on')
    .option('--length <bytes>', 'no more than so many bytes')
    .option('--base64', 'whatever it is, its bytes in base64')
    .addHelpText(
      'after',
      '\nInto a pipe or a file it goes as it is; a terminal is shown what would move its cursor\nspelt out.\n\nExamples:\n  aos files read notes.txt\n  aos files read big.log --offset 1000000 --length 5000',
    )
    .action((path: string, options: ReadOptions) => {
      const { offset, length, base64 } = options;
      const least = (option: string, text: string | undefined, smallest: number) =>
        text === undefined ? undefined : numberOf(option, text, { least: smallest, most: longest });
      return doLook(context, command, options, {
        ...{ action: 'read_file', path: typedPath(path) },
        options: {
          ...{ offset: least('--offset', offset, 0), length: least('--length', length, 1) },
          encoding: base64 === true ? 'base64' : undefined,
        },
      });
    });
}

interface SearchOptions extends LookOptions {
  readonly in?: 'name' | 'content' | 'both';
  readonly exact?: true;
  readonly regex?: true;
}

function defineSearch(group: Command, context: Context): void {
  const command = lookVerb(group, 'search', 'find files by their names and what is in them')
    .aliases(['search-files', 'search_files'])
    .argument('<query>', 'what to look for')
    .argument('[path]', 'the folder to look in (the current folder)')
    .addOption(new Option('--in <where>', 'where to look').choices(['name', 'content', 'both']))
    .option('--exact', 'the query as it stands, and not its words')
    .option('--regex', 'the query is a regular expression')
    .addHelpText(
      'after',
      '\nThe likeliest comes first, with why it was found.\n\nExamples:\n  aos files search "invoice Ahmed" ~/Documents\n  aos files search "TODO" --exact --in content',
    );
  orderOptions(filterOptions(command)).action(
    (query: string, path: string | undefined, options: SearchOptions) => {
      const { filters, options: which } = filtersOf(options);
      const how = { search_in: options.in, exact: options.exact, regex: options.regex };
      return doLook(context, command, options, {
        ...{ action: 'search_files', path: typedPath(path ?? '.'), query, filters },
        options: { ...which, ...orderOf(options), ...how },
      });
    },
  );
}

function defineInfo(group: Command, context: Context): void {
  const command = lookVerb(group, 'info', 'tell all about a file or a folder')
    .aliases(['get-metadata', 'get_metadata'])
    .argument('<path>', 'the file, the folder or a pattern')
    .option('--technical', 'also inode, device, mode and owner')
    .addHelpText('after', '\nExample:\n  aos files info ~/Pictures/holiday.jpg')
    .action((path: string, options: AsOption & { readonly technical?: true }) =>
      doLook(context, command, options, {
        ...{ action: 'get_metadata', path: typedPath(path) },
        options: { technical: options.technical },
      }),
    );
}

function defineUsage(group: Command, context: Context): void {
  const command = lookVerb(group, 'usage', 'tell how much room files and folders take')
    .aliases(['get-disk-usage', 'get_disk_usage'])
    .argument('[path]', here)
    .addHelpText('after', '\nExamples:\n  aos files usage\n  aos files usage ~ --type "video/*"');
  filterOptions(command).action((path: string | undefined, options: LookOptions) =>
    doLook(context, command, options, {
      ...{ action: 'get_disk_usage', path: typedPath(path ?? '.') },
      ...filtersOf(options),
    }),
  );
}

function lookVerb(group: Command, name: string, description: string): Command {
  return filesVerb(group, name, description).option(
    '--dry-run',
    'say what would be told; looking changes nothing',
  );
}

function doLook(
  context: Context,
  command: Command,
  options: AsOption & { readonly dryRun?: true },
  request: FileRequest,
): Promise<void> {
  const json = command.optsWithGlobals()['json'] === true;
  const dry = options.dryRun === true ? { dry_run: true } : {};
  const whole = { ...request, options: { ...request.options, ...dry } };
  return look(context, { request: whole, json }, options);
}
