/** `aos memory share`, `unshare` and `shares`. */
import { type Command, Option } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { type MemoryScope, memoryScopes } from '../../kernel/memory/memory.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { counted, table } from '../core/words.ts';
import { keyOf, laterOf, type MemoryAs, memoryVerb, whose, withMemory } from './verb.ts';

interface ShareOptions extends MemoryAs {
  readonly scope?: MemoryScope;
  readonly with: string;
  readonly expires?: string;
  readonly of?: string;
}

export function defineMemoryShares(group: Command, context: Context): void {
  shareVerb(group, 'share', 'let an agent read and search what lies under a key')
    .option('--expires <time>', 'until then: 7d, or a date')
    .addHelpText(
      'after',
      '\nWhat is shared stays where it is: it is a grant, and "unshare" takes it back. Of what an\nagent remembers, it is shared as that agent (--as), or granted by you: aos cap grant.\n\nExamples:\n  aos memory share house --with samantha --scope long-term --expires 7d\n  aos memory share house --with samantha --as jean',
    )
    .action((key: string, options: ShareOptions) => share(context, key, options));
  shareVerb(group, 'unshare', 'take back what was shared; it counts from the next read on')
    .option('--of <agent>', 'whose memory it is: you may take back what an agent has shared')
    .addHelpText(
      'after',
      '\nExamples:\n  aos memory unshare house --with samantha --scope long-term\n  aos memory unshare house --with samantha --of jean',
    )
    .action((key: string, options: ShareOptions) => unshare(context, key, options));
  memoryVerb(group, 'shares', 'list what is shared, and with whom')
    .addHelpText(
      'after',
      '\nThe owner sees what everybody shares.\n\nExample:\n  aos memory shares',
    )
    .action((options: MemoryAs) => list(context, options));
}

function shareVerb(group: Command, name: string, description: string): Command {
  return memoryVerb(group, name, description)
    .argument('<key>', 'such as projects/house; with all that lies below it')
    .requiredOption('--with <agent>', 'with whom')
    .addOption(new Option('--scope <scope>', 'where (working)').choices([...memoryScopes]));
}

async function share(context: Context, key: string, options: ShareOptions): Promise<void> {
  const { scope, with: to } = options;
  const wanted = { key: keyOf(key), scope, with: to, expires: laterOf(options.expires) };
  const done = await withMemory(context, options, (client, acting) =>
    client.shareMemory(wanted, acting),
  );
  const words = `${oneLine(done.with)} may now read and search ${quote(key)} in ${done.scope}`;
  context.print({ data: done, text: `${words} (grant ${oneLine(done.grant)}).` });
}

async function unshare(context: Context, key: string, options: ShareOptions): Promise<void> {
  const wanted = { key: keyOf(key), ...whose(options), with: options.with };
  const done = await withMemory(context, options, (client, acting) =>
    client.unshareMemory(wanted, acting),
  );
  const grants = counted(done.revoked.length, 'grant');
  const words = `${quote(key)} in ${done.scope} is not shared with ${oneLine(done.with)} any more`;
  context.print({ data: done, text: `${words} (${grants} revoked).` });
}

async function list(context: Context, options: MemoryAs): Promise<void> {
  const shares = await withMemory(context, options, (client, acting) =>
    client.memoryShares({}, acting),
  );
  context.print({ data: shares, text: sharesText(shares) });
}

function sharesText({ items }: Answer<'memoryShares'>): string {
  if (items.length === 0) return 'Nothing is shared.';
  return table(
    items.map(({ with: to, by, capability }) => [
      ...[`with ${oneLine(to)}`, `by ${oneLine(by)}`, oneLine(capability)],
    ]),
  );
}
