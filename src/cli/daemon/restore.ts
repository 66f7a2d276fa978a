/** `aos restore`: a home out of a backup. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { oneLine } from '../../kernel/text/quote.ts';
import { reach, sayMended } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';
import { readPassphrase } from './backup.ts';

interface RestoreOptions {
  readonly passphraseFile?: string;
  readonly replace?: true;
}

export function defineRestore(command: Command, context: Context): void {
  command
    .argument('<file>', 'what "aos backup" made')
    .option('--passphrase-file <file>', 'put the keys back too; its first line opens them')
    .option('--replace', 'where the home holds something already, move that aside')
    .addHelpText(
      'after',
      '\nThe daemon must be stopped. Nothing is removed: what is replaced is kept beside its\nplace, as ledger.db.before-restore-…\n\nExamples:\n  aos restore ~/agents.backup\n  aos down; aos restore ~/agents.backup --replace',
    )
    .action(async (file: string, options: RestoreOptions) => {
      const { engines, settings } = await reach(context);
      const { passphraseFile, replace } = options;
      const passphrase =
        passphraseFile === undefined
          ? undefined
          : await readPassphrase(engines.disk, passphraseFile);
      const { inside } = await import('../../app/inside.ts');
      const request = { path: resolve(file), passphrase, replace: replace === true };
      const summary = await inside.restoreInto(engines, settings, request, sayMended(context));
      const { events, made_at, keys, moved_aside, agents_without_keys, warnings } = summary;
      const lines = [
        `The home is as it was at ${made_at}: ${counted(events, 'event')}. Keys: ${keys}.`,
        ...moved_aside.map((name) => `What was there before is now ${oneLine(name)}.`),
        ...agentsWithoutKeys(agents_without_keys),
        ...warnings.map(oneLine),
      ];
      context.print({ data: summary, text: lines.join('\n') });
    });
}

function agentsWithoutKeys(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`No key in keys/, so that they cannot sign until it is put back: ${names.join(', ')}.`];
}
