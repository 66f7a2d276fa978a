import { resolve } from 'node:path';
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, counted } from '../core/words.ts';
import { readPassphrase } from './passphrase.ts';

interface BackupOptions {
  readonly passphraseFile?: string;
}

export function defineBackup(command: Command, context: Context): void {
  command
    .argument('<file>', 'a new file for it')
    .option('--passphrase-file <file>', 'put the keys in too, sealed with the first line of it')
    .addHelpText(
      'after',
      '\nThe ledger and config.json as they are at one moment, in one file; the daemon may run.\nKeys are left out without a passphrase. Bodies of attachments, transfers and artifacts,\nlogs and workspaces are not in it.\n\nExamples:\n  aos backup ~/agents.backup\n  aos backup ~/agents.backup --passphrase-file ~/.backup-passphrase',
    )
    .action(async (file: string, { passphraseFile }: BackupOptions) => {
      const passphrase =
        passphraseFile === undefined
          ? undefined
          : await readPassphrase(composeEngines().disk, passphraseFile);
      const request = { path: resolve(file), ...(passphrase === undefined ? {} : { passphrase }) };
      const summary = await withHome(context, { holder: 'aos backup' }, (client) =>
        client.backup(request, { signal: context.signal }),
      );
      const { path, bytes, events, keys } = summary;
      const what = `${oneLine(path)} holds the ledger (${counted(events, 'event')}, ${bytesWords(bytes)})`;
      const text =
        keys === 'sealed'
          ? `${what} and the keys, sealed with the passphrase.`
          : `${what}, and no keys: keep a copy of keys/ too, or give --passphrase-file.\nWithout them this backup can only be put back where the keys still are.`;
      context.print({ data: summary, text });
    });
}
