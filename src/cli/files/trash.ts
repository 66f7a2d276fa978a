/** `aos files trash` and `aos files restore`. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/words.ts';
import { type AsOption, callFilesTool, filesVerb } from './call.ts';
import { pathsOf, typedPath } from './path.ts';
import { doneText } from './plan-words.ts';

interface RestoreOptions extends AsOption {
  readonly dryRun?: true;
}

export function defineFilesTrash(group: Command, context: Context): void {
  filesVerb(group, 'trash', 'list what lies in the trash, the newest first')
    .addHelpText('after', '\nExample:\n  aos files trash')
    .action((options: AsOption) => list(context, options));
  filesVerb(group, 'restore', 'bring something back from the trash')
    .argument('<path>', 'where it was, or its name in the trash')
    .option('--dry-run', 'say what would happen, and touch nothing')
    .addHelpText(
      'after',
      '\nNever over something that is there now.\n\nExample:\n  aos files restore ~/Documents/report.pdf',
    )
    .action((path: string, options: RestoreOptions) => restore(context, path, options));
}

interface InTrash {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly size: string;
  readonly deleted?: string;
}

async function list(context: Context, options: AsOption): Promise<void> {
  const found = await callFilesTool(context, options, { tool: 'list_trash' });
  // What the tool of that name answers.
  const { files } = found.result as { readonly files: readonly InTrash[] };
  const show = await pathsOf(context);
  const rows = files.map(({ name, path, kind, size, deleted = '' }) => [
    ...[oneLine(name), size === '' ? kind : size, deleted, show(path)],
  ]);
  const text = rows.length === 0 ? 'The trash is empty' : table(rows);
  context.print({ data: found, text });
}

async function restore(context: Context, typed: string, options: RestoreOptions): Promise<void> {
  const answer = await restored(context, typedPath(typed), options).catch((failure: unknown) => {
    const isName = !typed.includes('/') && isNotThere(failure);
    return isName ? restored(context, typed, options) : Promise.reject(failure);
  });
  context.print({ data: answer, text: doneText(answer) });
}

function restored(
  context: Context,
  path: string,
  { dryRun, ...options }: RestoreOptions,
): Promise<FileAnswer> {
  const args = { path, dry_run: dryRun === true };
  return callFilesTool(context, options, { tool: 'restore_file', args });
}

function isNotThere(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'files.not-in-trash';
}
