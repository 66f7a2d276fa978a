import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/table.ts';
import { defineRm } from './secret-rm.ts';
import { defineSet } from './secret-set.ts';

export function defineSecret(command: Command, context: Context): void {
  defineSet(command.command('set'), context);
  command
    .command('ls')
    .description('list the secrets and what they are for; never what they are')
    .addHelpText('after', '\nExample:\n  aos secret ls')
    .action(() => list(context));
  defineRm(command.command('rm'), context);
}

async function list(context: Context): Promise<void> {
  const found = await withHome(context, { holder: 'aos secret ls' }, (client) =>
    client.secrets({ signal: context.signal }),
  );
  const rows = found.items.map((secret) => [
    oneLine(secret.name),
    bindingWords(secret),
    `set ${secret.updated_at}`,
  ]);
  context.print({ data: found, text: rows.length === 0 ? 'There are no secrets.' : table(rows) });
}

function bindingWords(secret: Answer<'secrets'>['items'][number]): string {
  const { host, port, header, prefix } = secret;
  if (host === null || header === null) return 'for no host';
  const form = prefix === '' ? '' : `, after ${quote(prefix)}`;
  return oneLine(`for ${host}:${port} in ${header}${form}`);
}
