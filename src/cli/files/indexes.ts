/** `aos files index`, `indexes` and `unindex`. */
import type { Command } from 'commander';
import { countWords, sizeWords } from '../../kernel/files/words.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/words.ts';
import { type AsOption, callFilesTool, filesVerb } from './call.ts';
import { pathsOf, typedPath } from './path.ts';

export function defineFilesIndexes(group: Command, context: Context): void {
  const ofFolder = (tool: 'index_folder' | 'drop_index') => async (path: string, as: AsOption) => {
    const answer = await callFilesTool(context, as, { tool, args: { path: typedPath(path) } });
    context.print({ data: answer, text: oneLine(answer.action_performed) });
  };
  filesVerb(group, 'index', 'index a folder, so that it is searched faster')
    .argument('<path>', 'the folder, with everything below it')
    .addHelpText('after', '\nExample:\n  aos files index ~/Documents')
    .action(ofFolder('index_folder'));
  filesVerb(group, 'indexes', 'list the folders that are indexed')
    .addHelpText('after', '\nExample:\n  aos files indexes')
    .action((as: AsOption) => list(context, as));
  filesVerb(group, 'unindex', 'drop the index of a folder')
    .argument('<path>', 'the folder')
    .addHelpText('after', '\nExample:\n  aos files unindex ~/Documents')
    .action(ofFolder('drop_index'));
}

interface WireIndex {
  readonly path: string;
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  readonly swept_at: string;
}

async function list(context: Context, as: AsOption): Promise<void> {
  const found = await callFilesTool(context, as, { tool: 'list_indexes' });
  // What the tool of that name answers.
  const { indexes } = found.result as { readonly indexes: readonly WireIndex[] };
  const show = await pathsOf(context);
  const rows = indexes.map(({ path, files, folders, bytes, swept_at }) => [
    ...[show(path), countWords(files, 'file'), countWords(folders, 'folder'), sizeWords(bytes)],
    swept_at,
  ]);
  const text = rows.length === 0 ? 'No folder is indexed.' : table(rows);
  context.print({ data: found, text });
}
