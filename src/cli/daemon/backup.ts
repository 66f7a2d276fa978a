/** `aos backup`: the ledger and the settings as one file, and passphrases read from files. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, counted } from '../core/words.ts';

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

const longestBytes = 1024;

/**
 * The first line of a file, because what stands on the command line is seen by every user of the
 * machine.
 */
export async function readPassphrase(view: DiskView, path: string): Promise<string> {
  const text = new TextDecoder().decode(await readWholeFile(view, path, longestBytes));
  const line = must(text.split(/\r?\n/)[0], 'the first line');
  if (line !== '') return line;
  throw new AosError('usage.bad-value', {
    message: `The first line of ${quote(path)} should be a passphrase, and is empty`,
    fix: `Write one there: head -c 24 /dev/urandom | base64 > ${quote(path)}`,
  });
}
