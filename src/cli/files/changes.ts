/** `aos files write`, `move`, `rename`, `copy` and `delete`. */
import { type Command, Option } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileOptions, FileRequest } from '../../kernel/files/request.ts';
import type { Context } from '../core/context.ts';
import { filesVerb } from './call.ts';
import { type ChangeOptions, change, changeOptions } from './change.ts';
import { contentOf } from './content.ts';
import { type FilterOptions, filterOptions, filtersOf } from './filters.ts';
import { typedPath } from './path.ts';

interface PutOptions extends ChangeOptions, FilterOptions {
  readonly onConflict?: FileOptions['on_conflict'];
}

export function defineFilesChanges(group: Command, context: Context): void {
  defineWrite(group, context);
  definePut(group, context, moves);
  defineRename(group, context);
  definePut(group, context, copies);
  defineDelete(group, context);
}

function defineWrite(group: Command, context: Context): void {
  const command = filesVerb(group, 'write', 'write a file, whole')
    .aliases(['write-file', 'write_file'])
    .argument('<path>', 'the file; folders on the way to it are made')
    .argument('[text]', 'what is written; "-", or nothing, reads what is piped in')
    .addHelpText(
      'after',
      '\nWhat is there already is replaced only after a yes, and goes to the trash.\n\nExamples:\n  aos files write notes.txt "Buy milk"\n  date | aos files write today.txt',
    );
  changeOptions(onConflict(command)).action(
    async (path: string, text: string | undefined, options: PutOptions) => {
      const request: FileRequest = {
        ...{ action: 'write_file', path: typedPath(path) },
        ...(await contentOf(context.terminal.input, text)),
        options: { on_conflict: options.onConflict },
      };
      return doChange(context, command, options, request);
    },
  );
}

interface Put {
  readonly name: 'move' | 'copy';
  readonly description: string;
  readonly examples: string;
}

const moves: Put = {
  name: 'move',
  description: 'move files and folders',
  examples:
    '  aos files move report.pdf Archive/\n  aos files move ~/Downloads ~/Archive/ --before 2026-10-01',
};
const copies: Put = {
  name: 'copy',
  description: 'copy files and folders',
  examples: '  aos files copy report.pdf ~/Desktop/\n  aos files copy "*.jpg" ~/Pictures/new/',
};

function definePut(group: Command, context: Context, { name, description, examples }: Put): void {
  const action = `${name}_file` as const;
  const command = filesVerb(group, name, description)
    .aliases([`${name}-file`, action])
    .argument('<paths...>', 'what to take: files, folders and patterns; then where to')
    .usage('[options] PATH… DESTINATION')
    .addHelpText(
      'after',
      `\nA destination that is not there is a folder where it ends with a slash. With --before,\n--type and the like, a folder stands for what is in it. Many files, and what would be\nreplaced, are asked for once.\n\nExamples:\n${examples}`,
    );
  changeOptions(filterOptions(onConflict(command))).action(
    (typed: readonly string[], options: PutOptions) => {
      const { paths, destination } = withDestination(typed, name);
      const { filters, options: which } = filtersOf(options);
      const request: FileRequest = {
        ...{ action, ...paths, destination, filters },
        options: { ...which, on_conflict: options.onConflict },
      };
      return doChange(context, command, options, request);
    },
  );
}

function withDestination(typed: readonly string[], name: string) {
  const [last = '', ...before] = typed.toReversed();
  if (before.length === 0) {
    throw new AosError('usage.missing-argument', {
      message: `"aos files ${name}" does not say where to`,
      fix: `aos files ${name} PATH DESTINATION`,
    });
  }
  // Several things go into a folder, there or not.
  const into = before.length > 1 && !last.endsWith('/') ? `${last}/` : last;
  return { paths: pathsTyped(before.toReversed()), destination: typedPath(into) };
}

/** Several are one plan. */
function pathsTyped(typed: readonly string[]): Pick<FileRequest, 'path' | 'paths'> {
  const [path, ...others] = typed.map(typedPath);
  return path === undefined || others.length > 0 ? { paths: typed.map(typedPath) } : { path };
}

function defineRename(group: Command, context: Context): void {
  const command = filesVerb(group, 'rename', 'rename a file, or all that fit by a pattern')
    .aliases(['rename-file', 'rename_file'])
    .argument('<path>', 'the file, the folder or a pattern')
    .argument('<name>', 'its new name, or a pattern of one, as {taken}{ext}')
    .addHelpText(
      'after',
      '\nExamples:\n  aos files rename scan.pdf contract.pdf\n  aos files rename "~/Pictures/trip/*.jpg" "{taken}{ext}"',
    );
  changeOptions(filterOptions(onConflict(command))).action(
    (path: string, name: string, options: PutOptions) => {
      const { filters, options: which } = filtersOf(options);
      const request: FileRequest = {
        ...{ action: 'rename_file', path: typedPath(path), destination: name, filters },
        options: { ...which, on_conflict: options.onConflict },
      };
      return doChange(context, command, options, request);
    },
  );
}

interface DeleteOptions extends ChangeOptions, FilterOptions {
  readonly permanent?: true;
}

function defineDelete(group: Command, context: Context): void {
  const command = filesVerb(group, 'delete', 'move files and folders to the trash')
    .aliases(['delete-file', 'delete_file'])
    .argument('<paths...>', 'files, folders and patterns')
    .option('--permanent', 'for ever, past the trash: is asked twice')
    .addHelpText(
      'after',
      '\n"aos files undo" brings back what went to the trash. What is deleted for ever is gone;\n--yes --plan HASH is the answer to both questions.\n\nExamples:\n  aos files delete old.log\n  aos files delete ~/Downloads --type zip --before 2026-01-01',
    );
  changeOptions(filterOptions(command)).action(
    (typed: readonly string[], options: DeleteOptions) => {
      const { filters, options: which } = filtersOf(options);
      const request: FileRequest = {
        ...{ action: 'delete_file', ...pathsTyped(typed), filters },
        options: { ...which, permanent: options.permanent },
      };
      return doChange(context, command, options, request);
    },
  );
}

function onConflict(command: Command): Command {
  return command.addOption(
    new Option('--on-conflict <what>', 'where something has the name already').choices([
      ...['replace', 'skip', 'number', 'fail'],
    ]),
  );
}

function doChange(
  context: Context,
  command: Command,
  options: ChangeOptions,
  request: FileRequest,
): Promise<void> {
  const json = command.optsWithGlobals()['json'] === true;
  return change(context, { request, json }, options);
}
